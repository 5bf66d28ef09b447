// How much is asked of a process: what it waits for, and how many kinds of calls are refused because of it.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Beckon, contained, type Log, withDeadline } from '@beckon/core';

/** What calls wait for, each with a measure of its own. */
export type Signals = {
  /** The median wait for a turn of the event loop, in milliseconds. */
  readonly lagMs: number;
  /** The wait for a connection of the database, in milliseconds. */
  readonly databaseWaitMs: number;
  /** How much waits to be stored, of what may wait. */
  readonly ingestFilled: number;
  /** How long the first row of the queues that events cause is overdue, in milliseconds. */
  readonly queueLagMs: number;
};

/** What is refused at this moment. */
export type Load = {
  /** How many kinds of calls, in the order of `SHED_ORDER`; 0: none. */
  readonly level: number;
  /** Events are refused, whatever the level, to orgs that send most of them, until what events set off is done in time. */
  readonly isIngestPaused: boolean;
  /** Why, for people; empty where nothing is refused. */
  readonly reason: string;
  /**
   * Callers are refused from this part of the mean use on, above 0 and at most 1 (the default): less where the load did not
   * fall although those above it were refused.
   */
  readonly part?: number;
  /** The same for events while they are paused: less the later it is what events set off. */
  readonly ingestPart?: number;
};
export const NO_LOAD: Load = { level: 0, isIngestPaused: false, reason: '' };

/**
 * The lateness of the event loop from which on each kind of the shedding order is refused, in milliseconds. Ours; the last
 * of them from the design of sign-in (token refresh).
 */
const LAG_MS: readonly number[] = [200, 250, 300, 350, 400, 500, 600, 800, 1_000];
/** The same for the wait for a connection of the database, where others do not wait meanwhile. */
const WAIT_MS: readonly number[] = [500, 600, 700, 800, 1_000, 1_500, 2_000, 2_500, 3_000];
/**
 * The same for what waits to be stored: all that is refused before events are. Events refuse themselves where it is full.
 * Ours.
 */
const FILLED: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/** How late what events set off may be until no more are taken; ours: ten times what taking over from a dead worker takes. */
const MAX_QUEUE_LAG_MS = 300_000;
/** For so long it is measured before it is judged, in milliseconds. Ours: one long turn is no overload. */
const WINDOW_MS = 1_000;
/** Windows from one look at what is overdue to the next, which asks the database; ours. */
const LOOK_WINDOWS = 5;
/** Between two looks at the event loop, in milliseconds; ours. */
const RESOLUTION_MS = 20;

/** The least part of the mean use from which on callers are refused. Chosen: nobody who calls at all uses less. */
const LEAST_PART = 2 ** -30;

const stepsAt = (steps: readonly number[], value: number): number => steps.filter((from) => value >= from).length;

/** How many kinds of calls are refused at such waits, and because of which. Throws nothing. */
export const levelOf = (signals: Omit<Signals, 'queueLagMs'>): { readonly level: number; readonly reason: string } => {
  const { lagMs, databaseWaitMs, ingestFilled } = signals;
  const causes = [
    [stepsAt(LAG_MS, lagMs), `the event loop is ${Math.round(lagMs)} ms late`],
    [stepsAt(WAIT_MS, databaseWaitMs), `calls wait ${Math.round(databaseWaitMs)} ms for the database`],
    [stepsAt(FILLED, ingestFilled), `${Math.round(ingestFilled * 100)} % of the events that may wait do`],
  ] as const;
  const level = Math.max(...causes.map(([at]) => at));
  return { level, reason: causes.flatMap(([at, why]) => (at > 0 && at === level ? [why] : [])).join(', ') };
};

/** Halves with each window after which the load is as high as before although calls were refused, and doubles else. */
const nextPart = ({ level, part = 1 }: Load, load: number): number =>
  level > 0 && load >= level ? Math.max(part / 2, LEAST_PART) : Math.min(part * 2, 1);

