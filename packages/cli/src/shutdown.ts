import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io, Signal } from './io.ts';

/**
 * A repeated signal within this time is ignored: npm forwards Ctrl+C to a child that the terminal already signaled.
 * Chosen: shorter than two key presses.
 */
const SAME_SIGNAL_MS = 100;

/**
 * Milliseconds between aborting work and the time limit, to release leases and close the database; half of a short
 * limit. Chosen: the worker needs at most 1.25 s after the abort, closing a few milliseconds.
 */
const CLOSING_MS = 3_000;

/** The part of a time limit in which running work may finish. */
export const drainLimitMs = (timeoutMs: number): number => timeoutMs - Math.min(CLOSING_MS, timeoutMs / 2);

const EXIT_CODES: Readonly<Record<Signal, ExitCode>> = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated };

/** Graceful shutdown on signals. */
export type Shutdown = {
  /** Resolves with the first signal. */
  readonly requested: Promise<Signal>;
  /**
   * Runs `drain` with the milliseconds after which it must abort remaining work. The process exits with 143 if `drain`
   * has not finished at the time limit, counted from the first signal.
   */
  finish(drain: (limitMs: number) => Promise<void>): Promise<void>;
  /** Stops listening for signals. */
  dispose(): void;
};

/**
 * Listens for SIGTERM and SIGINT: the first one requests a shutdown, the second one exits at once with 130 or 143.
 *
 * @param timeoutMs time limit of the shutdown
 */
export const listenForSignals = (io: Pick<Io, 'onSignal' | 'after' | 'now' | 'exit'>, timeoutMs: number): Shutdown => {
  const { promise: requested, resolve } = Promise.withResolvers<Signal>();
  let first: { readonly signal: Signal; readonly at: number } | undefined;
  const dispose = io.onSignal((signal) => {
    const at = io.now().getTime();
    if (!first) {
      first = { signal, at };
      resolve(signal);
    } else if (signal !== first.signal || at - first.at >= SAME_SIGNAL_MS) io.exit(EXIT_CODES[signal]);
  });
  return {
    requested,
    finish: async (drain) => {
      const passedMs = first ? io.now().getTime() - first.at : 0;
      const cancel = io.after(Math.max(timeoutMs - passedMs, 0), () => io.exit(EXIT.terminated));
      try {
        await drain(Math.max(drainLimitMs(timeoutMs) - passedMs, 0));
      } finally {
        cancel();
      }
    },
    dispose,
  };
};
