import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { scopeLike, testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Storage } from '../../database/storage.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { userPerson } from '../../foundation/person.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import { dedupe } from '../events/dedupe.ts';
import { eventsEngine } from '../events/events.ts';
import { bindReaction, newDraft, type PersonChange, type PersonView, type Reaction } from '../events/pipeline.ts';
import { eventStatements } from '../events/statements.ts';
import { storeEvents } from '../events/store-events.ts';
import { profilesEngine } from './profiles.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const START = '2026-03-01T10:00:00.000Z';

const isPro = (view: PersonView | null): boolean => view?.traits?.['plan'] === 'pro';

/** A process that counts profiles with plan pro by their published changes, as an audience does. */
const countingProcess = (database: TestDatabase, clock: VirtualClock, asks: (scope: Scope) => boolean = () => true) => {
  let count = 0;
  let planned = 0;
  let published: readonly PersonChange[] = [];
  // Only committed plans count.
  const storage: Storage = {
    ...database.storage,
    commit: async (plan) => {
      const delta = planned;
      const result = await database.storage.commit(plan);
      if (result.ok) count += delta;
      return result;
    },
  };
  const counting: Reaction<void> = {
    name: 'pro',
    needsTraits:
      async () =>
      ({ scope }) =>
        asks(scope),
    load: async () => undefined,
    plan: (draft) => {
      published = [...draft.people.values()];
      planned = published.reduce((sum, { before, after }) => sum + Number(isPro(after)) - Number(isPro(before)), 0);
    },
  };
  const hot = eventStatements(database.tables);
  const profiles = profilesEngine({ storage, tables: database.tables });
  const behind = [bindReaction(counting)];
  const events = eventsEngine({
    storage,
    tables: database.tables,
    clock,
    ids: uuidV7Ids(clock),
    reactions: [
      bindReaction(dedupe(storage, hot)),
      bindReaction(profiles.reactionBefore(behind)),
      bindReaction(storeEvents(hot)),
      ...behind,
    ],
  });
  return { events, profiles, count: () => count, published: () => published };
};

