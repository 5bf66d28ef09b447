import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, PROGRAM_ENV } from './program.ts';

/** Timeout for a program that hangs. */
const HANGS_AFTER_MS = 540_000;

/** Result of a program. `code` is null after an unhandled signal. */
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

type Options = {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
  /** File to start instead of that of `program.ts`. */
  readonly program?: string;
};

/** A separate folder in which programs run, and the programs started there. */
export type Place = {
  readonly cwd: string;
  run(args: readonly string[], options?: Options): Promise<Ended>;
  start(args: readonly string[], options?: Options): Running;
  remove(): Promise<void>;
};

/** A running program. */
export type Running = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  out(): string;
  /** Resolves when stdout matches; rejects if the program ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and returns the exit code. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<number | null>;
};

// Removes variables that would configure the program under test.
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(BECKON_|NODE_OPTIONS|FORCE_COLOR)/.test(name)));

const launch = (
  cwd: string,
  args: readonly string[],
  { env, input, node = [], program = PROGRAM }: Options,
): Running => {
  const child = spawn(process.execPath, [...node, program, ...args], {
    cwd,
    env: { ...cleanEnv(), ...PROGRAM_ENV, ...env },
  });
  const written = { out: '', err: '' };
  const heard = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
    for (const listener of heard) listener();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  // A program that does not read stdin may have ended before this write.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, ...written }));
  });
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(written.out);
        if (!found) return;
        heard.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      const fail = (why: string): void => reject(new Error(`${why}: ${written.out}${written.err}`));
      const timer = setTimeout(() => fail('it said something else'), HANGS_AFTER_MS);
      heard.add(look);
      void ended.then(() => fail('it ended before'));
      look();
    });
  return {
    child,
    ended,
    out: () => written.out,
    says,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await ended).code;
    },
  };
};

/** A fresh, empty folder. */
export const place = (): Place => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-e2e-')));
  const started = new Set<Running>();
  const start: Place['start'] = (args, options = {}) => {
    const running = launch(cwd, args, options);
    started.add(running);
    return running;
  };
  return {
    cwd,
    start,
    run: (args, options) => start(args, options).ended,
    remove: async () => {
      for (const { child, ended } of started) {
        if (child.exitCode === null) child.kill('SIGKILL');
        await ended;
      }
      rmSync(cwd, { recursive: true, force: true });
    },
  };
};

/** A preload for Node, as the flags that load it. */
export const preload = (source: string): string[] => ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
