import { expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { querySlots } from './query-slots/query-slots.ts';
import { asker } from './question.ts';

it('a query is aborted after 20 s, between two slices', async () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const ask = asker({ clock, querySlots: querySlots(), retentionDays: async () => 400 });
  const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
  let slices = 0;
  const answer = ask(scope, {}, async ({ rest }) => {
    for (;;) {
      await rest();
      slices += 1;
      clock.advance(5_000);
    }
  });
  await expect(answer).rejects.toMatchObject({ code: 'QUERY_TIMEOUT', retryAfterSeconds: 10 });
  expect(slices).toBe(5);
});
