// Load of a process: how long its calls wait, and how many kinds of calls are rejected because of it.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Beckon, contained, type Log, withDeadline } from '@beckon/core';

/** What calls wait for, each with its own unit. */
export type Signals = {
  /** Median delay of the event loop, in milliseconds. */
  readonly lagMs: number;
  /** Wait for a database connection, in milliseconds. */
  readonly databaseWaitMs: number;
  /** Fill level of the ingest queue, from 0 to 1. */
  readonly ingestFilled: number;
  /** How long the first row of the queues that events cause is overdue, in milliseconds. */
  readonly queueLagMs: number;
};

/** What is rejected at this moment. */
export type Load = {
  /** Number of rejected kinds of calls, in the order of `SHED_ORDER`. 0: none. */
  readonly level: number;
  /**
   * Events are rejected, whatever the level, for the organizations that send most of them, until reactions to events
   * are on time.
   */
  readonly isIngestPaused: boolean;
  /** The reason, for people. Empty if nothing is rejected. */
  readonly reason: string;
  /**
   * Callers are rejected from this fraction of the mean usage on, above 0 and at most 1 (the default). It shrinks while
   * the load does not fall although callers above it are rejected.
   */
  readonly part?: number;
  /** The same for events while they are paused: smaller the later their reactions run. */
  readonly ingestPart?: number;
};
export const NO_LOAD: Load = { level: 0, isIngestPaused: false, reason: '' };

/**
 * Event loop delay from which each kind of the shedding order is rejected, in milliseconds. Chosen; the last one comes
 * from the design of sign-in (token refresh).
 */
const LAG_MS: readonly number[] = [200, 250, 300, 350, 400, 500, 600, 800, 1_000];
/** The same for the wait for a database connection, if nothing else waits meanwhile. */
const WAIT_MS: readonly number[] = [500, 600, 700, 800, 1_000, 1_500, 2_000, 2_500, 3_000];
/**
 * The same for the ingest queue: rejects every kind before events. Events are rejected by a full queue itself. Chosen.
 */
const FILLED: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/**
 * Lateness of reactions to events from which events are paused. Chosen: ten times the time of taking over from a dead
 * worker.
 */
const MAX_QUEUE_LAG_MS = 300_000;
/** Measurement window, in milliseconds. Chosen: one long turn of the event loop is no overload. */
const WINDOW_MS = 1_000;
/** Windows between two reads of overdue work from the database. Chosen: one query in five seconds costs nothing. */
const LOOK_WINDOWS = 5;
/** Resolution of the event loop measurement, in milliseconds. Chosen: small against the first threshold. */
const RESOLUTION_MS = 20;

/** Smallest fraction of the mean usage from which callers are rejected. Chosen: no active caller uses less. */
const LEAST_PART = 2 ** -30;

const stepsAt = (steps: readonly number[], value: number): number => steps.filter((from) => value >= from).length;

/** The number of rejected kinds for these waits, and the signal that causes it. Throws nothing. */
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

/** Halves after each window in which the load did not fall although calls were rejected; otherwise doubles. */
const nextPart = ({ level, part = 1 }: Load, load: number): number =>
  level > 0 && load >= level ? Math.max(part / 2, LEAST_PART) : Math.min(part * 2, 1);

/**
 * What is rejected after this many windows. It rises at once and falls by one kind each, so that readmitted calls do
 * not overload the process again. Throws nothing.
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

/** The load for a call that runs this long after the first one of its turn of the event loop. Throws nothing. */
export const loadInTurn = (load: Load, turnMs: number): Load => {
  const level = stepsAt(LAG_MS, turnMs);
  return level <= load.level ? load : { ...load, level, reason: `the event loop is ${Math.round(turnMs)} ms late` };
};

export type LoadWatch = {
  /** What is rejected at this moment, for `createHandler({ load })`. Called once per request. */
  now(): Load;
  /** Stops measuring. Idempotent. */
  stop(): void;
};

export type LoadWatchOptions = {
  /** Logs each change. */
  readonly log?: Pick<Log, 'info' | 'warn'> | undefined;
  /** Called for each change, for metrics. Must not throw. */
  readonly onChange?: ((load: Load) => void) | undefined;
};

/**
 * Measures the load of this process and of its workers: event loop, database connections and ingest queue each second,
 * overdue work every five. It does not keep the process alive. Within one turn of the event loop, late calls are
 * rejected at once: the calls of a turn wait for each other, and more calls than it can serve would make each turn
 * longer.
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
      // While the database is unavailable the lag is unknown, and no event is accepted either.
      queueLagMs = 0;
    } finally {
      isLooking = false;
    }
  });
  const evaluateLoad = contained(() => {
    if (ticks % LOOK_WINDOWS === 0) look();
    ticks += 1;
    const now = performance.now();
    const signals = { lagMs: delays.percentile(50) / 1e6, queueLagMs, ...beckon.load.current() };
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
