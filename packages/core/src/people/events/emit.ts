// Raises events of the catalog on behalf of Beckon. The writes join the write set of their cause: an event row if the
// name is stored as one, a due row if a workflow subscribes, and webhook deliveries. The queue of raised events
// (raised.ts) passes due rows through the downstream reactions. Without subscribers, webhooks and storage there is
// nothing to write.

import { type Write, write } from '../../database/commit/write-set.ts';
import { anonymousIdOf } from '../../foundation/person.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeOf } from '../../foundation/scope.ts';
import { CATALOG, type CatalogName, MAX_DEPTH, RAISED_NAMES, type RaisedName } from './catalog.ts';
import { personKey } from './person-key.ts';
import { EXTERNAL_BUDGET, type RunBudget } from './run-budget.ts';
import type { EventStatements } from './statements.ts';

/** Name of the queue of raised events, and its wake topic. */
export const RAISED = 'raised events';

/** An event that Beckon raises. Source: contract, Ingest and profiles (`source: system`, no tick). */
export type CatalogEvent = {
  /** Fixed before planning, so that planning again after a conflict raises the same event. */
  readonly id: string;
  readonly name: RaisedName;
  readonly scope: InScope;
  /**
   * Null if the event belongs to no profile, such as a message to a bare address. It then has no history and starts no
   * run; webhooks still receive it.
   */
  readonly person: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** 0 for events from outside. Events caused by a run have the depth of the run plus one. */
  readonly depth: number;
  /** How many runs the event may start; absent if its cause is outside Beckon. */
  readonly budget?: RunBudget | undefined;
  /** Stores an event row even without subscribers, because the row it could be derived from is no longer read. */
  readonly isKept?: boolean;
};

/** Fields that an event inherits from its cause. */
export type Cause = Pick<CatalogEvent, 'depth' | 'budget'>;
/** The cause of events that nothing within Beckon caused. */
export const NO_CAUSE: Cause = { depth: 0 };

/** True if a workflow or webhook subscribes to the name. The scope must be loaded. */
export type HasSubscribers = (scope: InScope, name: RaisedName) => boolean;

/** A module that reacts to raised events. `load` reads a cache, so that an event without subscribers costs nothing. */
export type Subscriber = { load(scopes: readonly Scope[]): Promise<(scope: Scope, name: RaisedName) => boolean> };

/** What raising an event adds to the current write set. */
export type Emitted = { readonly writes: readonly Write[]; readonly wakes: readonly string[] };

/** Publishes events to webhooks. `load` reads a cache; the result is null for a name without webhooks. */
export type Publisher = {
  load(
    scopes: readonly Scope[],
  ): Promise<(scope: Scope, name: CatalogName) => ((event: CatalogEvent) => Emitted) | null>;
};

/** Raises events once the subscribers are loaded. Pure. */
export type LoadedEmitter = {
  /** Lets callers skip reads that only serve to describe an event. */
  readonly hasSubscribers: HasSubscribers;
  emit(event: CatalogEvent): Emitted;
  /** Publishes to webhooks only, for events that are already event rows and pass through the reactions anyway. */
  publish(event: CatalogEvent): Emitted;
};

export type Emitter = {
  /** Loads the subscribers of these scopes. Duplicate scopes are loaded once. */
  load(scopes: readonly InScope[]): Promise<LoadedEmitter>;
};

const NOTHING: Emitted = { writes: [], wakes: [] };
const WAKES = [RAISED];
const combine = (a: Emitted, b: Emitted): Emitted => {
  if (b.writes.length === 0) return a;
  return a.writes.length === 0 ? b : { writes: [...a.writes, ...b.writes], wakes: [...a.wakes, ...b.wakes] };
};
/** Names that webhooks may receive. */
const isPublic = (name: RaisedName): name is CatalogName => Object.hasOwn(CATALOG, name);
const NO_PUBLISHER: Publisher = { load: async () => () => null };

/** Creates the emitter from the modules that react to events and the webhook publisher. */
export const emitter = ({
  hot,
  scopes: directory,
  listeners,
  publisher = NO_PUBLISHER,
}: {
  readonly hot: Pick<EventStatements, 'insertRaised' | 'raise'>;
  readonly scopes: ScopeDirectory;
  readonly listeners: readonly Subscriber[];
  readonly publisher?: Publisher;
}): Emitter => {
  const raise = (event: CatalogEvent, hasSubscribers: boolean): Emitted => {
    const { id, name, scope, person, properties, at, depth, budget = EXTERNAL_BUDGET, isKept = false } = event;
    if (person === null) return NOTHING;
    const { module, kept } = RAISED_NAMES[name];
    if (!hasSubscribers && !isKept && kept !== 'event') return NOTHING;
    const common = { ...scopeOf(scope), id, person, module, eventType: name, properties };
    const row = write(hot.insertRaised, {
      ...common,
      personKey: personKey(scope, person),
      anonymousId: anonymousIdOf(person),
      source: 'system',
      timestamp: at,
      receivedAt: at,
    });
    // A deeper event could start no run that is not stopped at once, and the loop would never end.
    if (!hasSubscribers || depth > MAX_DEPTH) return { writes: [row], wakes: [] };
    const { runs: runBudget, budgetRunId } = budget;
    const raised = { ...common, depth, runBudget, budgetRunId, raisedAt: at, dueAt: at, fence: 0 };
    return { writes: [row, write(hot.raise, raised)], wakes: WAKES };
  };

  return {
    load: async (scopes) => {
      const ids = new Set(scopes.map(({ scopeId }) => scopeId));
      const scopeAt = await directory.load(ids);
      const requested = [...ids].map(scopeAt);
      const [subscribed, published] = await Promise.all([
        Promise.all(listeners.map((listener) => listener.load(requested))),
        publisher.load(requested),
      ]);
      const isListenedTo: HasSubscribers = ({ scopeId }, name) =>
        subscribed.some((hears) => hears(scopeAt(scopeId), name));
      const publisherOf = ({ scopeId }: InScope, name: RaisedName) =>
        isPublic(name) ? published(scopeAt(scopeId), name) : null;
      const publish = (event: CatalogEvent): Emitted => publisherOf(event.scope, event.name)?.(event) ?? NOTHING;
      return {
        hasSubscribers: (scope, name) => isListenedTo(scope, name) || publisherOf(scope, name) !== null,
        emit: (event) => combine(raise(event, isListenedTo(event.scope, event.name)), publish(event)),
        publish,
      };
    },
  };
};
