import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { Claimed } from '../../database/statements/claim.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { DisabledReason } from '../schema.ts';
import { type LeasedDelivery, webhookStatements } from '../statements.ts';
import { type DeliveryOutcome, deliveryDispatcher } from './dispatch.ts';

const SCOPE = testScope({ orgId: 'receiver-state', projectId: 'app', environment: 'prod' });
const WEBHOOK = rowId('webhook');
const OTHER = rowId('other');
const clock = virtualClock('2026-03-01T10:00:00.000Z');
type Said = 'works' | 'fails' | 'gone' | 'failing' | null;

describe('outcomes of one commit', () => {
  let database: TestDatabase;
  let disabled: number;
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
    disabled = 0;
    const common = { scopeId: SCOPE.scopeId, url: 'https://shop.example/', events: [], description: null, sealed: '' };
    const times = { createdAt: clock.now(), updatedAt: clock.now(), failingSince: null, disabledReason: null };
    await database.storage.db
      .insert(database.tables.webhooks)
      .values([WEBHOOK, OTHER].map((id) => ({ ...common, ...times, id, isActive: true, isPulled: false, version: 1 })));
  });
  afterEach(() => database.close());

  /** Commits what deliveries of one webhook say of it, in this order, a millisecond apart. */
  const commit = async (...said: readonly Said[]) => {
    const { storage, tables } = database;
    const unused = (): never => {
      throw new Error('nothing is posted here');
    };
    const context = { storage, tables, clock, statements: webhookStatements(tables), log: { warn: () => undefined } };
    const dispatcher = deliveryDispatcher(context, {
      receivers: { load: unused, forget: () => undefined },
      bodiesOf: unused,
      poster: { post: unused },
      steps: { attempt: unused, resumeWrites: unused, wakes: [] },
      hasOtherOwnersDue: async () => false,
      onDisabled: () => {
        disabled += 1;
      },
    });
    const outcomes = said.map((receiver, at): DeliveryOutcome => {
      const row: Claimed<LeasedDelivery> = {
        ...{ scopeId: SCOPE.scopeId, id: rowId(`d${at}`), webhookId: WEBHOOK, eventId: rowId(`e${at}`), step: null },
        ...{ trigger: 'schedule', attempts: 0, attemptLog: [], fence: 1 },
      };
      const state = { status: 'delivered', reason: null, trigger: 'schedule', attempts: 1, attemptLog: [] } as const;
      const ended = { ...state, finishedAt: clock.now(), dueAt: null };
      return { kind: 'settled', row, state: ended, receiver, at: new Date(clock.now().getTime() + at) };
    });
    await dispatcher.commit(outcomes);
    const rows = await storage.db.select().from(tables.webhooks);
    const [webhook, other] = [WEBHOOK, OTHER].map((id) => rows.find((row) => row.id === id));
    expect(other).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
    const since = webhook?.failingSince;
    return [webhook?.isActive, webhook?.disabledReason, since ? since.getTime() - clock.now().getTime() : null];
  };

  const switchedOff = (reason: DisabledReason, ms: number) => [false, reason, ms];

  it('one 410 in a commit disables the webhook, whatever the other outcomes', async () => {
    expect(await commit('works', 'gone')).toEqual(switchedOff('gone', 1));
    expect(disabled).toBe(1);
  });

  it('a 410 before a success in one commit disables the webhook', async () => {
    expect(await commit('gone', 'works', null, 'fails')).toEqual(switchedOff('gone', 0));
  });

  it('a 410 beside a failure of 120 hours disables the webhook as gone', async () => {
    expect(await commit('failing', 'fails', 'gone')).toEqual(switchedOff('gone', 2));
  });

  it('a success beside a failure of 120 hours keeps the webhook active', async () => {
    expect(await commit('failing', 'works', 'fails')).toEqual([true, null, null]);
  });

  it('a failure of 120 hours disables the webhook as failing', async () => {
    expect(await commit('fails', 'failing')).toEqual(switchedOff('failing', 1));
  });

  it('the first failure of a commit sets failingSince', async () => {
    expect(await commit(null, 'fails', 'fails')).toEqual([true, null, 1]);
  });
});
