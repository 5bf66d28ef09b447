// Groups of users: lists that somebody keeps, and those that follow from what is known of people. Who is in one is a row,
// so that a count or a send to all of them is a read.

import type { SelectKey } from '../../database/statements/bulk.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import { type ProjectScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { type Eraser, sliced } from '../../platform/erasure/eraser.ts';
import type { Emitter } from '../events/emit.ts';
import { bindReaction, type Item } from '../events/pipeline.ts';
import type { LoadProfiles } from '../profiles/view.ts';
import type { AudiencesApi } from './api.ts';
import { buildRegistration } from './build.ts';
import { checkRegistration } from './checks.ts';
import type { Counting } from './counts.ts';
import { audienceDefinitions, type Definitions, type LoadOrgZones } from './definitions.ts';
import { audienceInsight } from './insight.ts';
import { lackingAudiences } from './lacking.ts';
import { listChanges } from './list-changes.ts';
import { differing } from './matching/differing.ts';
import { matching } from './matching/matching.ts';
import { audienceMembers } from './members.ts';
import { keepMembership } from './membership.ts';
import type { People } from './people.ts';
import { audienceRecords, type RecordDeps } from './records.ts';
import { audienceStatements } from './statements.ts';
import { audienceStore } from './store.ts';
import type { AudienceTables } from './tables.ts';

/** What audiences there are, for whoever has to know it before anything else of them is wired. */
export const knownAudiences = (deps: {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly clock: Clock;
  readonly loadOrgZones: LoadOrgZones;
}): Definitions => audienceDefinitions({ ...deps, hot: audienceStatements(deps.tables) });

export type AudienceDeps = Pick<RecordDeps, 'workflowsNaming'> & {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly definitions: Definitions;
  readonly counting: Counting;
  readonly emitter: Emitter;
  readonly people: People;
  readonly loadProfiles: LoadProfiles;
  /** Both environments of a project. */
  readonly scopesOf: (project: ProjectScope) => Promise<readonly Scope[]>;
  /** Tells of which items somebody else asks in which audiences their people are. */
  readonly asked: (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;
};

export const audiencesEngine = (deps: AudienceDeps) => {
  const { storage, tables, clock, ids, definitions, counting, emitter, people, asked, workflowsNaming } = deps;
  const hot = audienceStatements(tables);
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  const own = { storage, tables, hot, clock, definitions, counting, people };
  const { changed } = definitions;
  const found = matching({
    storage,
    clock,
    loadProfiles: deps.loadProfiles,
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
    behind: [bindReaction(keepMembership({ ...own, emitter, asked }))],
    registrations: {
      builds: buildRegistration({ ...own, store, differing: differing({ storage, clock, isTold: counting.isTold }) }),
      checks: checkRegistration({ ...own, emitter }),
    },
    lacking: lackingAudiences(definitions, deps.scopesOf),
    eraser: sliced(
      'audiences',
      async ({ scope, people: whom }) => (await store.erase(scope, whom)) + (await counting.erase(scope, whom)),
    ) satisfies Eraser,
    close: definitions.close,
  };
};
