import { expect, it } from 'vitest';
import { testScope, testScopes } from '../../test/scopes.ts';
import { virtualClock } from '../primitives/clock.ts';
import { QUARTER_MS } from './quarters.ts';
import { sweeper } from './sweep.ts';

const HOUR_MS = 4 * QUARTER_MS;

it('roll-ups are forgotten up to the hour, and sends up to the quarter, in which the retention of the org begins', async () => {
  const clock = virtualClock('2026-03-31T10:37:00.000Z');
  const scopes = (['a', 'b'] as const).map((orgId) => testScope({ orgId, projectId: 'p', environment: 'test' }));
  const forgotten: (readonly [what: string, orgId: string, before: string])[] = [];
  const forget = (what: string, unitMs: number) => async (scope: { readonly scopeId: number }, before: number) => {
    const org = scopes.find(({ scopeId }) => scopeId === scope.scopeId)?.orgId ?? '';
    forgotten.push([what, org, new Date(before * unitMs).toISOString()]);
    return 0;
  };
  const sweep = sweeper({
    clock,
    store: { forget: forget('events', HOUR_MS) },
    sendQuarters: { forget: forget('sends', QUARTER_MS) },
    scopes: testScopes,
    scopeIdsOfAll: async () => scopes.map(({ scopeId }) => scopeId),
    retentionDays: async (orgId) => (orgId === 'a' ? 30 : 90),
  });
  expect(await sweep()).toBe(false);
  expect(forgotten).toEqual([
    ['events', 'a', '2026-03-01T10:00:00.000Z'],
    ['sends', 'a', '2026-03-01T10:30:00.000Z'],
    ['events', 'b', '2025-12-31T10:00:00.000Z'],
    ['sends', 'b', '2025-12-31T10:30:00.000Z'],
  ]);
  forgotten.length = 0;
  clock.advance(HOUR_MS - 1);
  await sweep();
  expect(forgotten).toEqual([]);
  clock.advance(1);
  await sweep();
  expect(forgotten).toHaveLength(4);
});
