// Audiences (segments): static lists of users, and dynamic ones defined by a predicate. Each membership is a row, so
// that counting and sending to members are plain reads.

import type { Write, WriteSet } from '../../database/commit/write-set.ts';
import type { SelectKey } from '../../database/statements/bulk.ts';
import { userPerson } from '../../foundation/person.ts';
import {
  ENVIRONMENTS,
  type ProjectScope,
  type Scope,
  type ScopeNames,
  scopeKey,
  scopeOf,
} from '../../foundation/scope.ts';
import { type Eraser, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Emitter } from '../events/emit.ts';
import { bindReaction, type Item } from '../events/pipeline.ts';
import type { AudienceSummary } from '../profiles/answers.generated.ts';
import type { People } from '../profiles/people.ts';
import type { Profiles } from '../profiles/profiles.ts';
import type { AudiencesApi } from './api.ts';
import { buildRegistration } from './build.ts';
import { checkRegistration } from './checks.ts';
import { eventCounters } from './counting/counters.ts';
import type { EventLog } from './counting/from-log.ts';
import type { CountingTables } from './counting/tables.ts';
import { audienceDefinitions, type Definitions, type LoadOrgZones } from './definitions.ts';
import { audienceInsight } from './insight.ts';
import { matching } from './matching/matching.ts';
import { membershipDiff } from './matching/membership-diff.ts';
import type { ListChange } from './members.ts';
import { audienceMembers } from './members.ts';
import { keepMembership } from './membership.ts';
import { CHECKS, checkAt, raiseChanges } from './membership-changes.ts';
import { audienceRecords, type RecordDeps } from './records.ts';
import type { AudienceStatements } from './statements.ts';
import { audienceStatements } from './statements.ts';
import { audienceStore } from './store.ts';
import type { AudienceRow, AudienceTables } from './tables.ts';

/**
 * Effects of adding users to a static list or removing them: events, and checks of dynamic audiences that refer to the
 * list.
 */
const listChanges =
  ({
    hot,
    people,
    definitions,
    emitter,
  }: {
    readonly hot: AudienceStatements;
    readonly people: Pick<People, 'versions' | 'bumpVersion'>;
    readonly definitions: Definitions;
    readonly emitter: Emitter;
  }) =>
  async (
    scope: Scope,
    list: Pick<AudienceRow, 'id' | 'name'>,
    { direction, people: whom, at }: ListChange,
  ): Promise<WriteSet> => {
    if (whom.length === 0) return { writes: [] };
    const [indexOf, emission] = await Promise.all([definitions.load([scope], true), emitter.load([scope])]);
    const into = { writes: [] as Write[], wakes: new Set<string>() };
    const { id, name } = list;
    for (const person of whom)
      raiseChanges(into, emission, { ...scopeOf(scope), person, version: at.getTime(), at, depth: 0 }, direction, [
        { id, name },
      ]);
    if (indexOf(scope).byList.has(id)) {
      // A user without a profile is in no dynamic audience.
      for (const seen of await people.versions(whom.map((person) => ({ ...scopeOf(scope), person }))))
        into.writes.push(people.bumpVersion(seen, seen.person), checkAt(hot, seen, at));
      into.wakes.add(CHECKS);
    }
    return { writes: into.writes, wakes: [...into.wakes] };
  };

/**
 * The ids that are audiences of neither environment of the project. Workflow definitions serve both environments; an
 * audience belongs to one.
 */
const lackingAudiences =
  (definitions: Definitions, scopeOf: (names: ScopeNames) => Promise<Scope>) =>
  async ({ orgId, projectId }: ProjectScope, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (ids.length === 0) return new Set();
    const scopes = await Promise.all(ENVIRONMENTS.map((environment) => scopeOf({ orgId, projectId, environment })));
    const indexOf = await definitions.load(scopes, true);
    const isThere = (id: string): boolean =>
      scopes.some((scope) => indexOf(scope).byId.has(id) || indexOf(scope).lists.has(id));
    return new Set(ids.filter((id) => !isThere(id)));
  };

/** Cached definitions of audiences, for modules that are built before audiences. */
export const audienceDefinitionCache = ({
  storage,
  tables,
  clock,
  loadOrgZones,
}: Pick<Platform<AudienceTables>, 'storage' | 'tables' | 'clock'> & {
  readonly loadOrgZones: LoadOrgZones;
}): Definitions => audienceDefinitions({ storage, clock, hot: audienceStatements(tables), loadOrgZones });

/** What audiences need from other modules. */
export type AudienceNeeds = {
  readonly definitions: Definitions;
  /** The event log, from which new counters are backfilled. */
  readonly log: EventLog;
  readonly profiles: Pick<Profiles, 'people' | 'load'>;
  readonly emitter: Emitter;
  readonly scopeOf: (names: ScopeNames) => Promise<Scope>;
  /** Workflow definitions that refer to an audience. */
  readonly workflowsNaming: RecordDeps['workflowsNaming'];
  /** Decides for which items another module reads memberships. */
  readonly triggersOn: (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;
};

export const audiencesEngine = (
  { storage, tables, clock, ids }: Platform<AudienceTables & CountingTables>,
  { definitions, log, profiles, emitter, scopeOf, workflowsNaming, triggersOn }: AudienceNeeds,
) => {
  const { people } = profiles;
  const hot = audienceStatements(tables);
  const counting = eventCounters({ storage, tables, clock, log });
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  const own = { storage, tables, hot, clock, definitions, counting, people };
  const { changed } = definitions;
  const found = matching({
    storage,
    clock,
    loadProfiles: profiles.load,
    coversLeaf: counting.coversLeaf,
    talliesOf: counting.ofPeople,
    membersOf: async (scope, whom, audiences) => {
      const keys = [...audiences].flatMap((id) => whom.map((person): SelectKey => [scopeKey(scope), id, person]));
      const rows = new Set(
        (await storage.select(hot.membership, keys)).map((row) => `${row.audienceId}/${row.person}`),
      );
      return (person, id) => rows.has(`${id}/${person}`);
    },
  });
  const api: AudiencesApi = {
    ...audienceRecords({ storage, tables, hot, clock, ids, workflowsNaming, changed }),
    ...audienceInsight({ ...own, store, find: found.preview }),
    ...audienceMembers({ storage, tables, hot, clock, effectsOf: listChanges({ ...own, emitter }) }),
  };
  return {
    api,
    membership: bindReaction(keepMembership({ ...own, emitter, triggersOn })),
    builds: buildRegistration({
      ...own,
      store,
      findDiff: membershipDiff({ storage, clock, coversLeaf: counting.coversLeaf }),
    }),
    checks: checkRegistration({ ...own, emitter }),
    lacking: lackingAudiences(definitions, scopeOf),
    allOfUser: (scope: Scope, userId: string): Promise<readonly AudienceSummary[]> =>
      store.ofPerson(scope, userPerson(userId)),
    eraser: sliced(
      'audiences',
      async ({ scope, people: whom }) => (await store.erase(scope, whom)) + (await counting.erase(scope, whom)),
    ) satisfies Eraser,
  };
};
