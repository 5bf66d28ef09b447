// Keeps memberships up to date during ingest. Relies on this: anything that a predicate mentions, and every membership
// row, changes only in a commit that also increments the profile's version under a guard. Concurrent evaluations of one
// profile therefore conflict, and the loser retries.

import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import { anonymousPerson, userIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type SpendWork, spendWork } from '../../jobs/concurrency/work-slices.ts';
import { type Emitter, type LoadedEmitter, NO_CAUSE } from '../events/emit.ts';
import {
  freshEntries,
  type IngestDraft,
  type Item,
  type NeedsTraits,
  type PersonView,
  personTag,
  type Reaction,
} from '../events/pipeline.ts';
import { EXTERNAL_BUDGET } from '../events/run-budget.ts';
import type { People } from '../profiles/people.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { Counting, Tallies } from './counts.ts';
import type { AudienceIndex, AudienceIndexOf, Definitions } from './definitions.ts';
import { evaluatedOf, evaluatorOf } from './evaluate.ts';
import { CHECKS, checkAt, raiseDelta, rowsOf } from './membership-changes.ts';
import { concernedBy, concernsOf, factsOfChange, unitsOfConcerns } from './person.ts';
import type { AudienceStatements } from './statements.ts';

export type MembershipDeps = {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: AudienceStatements;
  readonly people: Pick<People, 'usersOf' | 'versions' | 'bumpVersion'>;
  readonly definitions: Pick<Definitions, 'load'>;
  readonly counting: Counting;
  readonly emitter: Emitter;
  /** Decides for which items another module, such as triggers, needs memberships; reads a cache. */
  readonly triggersOn: (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;
};

type Loaded = {
  readonly indexOf: AudienceIndexOf;
  readonly emission: LoadedEmitter;
  /** Membership rows that were read, by `personTag`. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  /** Profile versions read before the rows; missing profiles are omitted. */
  readonly versions: ReadonlyMap<string, number>;
  readonly count: (draft: IngestDraft) => Promise<Tallies>;
  /** Org of a scope, by its key. */
  readonly orgs: ReadonlyMap<number, string>;
  readonly spend: SpendWork;
} | null;

const NO_ROWS: ReadonlySet<string> = new Set();

const isMerge = ({ kind, userId, anonymousId }: Item): boolean =>
  kind === 'identify' && userId !== null && anonymousId !== null;

/** Whether an item may change a membership, judging by the item only. Throws nothing. */
export const mayConcern = (index: AudienceIndex, item: Item): boolean => {
  if (index.dynamic.length === 0) return false;
  const { kind, traits, userId, context, eventType } = item;
  if (kind === 'changed' || isMerge(item) || index.byEvent.has(eventType)) return true;
  if (kind !== 'raised' && index.byField.size > 0) {
    if (index.byField.has('lastSeenAt')) return true;
    if ((index.byField.has('locale') || index.byField.has('timezone')) && context !== null) return true;
  }
  return traits !== null && userId !== null && Object.keys(traits).some((name) => index.byTrait.has(name));
};

export const keepMembership = (deps: MembershipDeps): Reaction<Loaded> & { readonly needsTraits: NeedsTraits } => {
  const { storage, hot, definitions, counting, emitter } = deps;

  /** All profiles of the items, as far as stored aliases tell. */
  const peopleIn = async (items: readonly Item[]): Promise<PersonKey[]> => {
    const people = new Map<string, PersonKey>();
    const add = (scope: InScope, person: string): void => {
      people.set(personTag(scope, person), { ...scopeOf(scope), person });
    };
    const anonymous = new Map<string, SelectKey>();
    for (const { scope, userId, anonymousId } of items) {
      if (userId !== null) add(scope, userPerson(userId));
      if (anonymousId === null) continue;
      add(scope, anonymousPerson(anonymousId));
      anonymous.set(personTag(scope, anonymousPerson(anonymousId)), [scopeKey(scope), anonymousId]);
    }
    if (anonymous.size > 0)
      for (const row of await deps.people.usersOf([...anonymous.values()])) add(row, userPerson(row.userId));
    return [...people.values()];
  };

  /** Increments the profile's version unless another write of the batch does. */
  const bumpVersion = (
    draft: IngestDraft,
    tag: string,
    key: PersonKey,
    before: PersonView | null,
    after: PersonView,
  ): void => {
    if (before !== null && after.version === before.version)
      draft.writes.push(deps.people.bumpVersion({ ...key, version: before.version }, tag));
  };
  const checkNow = (...[draft, tag, key, before, after]: Parameters<typeof bumpVersion>): void => {
    bumpVersion(draft, tag, key, before, after);
    draft.writes.push(checkAt(hot, key, draft.now));
    draft.wakes.add(CHECKS);
  };

  return {
    name: 'audiences',
    needsTraits: async (scopes) => {
      const indexOf = await definitions.load(scopes);
      return (item) => mayConcern(indexOf(item.scope), item);
    },
    load: async (items, round) => {
      const { spend = spendWork } = round;
      const scopes = [...new Map(items.map(({ scope }) => [scopeKey(scope), scope])).values()];
      const [indexOf, isAsked, isCounted] = await Promise.all([
        definitions.load(scopes, !round.isFirstTry),
        deps.triggersOn(scopes),
        counting.isCounted(scopes),
      ]);
      const read = items.filter(
        (item) =>
          mayConcern(indexOf(item.scope), item) || (item.kind !== 'changed' && isCounted(item)) || isAsked(item),
      );
      if (read.length === 0 && scopes.every((scope) => indexOf(scope).dynamic.length === 0)) return null;
      const [people, emission] = await Promise.all([peopleIn(read), emitter.load(scopes)]);
      const users = people.filter(({ person }) => userIdOf(person) !== null);
      const seen = await deps.people.versions(users);
      const [memberships, counts] = await Promise.all([
        storage.select(
          hot.memberships,
          users.map((key) => [scopeKey(key), key.person]),
        ),
        counting.ofBatch(items, people, (scope) => indexOf(scope).needed.logLeaves, spend),
      ]);
      const rows = new Map(users.map((key) => [personTag(key, key.person), new Set<string>()]));
      for (const row of memberships) rows.get(personTag(row, row.person))?.add(row.audienceId);
      const versions = new Map(seen.map((one) => [personTag(one, one.person), one.version]));
      const orgs = new Map(scopes.map((scope) => [scopeKey(scope), scope.orgId]));
      return { indexOf, emission, rows, versions, count: counts.plan, orgs, spend };
    },
    plan: async (draft, loaded) => {
      if (loaded === null) return;
      const { indexOf, emission, rows, versions, spend } = loaded;
      const tallies = await loaded.count(draft);
      const entries = entriesOf(draft);
      const merged = new Set(draft.merges.map(({ scope, to }) => personTag(scope, to)));
      const rowsAfter = new Map<string, ReadonlySet<string>>(rows);
      draft.isMember = (scope, person, audienceId) => rowsAfter.get(personTag(scope, person))?.has(audienceId) ?? false;
      for (const [tag, change] of draft.people) {
        const { scope, person, before, after } = change;
        const index = indexOf(scope);
        // Only users are members: anonymous profiles count once they are merged into a user.
        if (index.dynamic.length === 0 || after === null || userIdOf(person) === null) continue;
        const own = entries.get(tag) ?? [];
        const about = { events: own.map(({ item }) => item.eventType), isMerged: merged.has(tag) };
        const owner = loaded.orgs.get(scopeKey(scope));
        const concerns = concernsOf(index, { ...change, after }, about);
        const known = rows.get(tag);
        const rest = spend(unitsOfConcerns(index, concerns, known?.size ?? 0), owner);
        if (rest !== undefined) await rest;
        if (concerns.length === 0) continue;
        const key = { ...scopeOf(scope), person };
        // A new profile has no counts, and all of its traits are in the batch.
        const isBare = before === null && index.byEvent.size + index.byList.size === 0;
        const isRead = known !== undefined && (before === null || before.traits !== undefined);
        if (!isRead && !isBare) {
          checkNow(draft, tag, key, before, after);
          continue;
        }
        const seen = versions.get(tag) ?? 0;
        if (before !== null && before.version > seen) {
          // The rows may be older than the profile, which was read separately. This guard fails, so everything is read
          // again.
          draft.writes.push(deps.people.bumpVersion({ ...key, version: seen }, tag));
          continue;
        }
        const there = known ?? NO_ROWS;
        const { affected, deleted } = concernedBy(index, concerns, there);
        const facts = factsOfChange({ ...change, after }, { now: draft.now, tallyOf: tallies(key) });
        const evaluator = evaluatorOf(index, facts, there);
        const { joins, leaves, next } = await evaluatedOf(evaluator, affected, there, { spend, owner });
        const delta = { joins, leaves: [...leaves, ...deleted] };
        // The check reads the log, which contains this event by then.
        if (evaluator.lacksCounts()) {
          checkNow(draft, tag, key, before, after);
          continue;
        }
        bumpVersion(draft, tag, key, before, after);
        draft.writes.push(...rowsOf(hot, key, delta, draft.now, tag));
        if (next !== null) draft.writes.push(checkAt(hot, key, next));
        const isIn = new Set(there);
        for (const { id } of delta.joins) isIn.add(id);
        for (const { id } of delta.leaves) isIn.delete(id);
        rowsAfter.set(tag, isIn);
        const cause = own.reduce<Item | null>(
          (most, { item }) => (most && most.depth >= item.depth ? most : item),
          null,
        );
        const { depth, budget = EXTERNAL_BUDGET } = cause ?? NO_CAUSE;
        const context = { ...key, version: after.version, at: draft.now, depth, budget };
        const remaining = raiseDelta(draft, emission, context, delta);
        if (cause && remaining !== budget) draft.budgets.set(cause.id, remaining);
      }
    },
  };
};

const entriesOf = (draft: IngestDraft) =>
  Map.groupBy(freshEntries(draft), ({ item, person }) => personTag(item.scope, person));
