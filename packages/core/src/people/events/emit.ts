// The one way in which the service itself raises an event of the catalog. What it writes joins the write set of what
// happened: the event row where the event is kept, a due row where somebody listens, which the queue of raised events
// takes through the ingest reactions behind storing (raised.ts), and what tells other systems. Nobody listens, nobody is
// told and nothing is kept: no write.

import { type Write, write } from '../../database/commit/write-set.ts';
import { anonymousIdOf } from '../../foundation/person.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeOf } from '../../foundation/scope.ts';
import { CATALOG, type CatalogName, MAX_DEPTH, RAISED_NAMES, type RaisedName } from './catalog.ts';
import { personKey } from './person-key.ts';
import { FROM_OUTSIDE, type RunBudget } from './run-budget.ts';
import type { EventStatements } from './statements.ts';

/** The queue of raised events, and the topic that wakes it. */
export const RAISED = 'raised events';

/** Something that the service did or found out. Source: contract, Ingest and profiles (`source: system`, no tick). */
export type CatalogEvent = {
  /** Fixed before anything is planned with it: a plan that is made again raises the same event. */
  readonly id: string;
  readonly name: RaisedName;
  readonly scope: InScope;
  /**
   * Null: nobody's, such as a message to a bare address. It has no history to stand in and no run to start; other
   * systems are told of it all the same.
   */
  readonly person: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
  /** 0 from outside; of a run, or of what it sent, the run's depth and one. */
  readonly depth: number;
  /** What it may spend on runs; absent: nothing in this service caused it. */
  readonly budget?: RunBudget | undefined;
  /** It is an event row although nobody listens: the row that would tell of it is not looked at any more. */
  readonly isKept?: boolean;
};

/** What an event inherits from what caused it. */
export type Cause = Pick<CatalogEvent, 'depth' | 'budget'>;
/** Nothing in this service did. */
export const NO_CAUSE: Cause = { depth: 0 };

/** Tells whether anybody listens to a name in a scope that was loaded, or is told of it. */
export type HasSubscribers = (scope: InScope, name: RaisedName) => boolean;

/** Somebody who may want events: `load` reads a cache, so that an event nobody hears costs nothing. */
export type Listener = { load(scopes: readonly Scope[]): Promise<(scope: Scope, name: RaisedName) => boolean> };

/** What raising an event adds to the write set at hand. */
export type Emitted = { readonly writes: readonly Write[]; readonly wakes: readonly string[] };

/** Who tells other systems: `load` reads a cache. Of a name that no system asked for the answer is null. */
export type Publisher = {
  load(
    scopes: readonly Scope[],
  ): Promise<(scope: Scope, name: CatalogName) => ((event: CatalogEvent) => Emitted) | null>;
};

/** Emitting once the listeners are known; pure. */
export type Emission = {
  /** For whoever must read more to describe an event. */
  readonly hasSubscribers: HasSubscribers;
  emit(event: CatalogEvent): Emitted;
  /** Tells other systems alone: of what is an event row already, and goes through the reactions by itself. */
  announce(event: CatalogEvent): Emitted;
};

export type Emitter = {
  /** Who listens in these scopes; several of one scope are one. */
  load(scopes: readonly InScope[]): Promise<Emission>;
};

const NOTHING: Emitted = { writes: [], wakes: [] };
const WAKES = [RAISED];
const both = (a: Emitted, b: Emitted): Emitted => {
  if (b.writes.length === 0) return a;
  return a.writes.length === 0 ? b : { writes: [...a.writes, ...b.writes], wakes: [...a.wakes, ...b.wakes] };
};
/** What other systems may be told of. */
const isPublic = (name: RaisedName): name is CatalogName => Object.hasOwn(CATALOG, name);
const SILENT: Publisher = { load: async () => () => null };

/** Makes the emitter over everybody who may listen, and over who tells other systems. */
export const emitter = ({
  hot,
  scopes: directory,
  listeners,
  publisher = SILENT,
}: {
  readonly hot: Pick<EventStatements, 'insertRaised' | 'raise'>;
  readonly scopes: ScopeDirectory;
  readonly listeners: readonly Listener[];
  readonly publisher?: Publisher;
}): Emitter => {
  const raise = (event: CatalogEvent, hasSubscribers: boolean): Emitted => {
    const { id, name, scope, person, properties, at, depth, budget = FROM_OUTSIDE, isKept = false } = event;
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
    // Deeper than the run that is stopped nothing could be started; it would go on without end.
    if (!hasSubscribers || depth > MAX_DEPTH) return { writes: [row], wakes: [] };
    const { runs: runBudget, budgetRunId } = budget;
    const raised = { ...common, depth, runBudget, budgetRunId, raisedAt: at, dueAt: at, fence: 0 };
    return { writes: [row, write(hot.raise, raised)], wakes: WAKES };
  };

  return {
    load: async (scopes) => {
      const ids = new Set(scopes.map(({ scopeId }) => scopeId));
      const scopeAt = await directory.load(ids);
      const asked = [...ids].map(scopeAt);
      const [heard, announced] = await Promise.all([
        Promise.all(listeners.map((listener) => listener.load(asked))),
        publisher.load(asked),
      ]);
      const isListenedTo: HasSubscribers = ({ scopeId }, name) => heard.some((hears) => hears(scopeAt(scopeId), name));
      const publisherOf = ({ scopeId }: InScope, name: RaisedName) =>
        isPublic(name) ? announced(scopeAt(scopeId), name) : null;
      const announce = (event: CatalogEvent): Emitted => publisherOf(event.scope, event.name)?.(event) ?? NOTHING;
      return {
        hasSubscribers: (scope, name) => isListenedTo(scope, name) || publisherOf(scope, name) !== null,
        emit: (event) => both(raise(event, isListenedTo(event.scope, event.name)), announce(event)),
        announce,
      };
    },
  };
};
