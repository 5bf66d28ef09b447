import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope, testScopes } from '../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { hourOf, QUARTERS, quarterOf } from './quarters.ts';
import { sendQuarterStore } from './sends/store.ts';
import { analyticsStore } from './store.ts';
import { sweeper } from './sweep.ts';

const NOW = new Date('2026-11-01T12:07:00.000Z');
const SHORT = testScope({ orgId: 'keeps-one-day', projectId: 'p', environment: 'prod' });
const LONG = testScope({ orgId: 'keeps-two-days', projectId: 'p', environment: 'prod' });
const DAYS = new Map([
  [SHORT.orgId, 1],
  [LONG.orgId, 2],
]);
const HOUR_MS = 3_600_000;

describe('expired roll-ups', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock(NOW);
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const sweep = () => {
    const context = { db: database.storage.db, tables: database.tables };
    return sweeper({
      clock,
      store: analyticsStore(context),
      sendQuarters: sendQuarterStore(context),
      scopes: testScopes,
      scopeIdsOfAll: async () => [SHORT.scopeId, LONG.scopeId],
      retentionDays: async (orgId) => DAYS.get(orgId) ?? 0,
    });
  };
  /** One event and one user in every hour, and one send in every quarter hour of the last three days. */
  const fill = async ({ scopeId }: Scope): Promise<void> => {
    const last = quarterOf(NOW.getTime());
    const quarters = Array.from({ length: 3 * 24 * QUARTERS }, (_, at) => last - at);
    const hours = [...new Set(quarters.map(hourOf))];
    const { eventHours, activeHours, sendQuarters } = database.tables;
    const names = { eventType: 'seen', module: 'app', source: 'customer' };
    const { db } = database.storage;
    await db
      .insert(eventHours)
      .values(hours.map((hour) => ({ scopeId, hour, ...names, quarter0: 1, quarter1: 1, quarter2: 1, quarter3: 1 })));
    await db.insert(activeHours).values(hours.map((hour) => ({ scopeId, hour, sampleLevel: 0, sample: '' })));
    const none = { delivered: 0, opened: 0, clicked: 0, bounced: 0, failed: 0, suppressed: 0 };
    const of = { channel: 'email', templateId: 'none', workflowId: 'none', targeted: 1, sent: 1, ...none } as const;
    for (let from = 0; from < quarters.length; from += 100)
      await db
        .insert(sendQuarters)
        .values(quarters.slice(from, from + 100).map((quarter) => ({ scopeId, quarter, ...of })));
  };
  /** The oldest remaining row of each kind as a time: hours of events and users, quarters of sends. */
  const oldest = async ({ scopeId }: Scope): Promise<string[]> => {
    const { eventHours, activeHours, sendQuarters } = database.tables;
    const { db } = database.storage;
    const own = <Row extends { readonly scopeId: number }>(rows: readonly Row[]): Row[] =>
      rows.filter((row) => row.scopeId === scopeId);
    const first = (starts: readonly number[]): string => new Date(Math.min(...starts)).toISOString().slice(5, 16);
    return [
      first(own(await db.select().from(eventHours)).map(({ hour }) => hour * HOUR_MS)),
      first(own(await db.select().from(activeHours)).map(({ hour }) => hour * HOUR_MS)),
      first(own(await db.select().from(sendQuarters)).map(({ quarter }) => (quarter * HOUR_MS) / QUARTERS)),
    ];
  };
  const emptied = async (step: () => Promise<boolean>): Promise<void> => {
    while (await step());
  };

  it('roll-ups are deleted to the hour, and those of sends to the quarter hour, by the plan of each organization', async () => {
    await fill(SHORT);
    await fill(LONG);
    await emptied(sweep());
    // 12:07 a day ago: the hour and quarter of that time stay, earlier ones are deleted.
    expect(await oldest(SHORT)).toEqual(['10-31T12:00', '10-31T12:00', '10-31T12:00']);
    expect(await oldest(LONG)).toEqual(['10-30T12:00', '10-30T12:00', '10-30T12:00']);
  });

  it('expired roll-ups are deleted within an hour after the last of them expired', async () => {
    await fill(SHORT);
    const step = sweep();
    clock.set('2026-11-01T12:59:59.999Z');
    await emptied(step);
    expect(await oldest(SHORT)).toEqual(['10-31T12:00', '10-31T12:00', '10-31T12:45']);
    // Checked once an hour.
    clock.set('2026-11-01T13:59:59.998Z');
    await emptied(step);
    expect(await oldest(SHORT)).toEqual(['10-31T12:00', '10-31T12:00', '10-31T12:45']);
    clock.set('2026-11-01T13:59:59.999Z');
    await emptied(step);
    expect(await oldest(SHORT)).toEqual(['10-31T13:00', '10-31T13:00', '10-31T13:45']);
    await emptied(sweep());
    clock.set('2026-11-01T14:00:00.000Z');
    await emptied(sweep());
    expect(await oldest(SHORT)).toEqual(['10-31T14:00', '10-31T14:00', '10-31T14:00']);
  });
});
