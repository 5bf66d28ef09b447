import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io, Signal } from './io.ts';

/**
 * A signal that comes again this soon is the same one: npm passes Ctrl-C on to a child that the terminal has already
 * told. Ours; nobody presses twice within 100 ms.
 */
const SAME_SIGNAL_MS = 100;

/**
 * Milliseconds of the time limit that are left once work in hand is cut off, to end leases and close the database; of short
 * limits half. Chosen: what follows the cut-off takes the worker at most 1.25 s, and closing a few milliseconds.
 */
const CLOSING_MS = 3_000;

/** How much of a time limit work in hand has to finish. */
export const drainLimitMs = (timeoutMs: number): number => timeoutMs - Math.min(CLOSING_MS, timeoutMs / 2);

const AT_ONCE: Readonly<Record<Signal, ExitCode>> = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated };

/** Signals as they matter to a program that drains. */
export type Shutdown = {
  /** Settles with the first signal. */
  readonly requested: Promise<Signal>;
  /**
   * Runs `drain`, which is given the milliseconds after which it has to cut off what is left. The process ends with 143 only
   * where `drain` has not ended at the time limit, counted from the first signal.
   */
  finish(drain: (limitMs: number) => Promise<void>): Promise<void>;
  /** Hears signals no more. */
  dispose(): void;
};

/**
 * Hears SIGTERM and SIGINT from now on: the first asks to drain, a second one ends the process at once with 130 or
 * 143.
 *
 * @param timeoutMs how long draining may take
 */
export const hearSignals = (io: Pick<Io, 'onSignal' | 'after' | 'now' | 'exit'>, timeoutMs: number): Shutdown => {
  const { promise: requested, resolve } = Promise.withResolvers<Signal>();
  let first: { readonly signal: Signal; readonly at: number } | undefined;
  const dispose = io.onSignal((signal) => {
    const at = io.now().getTime();
    if (!first) {
      first = { signal, at };
      resolve(signal);
    } else if (signal !== first.signal || at - first.at >= SAME_SIGNAL_MS) io.exit(AT_ONCE[signal]);
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
