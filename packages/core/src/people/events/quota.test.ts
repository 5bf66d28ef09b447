import { beforeEach, describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import { localWake } from '../../database/wake.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { type Plan, planTable } from '../../platform/plans/plan.ts';
import { planStatements } from '../../platform/plans/statements.ts';
import { type Entry, type Item, newDraft } from './pipeline.ts';
import { quotas } from './quota.ts';

const NOW = new Date('2026-02-10T12:00:00.000Z');
const FREE = planTable().least;
const hot = planStatements(tablesOf('sqlite'));
const scopeOfOrg = (orgId: string): Scope => testScope({ orgId, projectId: 'app', environment: 'prod' });

type Usage = { orgId: string; month: string; slot: number; events: number };

describe('the quota reaction', () => {
  let stored: Usage[];
  let reads: number;
  let plansOf: Record<string, Plan>;
  let made: number;
  const clock = virtualClock(NOW);
  beforeEach(() => {
    stored = [];
    reads = 0;
    made = 0;
    plansOf = { free: FREE };
    clock.set(NOW);
  });

  const unlimited = planTable([]).least;
  const planOf = (orgId: string): Plan => plansOf[orgId] ?? unlimited;
  const engine = (dialect: 'sqlite' | 'postgres' = 'sqlite') => {
    // Safe: the reaction only reads.
    const storage = {
      dialect: { name: dialect },
      outsideTransaction: <T>(work: () => T): T => work(),
      wake: localWake(),
      select: async (_: unknown, keys: readonly unknown[]) => {
        if (keys.length > 0) reads += 1;
        return stored.filter(({ orgId, month }) => keys.some((key) => String(key) === `${orgId},${month}`));
      },
    } as unknown as Parameters<typeof quotas>[0]['storage'];
    const plans = {
      of: async (orgId: string) => planOf(orgId),
      load: async () => planOf,
    };
    return quotas({ storage, hot, plans, clock });
  };
  const item = (change: Partial<Item> = {}, orgId = 'free'): Item => {
    made += 1;
    return {
      scope: scopeOfOrg(orgId),
      kind: 'event',
      id: `0000${made}`,
      userId: 'ann',
      anonymousId: null,
      module: 'app',
      eventType: 'opened',
      properties: {},
      traits: null,
      context: null,
      sessionId: null,
      messageId: null,
      timestamp: NOW,
      receivedAt: NOW,
      depth: 0,
      ...change,
    };
  };
  const run = async (
    { reaction }: ReturnType<typeof engine>,
    items: readonly Item[],
    { isFirstTry = true, isJoined = false, share = items.length, repeats = {} as Record<string, string> } = {},
  ) => {
    const loaded = await reaction.load(items, { isFirstTry, isJoined });
    const draft = newDraft(items.slice(0, share), NOW);
    for (const entry of draft.entries) {
      entry.duplicateOf = repeats[entry.item.id] ?? null;
      if (entry.duplicateOf === null) draft.writes.push({ bulk: hot.count, row: {}, tag: entry.item.id });
    }
    await reaction.plan(draft, loaded);
    const counts: Record<string, unknown>[] = draft.writes
      .filter(({ tag }) => tag.startsWith('org/'))
      .map(({ row, tag }) => ({ ...row, tag }));
    const ids = ({ item: { id } }: Entry): string => id;
    return {
      counts,
      left: draft.entries.map(ids),
      refused: draft.refused,
      others: draft.writes.length - counts.length,
    };
  };
  const used = (events: number, change: Partial<Usage> = {}): void =>
    void stored.push({ orgId: 'free', month: '2026-02', slot: 0, events, ...change });
  const idsOf = (items: readonly Item[]): string[] => items.map(({ id }) => id);

  it('only client events are counted, in one row per org and month', async () => {
    const old = new Date('2026-01-31T23:59:59.999Z');
    const kinds = (['event', 'identify', 'raised', 'changed'] as const).map((kind) => item({ kind }));
    const { counts } = await run(engine(), [...kinds, item({ receivedAt: old }), item({}, 'other')]);
    expect(counts).toEqual([
      { orgId: 'free', month: '2026-02', slot: 0, events: 2, maxEvents: 10_000, tag: 'org/free' },
      { orgId: 'free', month: '2026-01', slot: 0, events: 1, maxEvents: 10_000, tag: 'org/free' },
      { orgId: 'other', month: '2026-02', slot: 1, events: 1, maxEvents: Number.MAX_SAFE_INTEGER, tag: 'org/other' },
    ]);
  });

  it('the 10,000th event passes; the next is rejected until the month ends', async () => {
    used(9_999);
    const items = [item(), item()];
    const { left, refused, counts, others } = await run(engine(), items);
    expect([left, counts, others]).toEqual([[items[0]?.id], [expect.objectContaining({ events: 1 })], 1]);
    expect(refused.get(items[1]?.id ?? '')).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('is used up: 10000 events.'),
      details: { reason: 'quota', limit: 10_000, retryAfterSeconds: 19 * 86_400 - 12 * 3_600 },
    });
  });

  it('a request is accepted or rejected as a whole; a later request that fits is accepted', async () => {
    used(9_995);
    const batch = Array.from({ length: 6 }, () => item({ request: 'r' }));
    const items = [...batch, item(), ...Array.from({ length: 4 }, () => item({ request: 's' })), item()];
    const { left, refused } = await run(engine(), items);
    expect(left).toEqual(idsOf(items.slice(6, 11)));
    expect([...refused.keys()]).toEqual([...idsOf(batch), items[11]?.id]);
  });

  it('the first commit of a split request requires quota for all of it and counts its own events', async () => {
    used(9_994);
    const batch = Array.from({ length: 6 }, () => item({ request: 'r' }));
    expect((await run(engine(), batch, { share: 2 })).counts).toMatchObject([{ events: 2 }]);
    used(1, { slot: 3 });
    expect((await run(engine(), batch, { share: 2 })).left).toEqual([]);
  });

  it('duplicates of stored events pass; duplicates of rejected events are rejected', async () => {
    used(9_999);
    const items = [item({ request: 'r' }), item({ request: 'r' }), item(), item()] as const;
    const repeats = { [items[0].id]: 'stored long ago', [items[3].id]: items[2].id };
    const { left, refused, counts } = await run(engine(), items, { repeats });
    expect([left, [...refused.keys()]]).toEqual([idsOf(items.slice(0, 2)), idsOf(items.slice(2))]);
    expect(counts).toMatchObject([{ events: 1 }]);
  });

  it('a new quota includes the events counted before the org had one', async () => {
    used(4_000, { slot: 7 });
    used(5_999);
    const { counts, left } = await run(engine(), [item(), item()]);
    expect([left.length, counts]).toEqual([1, [expect.objectContaining({ slot: 0, events: 1, maxEvents: 6_000 })]]);
  });

  it('usage is read every 10 s or after a failed guard, and never for orgs without a quota', async () => {
    const one = engine();
    const look = (more?: object) => run(one, [item()], more);
    await run(one, [item({}, 'other')]);
    expect(reads).toBe(0);
    await look();
    used(10_000);
    expect((await look()).left).toHaveLength(1);
    expect((await look({ isFirstTry: false })).left).toHaveLength(0);
    expect((await look()).left).toHaveLength(0);
    expect(reads).toBe(2);
    clock.advance(10_000);
    await look();
    expect(reads).toBe(3);
  });

  it('an org without quota rotates through several rows; each host transaction has its own', async () => {
    const one = engine('postgres');
    const slots = async (more?: object) => (await run(one, [item({ id: '0000abc' }, 'other')], more)).counts[0];
    const seen = new Set<unknown>();
    for (let round = 0; round < 32; round += 1) seen.add((await slots())?.['slot']);
    expect([seen.size, seen.has(0)]).toEqual([16, false]);
    expect(await slots({ isJoined: true })).toMatchObject({ slot: 1_000 + 0xabc });
  });

  it('isBounded is known once findBounded was called', async () => {
    const one = engine();
    const { isBounded, findBounded } = one;
    expect([isBounded('free'), await findBounded('free'), isBounded('free')]).toEqual([false, true, true]);
    expect([await findBounded('other'), isBounded('other')]).toEqual([false, false]);
    plansOf = {};
    await run(one, [item()]);
    expect([findBounded('free'), isBounded('free')]).toEqual([false, false]);
  });
});