/**
 * What is refused after so many windows: more at once, less by one kind each, so that what is let in again does not
 * overload it at once. Throws nothing.
 */
export const nextLoad = (before: Load, signals: Signals, windows: number): Load => {
  const { level: load, reason: why } = levelOf(signals);
  const level = Math.max(load, before.level - windows, 0);
  const isIngestPaused = signals.queueLagMs >= MAX_QUEUE_LAG_MS;
  const reasons = [
    ...(load === level ? [why] : ['it was overloaded a moment ago']),
    ...(isIngestPaused ? [`what events set off is ${Math.round(signals.queueLagMs / 1_000)} s late`] : []),
  ];
  const next = { level, isIngestPaused, reason: reasons.filter((reason) => reason !== '').join(', ') };
  const part = level > 0 ? nextPart(before, load) : 1;
  const ingestPart = isIngestPaused ? MAX_QUEUE_LAG_MS / signals.queueLagMs : 1;
  return { ...next, ...(part < 1 ? { part } : {}), ...(ingestPart < 1 ? { ingestPart } : {}) };
};

/** The load for a call that comes so long after the first one of its turn of the event loop. Throws nothing. */
export const loadInTurn = (load: Load, turnMs: number): Load => {
  const level = stepsAt(LAG_MS, turnMs);
  return level <= load.level ? load : { ...load, level, reason: `the event loop is ${Math.round(turnMs)} ms late` };
};

export type LoadWatch = {
  /** What is refused at this moment, for `createHandler({ load })`: asked once for each call, as it comes. */
  now(): Load;
  /** Looks at nothing any more. Idempotent. */
  stop(): void;
};

export type LoadWatchOptions = {
  /** Told of each change. */
  readonly log?: Pick<Log, 'info' | 'warn'> | undefined;
  /** Told of each change, for figures. Must not throw. */
  readonly onChange?: ((load: Load) => void) | undefined;
};

/**
 * Watches how much is asked of this process and of the workers behind it: the event loop, the database's connections and
 * the events that wait each second, what is overdue each five. It keeps no process alive. Within one turn of the event loop
 * whoever comes late is refused at once: the calls of a turn wait for each other, and more than it can do would make each
 * turn longer.
 */
export const watchLoad = (beckon: Pick<Beckon, 'load'>, { log, onChange }: LoadWatchOptions = {}): LoadWatch => {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let load = NO_LOAD;
  let began = performance.now();
  let queueLagMs = 0;
  let isLooking = false;
  let ticks = 0;

  const look = contained(async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      queueLagMs = await withDeadline(LOOK_WINDOWS * WINDOW_MS, () => beckon.load.lagMs());
    } catch {
      // Where the database is away nobody can tell, and nothing is taken either.
      queueLagMs = 0;
    } finally {
      isLooking = false;
    }
  });
  const evaluateLoad = contained(() => {
    if (ticks % LOOK_WINDOWS === 0) look();
    ticks += 1;
    const now = performance.now();
    const signals = { lagMs: delays.percentile(50) / 1e6, queueLagMs, ...beckon.load.strain() };
    const before = load;
    load = nextLoad(before, signals, Math.round((now - began) / WINDOW_MS));
    delays.reset();
    began = now;
    if (load.level === before.level && load.isIngestPaused === before.isIngestPaused) return;
    const { level, isIngestPaused, reason } = load;
    if (reason === '') log?.info({}, 'all calls are taken again');
    else log?.warn({ level, isIngestPaused, reason }, 'calls are refused');
    onChange?.(load);
  });
  let turnBegan: number | null = null;
  const endTurn = contained(() => {
    turnBegan = null;
  });
  const timer = setInterval(evaluateLoad, WINDOW_MS).unref();
  return {
    now: () => {
      const now = performance.now();
      if (turnBegan === null) {
        turnBegan = now;
        setImmediate(endTurn);
        return load;
      }
      return loadInTurn(load, now - turnBegan);
    },
    stop: () => {
      clearInterval(timer);
      delays.disable();
    },
  };
};
