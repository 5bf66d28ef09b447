// Groups of users: lists that somebody keeps, and those that follow from what is known of people. Who is in one is a row,
// so that a count or a send to all of them is a read.

import type { SelectKey } from '../../database/statements/bulk.ts';
import { type Scope, type ScopeNames, scopeKey } from '../../foundation/scope.ts';
import { type Eraser, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Emitter } from '../events/emit.ts';
import { bindReaction, type Item } from '../events/pipeline.ts';
import type { Profiles } from '../profiles/profiles.ts';
import type { AudiencesApi } from './api.ts';
import { buildRegistration } from './build.ts';
import { checkRegistration } from './checks.ts';
import { eventCounters } from './counting/counters.ts';
import type { EventLog } from './counting/from-log.ts';
import type { CountingTables } from './counting/tables.ts';
import { audienceDefinitions, type Definitions, type LoadOrgZones } from './definitions.ts';
import { audienceInsight } from './insight.ts';
import { lackingAudiences } from './lacking.ts';
import { listChanges } from './list-changes.ts';
import { differing } from './matching/differing.ts';
import { matching } from './matching/matching.ts';
import { audienceMembers } from './members.ts';
import { keepMembership } from './membership.ts';
import { audienceRecords, type RecordDeps } from './records.ts';
import { audienceStatements } from './statements.ts';
import { audienceStore } from './store.ts';
import type { AudienceTables } from './tables.ts';

/** Definitions of audiences in memory, for modules that are built before audiences. They are read apart. */
export const knownAudiences = ({
  storage,
  tables,
  clock,
  loadOrgZones,
}: Pick<Platform<AudienceTables>, 'storage' | 'tables' | 'clock'> & {
  readonly loadOrgZones: LoadOrgZones;
}): Definitions => audienceDefinitions({ storage, clock, hot: audienceStatements(tables), loadOrgZones });

/** What audiences use of other modules. */
export type AudienceNeeds = {
  readonly definitions: Definitions;
  /** The log of events, which counters that are new are filled from. */
  readonly log: EventLog;
  readonly profiles: Pick<Profiles, 'people' | 'load'>;
  readonly emitter: Emitter;
  readonly scopeOf: (names: ScopeNames) => Promise<Scope>;
  /** Definitions of workflows that name an audience. */
  readonly workflowsNaming: RecordDeps['workflowsNaming'];
  /** Tells of which items another module reads the memberships of their person. */
  readonly asked: (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;
};

export const audiencesEngine = (
  { storage, tables, clock, ids }: Platform<AudienceTables & CountingTables>,
  { definitions, log, profiles, emitter, scopeOf, workflowsNaming, asked }: AudienceNeeds,
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
    isTold: counting.isTold,
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
    ...audienceMembers({ storage, tables, hot, clock, follow: listChanges({ ...own, emitter }) }),
  };
  return {
    api,
    membership: bindReaction(keepMembership({ ...own, emitter, asked })),
    builds: buildRegistration({ ...own, store, differing: differing({ storage, clock, isTold: counting.isTold }) }),
    checks: checkRegistration({ ...own, emitter }),
    lacking: lackingAudiences(definitions, scopeOf),
    eraser: sliced(
      'audiences',
      async ({ scope, people: whom }) => (await store.erase(scope, whom)) + (await counting.erase(scope, whom)),
    ) satisfies Eraser,
  };
};
