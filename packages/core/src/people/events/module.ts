import type { CountPlaceholders } from '../../foundation/placeholder-user-id.ts';
import type { Scope } from '../../foundation/scope.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import type { AnswerOnce } from '../../platform/idempotency/once.ts';
import type { Plans, QuotaStatements } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EventRecord, WorkflowVerdict } from './answers.generated.ts';
import { dedupe } from './dedupe.ts';
import { type Emitter, emitter, type Publisher, type Subscriber } from './emit.ts';
import { type Events, eventsEngine } from './events.ts';
import { eventExpiry } from './expiry/store.ts';
import type { Lifecycle } from './history.ts';
import { type BoundReaction, bindReaction } from './pipeline.ts';
import { placeholderCounter } from './placeholders.ts';
import { type BoundedOrgs, quotas } from './quota.ts';
import { raisedRegistration } from './raised.ts';
import type { FindPublished } from './reads.ts';
import { eventStatements } from './statements.ts';
import { storeEvents } from './store-events.ts';
import type { EventTables } from './tables.ts';

/** Functions for other modules that are needed before ingest is built. */
export type EventContributions = {
  /** Raises events of the catalog. */
  readonly emitter: Emitter;
  readonly countPlaceholders: CountPlaceholders;
  readonly quotas: BoundedOrgs;
};

/** Ingest reactions that deduplicate, count and store events, and the emitter. Depends on readers only. */
export const eventContributions = (
  { storage, tables, clock, log, meter, scopes }: Platform<EventTables>,
  needs: {
    readonly plans: Pick<Plans, 'of' | 'load'>;
    readonly quotaStatements: QuotaStatements;
    /** Modules that react to raised events. */
    readonly listeners: readonly Subscriber[];
    readonly publisher: Publisher;
  },
) => {
  const { plans, quotaStatements, listeners, publisher } = needs;
  const hot = eventStatements(tables);
  const counted = quotas({ storage, hot: quotaStatements, plans, clock });
  return {
    name: 'events',
    ingestReactions: [
      bindReaction(dedupe(storage, hot)),
      bindReaction(counted.reaction),
      bindReaction(storeEvents(hot)),
    ],
    expiring: [{ name: 'events', expire: eventExpiry({ storage, tables }) }],
    internal: {
      emitter: emitter({ hot, scopes, listeners, publisher }),
      countPlaceholders: placeholderCounter({ meter, log, clock }),
      quotas: counted,
    } satisfies EventContributions,
  };
};

/** Ingest and reads of events. Built after all ingest reactions. */
export const eventsModule = (
  { storage, tables, clock, ids, log, meter, tracing }: Platform<EventTables>,
  needs: {
    /** In the order of `INGEST_ORDER`. */
    readonly reactions: readonly BoundReaction[];
    readonly quotas: BoundedOrgs;
    readonly countPlaceholders: CountPlaceholders;
    readonly answerOnce: AnswerOnce;
    /** Reads events derived from messages and sends. */
    readonly lifecycle: Lifecycle;
    /** Reads events that were only published to webhooks. */
    readonly findPublished: FindPublished;
    readonly explain: (scope: Scope, event: EventRecord) => Promise<readonly WorkflowVerdict[]>;
  },
) => {
  const events = eventsEngine({ storage, tables, clock, ids, log, meter, tracing, ...needs });
  const { listOf, move, filled, close } = events;
  return {
    name: 'events',
    api: events.api,
    erasers: events.erasers,
    maintenance: [
      { name: 'index over people', run: events.catchUp },
      { name: 'message ids', run: events.sweep },
    ],
    internal: { listOf, move, filled, close } satisfies Events,
  };
};

/** The queue of raised events, which passes them through the downstream reactions. */
export const raisedEventsModule = (
  { storage, tables, clock, scopes }: Platform<EventTables>,
  /** The downstream reactions, preceded by one that resolves the profile of each event. */
  reactions: readonly BoundReaction[],
) => {
  const registration = raisedRegistration({ storage, tables, hot: eventStatements(tables), clock, scopes, reactions });
  const makeQueue: MakeQueue = (options) => queue(options, registration);
  return { name: 'raised events', queues: [makeQueue] };
};
