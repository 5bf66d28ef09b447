import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io, Signal } from './io.ts';

/**
 * A signal that comes again this soon is the same one: npm passes Ctrl-C on to a child that the terminal has already
 * told. Ours; nobody presses twice within 100 ms.
 */
const SAME_SIGNAL_MS = 100;

const AT_ONCE: Readonly<Record<Signal, ExitCode>> = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated };

/** Signals as they matter to a program that drains. */
export type Shutdown = {
  /** Settles with the first signal. */
  readonly requested: Promise<Signal>;
  /** Runs `drain` under the time limit; the process ends with 143 when it is not done by then. */
  finish(drain: () => Promise<void>): Promise<void>;
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
      const cancel = io.after(timeoutMs, () => io.exit(EXIT.terminated));
      try {
        await drain();
      } finally {
        cancel();
      }
    },
    dispose,
  };
};