describe('published profile changes', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  const statements: string[] = [];
  beforeEach(async () => {
    clock = virtualClock(START);
    database = await openTestDatabase({ observer: { statement: (id) => statements.push(id) } });
  });
  afterEach(() => database.close());
  const process = (asks?: (scope: Scope) => boolean) => countingProcess(database, clock, asks);
  const stored = async () => database.storage.db.select().from(database.tables.profiles);
  const views = ({ before, after }: PersonChange) => [before?.traits ?? null, after?.traits ?? null];

  it('a batch publishes new, changed and unchanged profiles', async () => {
    const { events, published } = process();
    await events.identify(scope, { userId: 'ann', traits: { plan: 'free' } });
    expect(published()).toMatchObject([
      { scope, person: 'u:ann', before: null, after: { version: 1, traits: { plan: 'free' } } },
    ]);
    await events.identify(scope, { userId: 'ann', traits: { plan: 'pro', city: 'Ghent' } });
    expect(published()).toMatchObject([
      {
        before: { version: 1, traits: { plan: 'free' } },
        after: { version: 2, traits: { plan: 'pro', city: 'Ghent' } },
      },
    ]);
    clock.advance(90_000);
    await events.track(scope, { module: 'm', eventType: 'seen', userId: 'ann', context: { locale: 'nl' } });
    expect(published()).toMatchObject([
      {
        before: { version: 2, locale: null, lastSeenAt: new Date(START), traits: { plan: 'pro' } },
        after: { version: 2, locale: 'nl', lastSeenAt: clock.now(), traits: { plan: 'pro' } },
      },
    ]);
    const [row] = await stored();
    expect(row).toMatchObject({ version: 2, locale: 'nl', lastSeenAt: clock.now() });
  });

  it('a merge publishes the end of the anonymous profile and the merged user', async () => {
    const { events, profiles, published } = process();
    await events.track(scope, { module: 'm', eventType: 'seen', anonymousId: 'a1' });
    const [anonymous] = (await profiles.load([{ ...scopeOf(scope), person: 'a:a1' }])).values();
    const draft = newDraft([], clock.now());
    const key = { ...scopeOf(scope), person: 'a:a1' };
    profiles.putTraits(draft, { key, stored: anonymous, next: { traits: { plan: 'pro' }, isTruncated: false } }, 't');
    await database.storage.commit({ writes: draft.writes });
    await events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: { city: 'Ghent' } });
    const shown = new Map(published().map((change) => [change.person, views(change)]));
    expect(shown).toEqual(
      new Map([
        ['a:a1', [{ plan: 'pro' }, null]],
        ['u:ann', [null, { city: 'Ghent', plan: 'pro' }]],
      ]),
    );
    expect(published().find(({ person }) => person === 'a:a1')).toMatchObject({ before: { version: 2 }, after: null });
  });

  it('profiles have no traits and cost no read in scopes where no reaction needs them', async () => {
    const { events, published } = process(({ environment }) => environment === 'prod');
    await events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } });
    statements.length = 0;
    await events.track(scope, { module: 'm', eventType: 'seen', userId: 'ann' });
    expect(statements).toContain('profiles.seen');
    expect(statements).not.toContain('profiles.full');
    expect(published()).toMatchObject([{ person: 'u:ann', before: { version: 1 }, after: { version: 1 } }]);
    expect(published().map(views)).toEqual([[null, null]]);
    const prod = scopeLike(scope, { environment: 'prod' });
    await events.identify(prod, { userId: 'ann', traits: { plan: 'pro' } });
    await events.track(prod, { module: 'm', eventType: 'seen', userId: 'ann' });
    expect(published().map(views)).toEqual([[{ plan: 'pro' }, { plan: 'pro' }]]);
  });

  it('a profile named only by a duplicate is not published', async () => {
    const { events, published } = process();
    await events.identify(scope, { userId: 'ann', traits: { plan: 'pro' }, messageId: 'm1' });
    const again = events.identify(scope, { userId: 'ann', traits: { plan: 'free' }, messageId: 'm1' });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(published()).toEqual([]);
  });

  it('counts from published changes equal a recount under random operations of two processes', async () => {
    const users = fc.constantFrom('ann', 'bob', 'eve');
    const anonymous = fc.constantFrom('a1', 'a2', 'a3', 'a4');
    const traits = fc.constantFrom({}, { plan: 'pro' }, { plan: 'free' }, { plan: null }, { city: 'Ghent' });
    const messageId = fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined });
    const call = fc.oneof(
      fc.record({ kind: fc.constant('identify' as const), userId: users, traits, messageId }),
      fc.record({ kind: fc.constant('merge' as const), userId: users, anonymousId: anonymous, traits, messageId }),
      fc.record({ kind: fc.constant('event' as const), userId: users, traits, messageId }),
      fc.record({ kind: fc.constant('anonymous' as const), anonymousId: anonymous, messageId }),
      fc.record({ kind: fc.constant('step' as const), anonymousId: anonymous, traits }),
    );
    const rounds = fc.array(fc.array(call, { maxLength: 8 }), { maxLength: 6 });
    let project = 0;
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        project += 1;
        const where = scopeLike(scope, { projectId: `p${project}` });
        const two = [process(), process()];
        let bySteps = 0;
        /** A step `update_profile` of an anonymous profile, which can get traits in no other way. */
        const step = async (anonymousId: string, patch: Readonly<Record<string, unknown>>): Promise<void> => {
          const { profiles } = two[0] ?? process();
          const key = { ...scopeOf(where), person: `a:${anonymousId}` };
          const [before] = (await profiles.load([key])).values();
          if (!before) return;
          const draft = newDraft([], clock.now());
          const left = { traits: { ...before.traits, ...patch }, isTruncated: false };
          profiles.putTraits(draft, { key, stored: before, next: left }, 'person');
          const written = await database.storage.commit({ writes: draft.writes });
          if (!written.ok) return;
          for (const change of draft.people.values())
            bySteps += Number(isPro(change.after)) - Number(isPro(change.before));
        };
        for (const round of all)
          await Promise.allSettled(
            round.map(({ kind, ...body }, at) => {
              const events = two[at % 2]?.events;
              if (kind === 'step' && 'anonymousId' in body)
                return step(body.anonymousId, 'traits' in body ? body.traits : {});
              return kind === 'identify' || kind === 'merge'
                ? events?.identify(where, unchecked(body))
                : events?.track(where, { module: 'm', eventType: 'seen', ...body });
            }),
          );
        const rows = (await stored()).filter(({ scopeId }) => scopeId === where.scopeId);
        const recounted = rows.filter((row) => row.traits['plan'] === 'pro').length;
        expect((two[0]?.count() ?? 0) + (two[1]?.count() ?? 0) + bySteps).toBe(recounted);
        await Promise.all(two.map(({ events }) => events.close()));
      }),
      { numRuns: 40 },
    );
  });
});

describe('putTraits', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());
  const now = new Date(START);
  const key = { ...scopeOf(scope), person: userPerson('ann') };

  it('putTraits creates or changes a profile and publishes it before and after', async () => {
    const profiles = profilesEngine(database);
    const put = async (traits: Readonly<Record<string, unknown>>, stored = true) => {
      const before = stored ? (await profiles.load([key])).values().next().value : undefined;
      const draft = newDraft([], now);
      profiles.putTraits(draft, { key, stored: before, next: { traits, isTruncated: false } }, 'ann');
      return { result: await database.storage.commit({ writes: draft.writes }), people: draft.people };
    };
    const made = await put({ plan: 'free' });
    expect(made.result).toEqual({ ok: true });
    expect([...made.people.values()]).toMatchObject([{ person: 'u:ann', before: null, after: { version: 1 } }]);
    const changed = await put({ plan: 'pro' });
    expect([...changed.people.values()]).toMatchObject([
      { before: { version: 1, traits: { plan: 'free' } }, after: { version: 2, traits: { plan: 'pro' } } },
    ]);
    const [row] = await database.storage.db.select().from(database.tables.profiles);
    expect(row).toMatchObject({ traits: { plan: 'pro' }, version: 2, lastSeenAt: now });
    expect((await put({ plan: 'none' }, false)).result).toEqual({ ok: false, failed: new Set(['ann']) });
  });
});
