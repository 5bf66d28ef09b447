// Wires groups of users: audiences, and the counts of what people did that they ask about.

import type { WorkflowReads } from '../../automation/workflows/module.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import { ENVIRONMENTS, type Scope, type ScopeNames } from '../../foundation/scope.ts';
import { audiencesEngine } from '../../people/audiences/audiences.ts';
import { eventCounters } from '../../people/audiences/counting/counters.ts';
import type { Definitions } from '../../people/audiences/definitions.ts';
import type { Emitter } from '../../people/events/emit.ts';
import type { eventsEngine } from '../../people/events/events.ts';
import type { profilesEngine } from '../../people/profiles/profiles.ts';
import type { Tables } from '../tables.ts';

export type GroupsDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  readonly definitions: Definitions;
  /** Which workflows and triggers ask for audiences. */
  readonly workflows: Pick<WorkflowReads, 'asksAudiences' | 'workflowsNaming'>;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'people' | 'load' | 'movingTo'>;
  /** The log of events, whose engine is made behind this one. */
  readonly log: () => ReturnType<typeof eventsEngine>['log'];
  readonly scopeOf: (names: ScopeNames) => Promise<Scope>;
};

export const groupsOf = ({ profiles, workflows, log, scopeOf, ...deps }: GroupsDeps) => {
  const { storage, tables, clock } = deps;
  const counting = eventCounters({
    storage,
    tables,
    clock,
    log: {
      talliesOf: (...asked) => log().talliesOf(...asked),
      newestOf: (...asked) => log().newestOf(...asked),
      movingTo: profiles.movingTo,
    },
  });
  return audiencesEngine({
    ...deps,
    counting,
    people: profiles.people,
    loadProfiles: profiles.load,
    scopesOf: ({ orgId, projectId }) =>
      Promise.all(ENVIRONMENTS.map((environment) => scopeOf({ orgId, projectId, environment }))),
    workflowsNaming: workflows.workflowsNaming,
    asked: workflows.asksAudiences,
  });
};
