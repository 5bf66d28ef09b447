import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { localWake } from '../../database/wake.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { newSigningSecret } from '../../foundation/signing-secret.ts';
import type { WebhookStatements } from '../statements.ts';
import { receivers } from './receivers.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const SECRETS = { secret: newSigningSecret(), previous: null, headers: { 'x-own': 'a' } };

/** Receivers over webhooks by their ids, with what is sealed of each. */
const given = (sealed: Readonly<Record<string, string>>) => {
  const asked: (readonly SelectKey[])[] = [];
  const clock = virtualClock(new Date('2026-03-01T10:00:00.000Z'));
  const { load, forget } = receivers({
    storage: {
      // Safe: nothing else is read.
      select: (async (_, keys: readonly SelectKey[]) => {
        asked.push(keys);
        return keys.flatMap(([scopeId, id]) => {
          const text = sealed[String(id)];
          return text === undefined
            ? []
            : [
                {
                  scopeId,
                  id,
                  url: `https://${id}.test`,
                  isActive: true,
                  sealed: text,
                  version: 1,
                  failingSince: null,
                },
              ];
        });
      }) as Storage['select'],
      outsideTransaction: (work) => work(),
      wake: localWake(),
    },
    // Safe: a statement is only handed on.
    hot: {} as WebhookStatements,
    secrets: {
      openText: async (_, text) => {
        if (text === 'broken') throw new Error('cannot be read');
        return text;
      },
    },
    scopes: { load: async () => () => scope },
    clock,
  });
  return { load: (id: string) => load(scope, id), forget, asked, clock };
};

describe('receivers', () => {
  it('webhooks loaded in one turn of the event loop share a query', async () => {
    const { load, asked } = given({ one: JSON.stringify(SECRETS), two: JSON.stringify(SECRETS) });
    const [one, two, none] = await Promise.all(['one', 'two', 'none'].map(load));
    expect([one?.url, two?.url, none]).toEqual(['https://one.test', 'https://two.test', null]);
    expect(asked).toHaveLength(1);
  });

  it('a webhook is loaded again after 10 milliseconds, also if there was none', async () => {
    const { load, asked, clock } = given({ one: JSON.stringify(SECRETS) });
    for (const waitMs of [0, 9, 1, 9, 1]) {
      clock.advance(waitMs);
      await load('one');
      await load('none');
    }
    expect(asked).toHaveLength(6);
  });

  it('a change of a webhook drops the cache', async () => {
    const { load, forget, asked } = given({ one: JSON.stringify(SECRETS) });
    await load('one');
    forget();
    await load('one');
    expect(asked).toHaveLength(2);
  });

  it('a webhook with unreadable secrets does not fail the others of its batch', async () => {
    const { load } = given({ good: JSON.stringify(SECRETS), bad: 'broken' });
    const [good, bad] = await Promise.allSettled([load('good'), load('bad')]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { id: 'good', opened: { headers: SECRETS.headers } } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'cannot be read' } });
  });
});
