// Groups of users: lists that somebody keeps, and those that follow from what is known of people. Who is in one is a row,
// so that a count or a send to all of them is a read.

import type { AudiencesApi } from '../api.ts';
import { type Eraser, sliced } from '../erasure/eraser.ts';
import type { Emitter } from '../events/emit.ts';
import { bindReaction, type Item } from '../events/pipeline.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import type { ProjectScope, Scope } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { buildRegistration } from './build.ts';
import { checkRegistration } from './checks.ts';
import type { Counting } from './counting.ts';
import { audienceDefinitions, type Definitions } from './definitions.ts';
import { audienceHot } from './hot.ts';
import { lackingAudiences } from './lacking.ts';
import { listChanges } from './list-changes.ts';
import { audienceMembers } from './members.ts';
import { keepMembership } from './membership.ts';
import type { People } from './people.ts';
import { audienceRecords, type RecordDeps } from './records.ts';
import { audienceStore } from './store.ts';
import type { AudienceTables } from './tables.ts';

/** What audiences there are, for whoever has to know it before anything else of them is wired. */
export const knownAudiences = (deps: {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly clock: Clock;
}): Definitions => audienceDefinitions({ ...deps, hot: audienceHot(deps.tables) });

export type AudienceDeps = Pick<RecordDeps, 'workflowsNaming'> & {
  readonly storage: Storage;
  readonly tables: AudienceTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly definitions: Definitions;
  readonly counting: Counting;
  readonly emitter: Emitter;
  readonly people: People;
  /** Both environments of a project. */
  readonly scopesOf: (project: ProjectScope) => Promise<readonly Scope[]>;
  /** Tells of which items somebody else asks in which audiences their people are. */
  readonly asked: (scopes: readonly Scope[]) => Promise<(item: Item) => boolean>;
};

export const audiencesEngine = (deps: AudienceDeps) => {
  const { storage, tables, clock, ids, definitions, counting, emitter, people, asked, workflowsNaming } = deps;
  const hot = audienceHot(tables);
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  const own = { storage, tables, hot, clock, definitions, counting, people };
  const { changed } = definitions;
  const api: AudiencesApi = {
    ...audienceRecords({ storage, tables, clock, ids, workflowsNaming, changed }),
    ...audienceMembers({ storage, tables, hot, clock, follow: listChanges({ ...own, emitter }) }),
  };
  return {
    api,
    behind: [bindReaction(keepMembership({ ...own, emitter, asked }))],
    registrations: {
      builds: buildRegistration({ ...own, store }),
      checks: checkRegistration({ ...own, emitter }),
    },
    lacking: lackingAudiences(definitions, deps.scopesOf),
    eraser: sliced('audiences', ({ scope, people }) => store.erase(scope, people)) satisfies Eraser,
    close: definitions.close,
  };
};
