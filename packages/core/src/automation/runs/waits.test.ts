import { describe, expect, it, vi } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { tablesOf } from '../../app/tables.ts';
import { anonymousPerson, userPerson } from '../../foundation/person.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { type Item, newDraft, personTag } from '../../people/events/pipeline.ts';
import { runStatements } from './statements.ts';
import { wakeRuns } from './waits.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const now = new Date('2026-03-01T10:00:00.000Z');
const later = new Date(now.getTime() + 60_000);
const hot = runStatements(tablesOf('sqlite'));

const itemOf = (over: Partial<Item> = {}): Item => ({
  scope,
  kind: 'event',
  id: 'e',
  userId: 'ann',
  anonymousId: null,
  module: 'm',
  eventType: 'paid',
  properties: {},
  traits: null,
  context: null,
  sessionId: null,
  messageId: null,
  timestamp: now,
  receivedAt: now,
  depth: 0,
  ...over,
});
const waitingRun = (over: Readonly<Record<string, unknown>> = {}) => ({
  ...scopeOf(scope),
  id: 'r',
  person: userPerson('ann'),
  cursor: '0',
  awaitsEvent: 'paid',
  awaitsFilters: null,
  waitingSince: now,
  dueAt: later,
  ...over,
});

/** Reads and writes of the reaction for items with resolved profiles. */
const woken = async (
  items: readonly Item[],
  {
    rows = [waitingRun()],
    awaited = ['paid'],
    users = {},
    people = items.map(({ userId, anonymousId }) =>
      userId === null ? anonymousPerson(anonymousId ?? '') : userPerson(userId),
    ),
    merges = [],
    duplicates = [],
  }: {
    rows?: readonly object[];
    awaited?: readonly string[];
    users?: Readonly<Record<string, string>>;
    people?: readonly string[];
    merges?: readonly { from: string; to: string }[];
    duplicates?: readonly number[];
  } = {},
) => {
  // Safe: the reaction only reads waits.
  const select = vi.fn(
    async (_: unknown, keys: readonly (readonly unknown[])[]) => (keys.length > 0 ? rows : []) as never,
  );
  const usersOf = vi.fn(
    async () => new Map(Object.entries(users).map(([id, user]) => [personTag(scope, anonymousPerson(id)), user])),
  );
  const reaction = wakeRuns({
    storage: { select },
    hot,
    loadAwaited: async () => (_, eventType) => awaited.includes(eventType),
    usersOf,
  });
  const loaded = await reaction.load(items, { isFirstTry: true, isJoined: false });
  const draft = newDraft(items, now);
  for (const [at, entry] of draft.entries.entries()) {
    entry.person = people[at] ?? '';
    if (duplicates.includes(at)) entry.duplicateOf = 'another';
  }
  draft.merges.push(...merges.map((merge) => ({ scope, ...merge })));
  await reaction.plan(draft, loaded);
  return {
    select,
    usersOf,
    /** Profiles whose waits were read. */
    asked: select.mock.calls.flatMap(([, keys]) => keys.map(([, person]) => person)),
    rows: draft.writes.map(({ row }) => row),
    wakes: [...draft.wakes],
  };
};

describe('wakeRuns', () => {
  it('a waiting run becomes due with its event', async () => {
    const { rows, wakes } = await woken([itemOf({ properties: { amount: 5 } })]);
    const wokenBy = { id: 'e', eventType: 'paid', properties: { amount: 5 } };
    expect(rows).toEqual([{ ...scopeOf(scope), id: 'r', cursor: '0', waitingSince: now, dueAt: now, wokenBy }]);
    expect(wakes).toEqual(['runs']);
  });

  it('events that no workflow awaits, and changed profiles, cost no statement', async () => {
    const { select, usersOf, rows } = await woken([
      itemOf({ eventType: 'seen' }),
      itemOf({ userId: null, anonymousId: 'x', eventType: 'seen' }),
      itemOf({ kind: 'changed' }),
    ]);
    expect([select.mock.calls, usersOf.mock.calls, rows]).toEqual([[], [], []]);
  });

  it('waits of all events are read with one statement', async () => {
    const { select } = await woken(Array.from({ length: 100 }, (_, at) => itemOf({ userId: `u${at % 10}` })));
    expect(select).toHaveBeenCalledTimes(1);
    expect(select.mock.calls[0]?.[1]).toHaveLength(10);
  });

  it.each([
    ['another value', { plan: 'free' }],
    ['no such property', {}],
    ['an inherited one', Object.create({ plan: 'pro' })],
    ['an object', { plan: {} }],
  ])('a run keeps waiting if the event has %s', async (_, properties) => {
    expect(
      (await woken([itemOf({ properties })], { rows: [waitingRun({ awaitsFilters: { plan: 'pro' } })] })).rows,
    ).toEqual([]);
  });

  it('filters compare numbers and booleans as text, like triggers', async () => {
    const filters = { n: '1', yes: 'true' };
    const properties = { n: 1, yes: true };
    const { rows } = await woken([itemOf({ properties })], { rows: [waitingRun({ awaitsFilters: filters })] });
    expect(rows).toHaveLength(1);
  });

  it('a run is resumed once, by the first matching event of a batch', async () => {
    const items = ['a', 'b', 'c'].map((id) => itemOf({ id, properties: { ok: id !== 'a' } }));
    const { rows } = await woken(items, { rows: [waitingRun({ awaitsFilters: { ok: 'true' } })] });
    expect(rows).toMatchObject([{ wokenBy: { id: 'b' } }]);
  });

  it('an event resumes all waiting runs of its profile', async () => {
    const { rows } = await woken([itemOf()], { rows: [waitingRun({ id: 'r' }), waitingRun({ id: 's' })] });
    expect(rows.map(({ id }) => id)).toEqual(['r', 's']);
  });

  it('duplicates and events after the timeout resume nothing', async () => {
    expect((await woken([itemOf()], { duplicates: [0] })).rows).toEqual([]);
    expect((await woken([itemOf({ receivedAt: later })])).rows).toEqual([]);
    expect((await woken([itemOf()], { rows: [waitingRun({ dueAt: null })] })).rows).toEqual([]);
  });

  it("a wait of a merged anonymous profile is resumed by the user's events", async () => {
    const item = itemOf({ userId: null, anonymousId: 'x' });
    const { asked, rows } = await woken([item], { users: { x: 'ann' }, people: [userPerson('ann')] });
    expect(asked).toEqual([anonymousPerson('x'), userPerson('ann')]);
    expect(rows).toHaveLength(1);
  });

  it('a wait of a profile merged in the same batch is resumed', async () => {
    const identify = itemOf({ kind: 'identify', id: 'i', anonymousId: 'x', eventType: 'identify' });
    const { asked, rows } = await woken([identify, itemOf()], {
      rows: [waitingRun({ person: anonymousPerson('x') })],
      merges: [{ from: anonymousPerson('x'), to: userPerson('ann') }],
    });
    expect(asked).toEqual([userPerson('ann'), anonymousPerson('x')]);
    expect(rows).toMatchObject([{ id: 'r', wokenBy: { id: 'e' } }]);
  });

  it('waits of other scopes and profiles are unchanged', async () => {
    const rows = [waitingRun({ scopeId: scope.scopeId + 1 }), waitingRun({ person: userPerson('bob') })];
    expect((await woken([itemOf()], { rows })).rows).toEqual([]);
  });
});
