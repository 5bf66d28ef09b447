import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io, Signal } from '../../src/io.ts';

/** A fake process that tests control and inspect. */
export type FakeIo = Io & {
  readonly out: () => string;
  readonly err: () => string;
  /** Codes passed to `exit`, in order. */
  readonly exits: readonly number[];
  /** Questions of prompts, in order. */
  readonly questions: readonly string[];
  signal(name: Signal): void;
  /** Advances the clock and fires due timers. */
  pass(ms: number): void;
  remove(): void;
};

type Options = {
  readonly env?: Record<string, string>;
  readonly isTTY?: boolean;
  readonly stdin?: string;
  readonly answer?: string;
  readonly cwd?: string;
};

/** A fake process in an empty folder, by default without a terminal. Its clock only moves with `pass`. */
export const fakeIo = ({ env = {}, isTTY = false, stdin = '', answer = '', cwd }: Options = {}): FakeIo => {
  const folder = cwd ?? realpathSync(mkdtempSync(join(tmpdir(), 'beckon-cli-')));
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const questions: string[] = [];
  const listeners = new Set<(signal: Signal) => void>();
  const timers = new Set<{ at: number; callback: () => void }>();
  let now = Date.parse('2026-11-20T08:00:00.000Z');
  return {
    stdout: {
      isTTY,
      write: (text) => {
        written.out += text;
      },
    },
    stderr: {
      isTTY,
      write: (text) => {
        written.err += text;
      },
    },
    stdin: {
      isTTY,
      read: async (maxBytes) => {
        const bytes = Buffer.from(stdin);
        if (bytes.length > maxBytes) throw new RangeError('too much');
        return bytes;
      },
      prompt: async (question) => {
        questions.push(question);
        return answer;
      },
    },
    env,
    cwd: folder,
    now: () => new Date(now),
    onSignal: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    exit: (code) => void exits.push(code),
    out: () => written.out,
    err: () => written.err,
    exits,
    questions,
    signal: (name) => {
      for (const listener of listeners) listener(name);
    },
    pass: (ms) => {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.callback();
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
