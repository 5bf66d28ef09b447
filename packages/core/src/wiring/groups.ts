// Wires groups of users: audiences, and the counts of what people did that they ask about.

import { audiencesEngine } from '../audiences/audiences.ts';
import { eventCounters } from '../audiences/counting/counters.ts';
import type { Definitions } from '../audiences/definitions.ts';
import type { Emitter } from '../events/emit.ts';
import type { eventsEngine } from '../events/events.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import { ENVIRONMENTS, type Scope, type ScopeNames } from '../primitives/scope.ts';
import type { profilesEngine } from '../profiles/profiles.ts';
import type { Storage } from '../storage/storage.ts';
import type { Tables } from '../tables.ts';
import { workflowsNaming } from '../workflows/naming.ts';
import { type TriggerCache, triggerAudiences } from '../workflows/triggers.ts';

export type GroupsDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  readonly definitions: Definitions;
  readonly triggers: Pick<TriggerCache, 'load'>;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'people' | 'load' | 'movingTo'>;
  /** The log of events, whose engine is made behind this one. */
  readonly log: () => ReturnType<typeof eventsEngine>['log'];
  readonly scopeOf: (names: ScopeNames) => Promise<Scope>;
};

export const groupsOf = ({ profiles, triggers, log, scopeOf, ...deps }: GroupsDeps) => {
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
    workflowsNaming: workflowsNaming({ storage, tables }),
    asked: triggerAudiences(triggers),
  });
};
