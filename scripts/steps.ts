/*
 * Runs the steps of `npm test`, of `.ci/run` and of campaigns. Each step prints its wall seconds and the CPU seconds of
 * all its processes.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export type StepOptions = {
  /** Added to the environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Lines of the output to print after success. */
  readonly show?: RegExp;
  /** The output goes directly to the terminal; `output` of the result is then empty. */
  readonly isLive?: boolean;
};

export type StepResult = { readonly ok: boolean; readonly output: string };

export type StepRunner = {
  /** Runs one command and prints one line; a failure is followed by its output. Never rejects. */
  readonly step: (name: string, command: readonly string[], options?: StepOptions) => Promise<StepResult>;
  /** Folder with one log file per step. */
  readonly logs: string;
  readonly failed: string[];
  /** CPU seconds of all steps so far. */
  readonly cpu: () => number;
  /** Wall seconds since the runner was created. */
  readonly seconds: () => number;
};

/**
 * `times` of bash prints the user and system CPU of every ended child process. The variable's name does not begin with
 * `BECKON_`, because `beckon` rejects unknown variables of that form.
 */
const TIMED = 'status=0; "$@" || status=$?; times >"$STEP_TIMES"; exit $status';
/** Lines that name a failed test or an error. They are printed first, because a long log is read from its beginning. */
const FAILURE = /^ *(FAIL|×|[A-Z][A-Za-z]*Error:|Unhandled|Error:|Serialized Error)/;
const SHOWN_FAILURES = 12;
const SHOWN_LINES = 300;

/** CPU seconds in the last line of the output of bash's `times`, such as `1m2.500s 0m0.250s`. */
export const cpuSecondsOf = (text: string): number =>
  Array.from(
    (text.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g),
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  ).reduce((sum, one) => sum + one, 0);

const cpuSecondsIn = (file: string): number => {
  try {
    return cpuSecondsOf(readFileSync(file, 'utf8'));
  } catch {
    // The step was ended before bash could write it.
    return 0;
  }
};

const figures = (wall: number, cpu: number): string =>
  `${wall.toFixed(0).padStart(5)} s ${cpu.toFixed(0).padStart(5)} CPU s`;

/** The line that a step prints. */
export const stepLine = (word: 'ok' | 'FAILED', name: string, wall: number, cpu: number): string =>
  `${word.padEnd(8)}${name.padEnd(52)} ${figures(wall, cpu)}`;

/** A runner whose steps share a log folder and a deadline, after which a running step is ended and none begins. */
export const stepRunner = ({ deadlineSeconds = Number.POSITIVE_INFINITY } = {}): StepRunner => {
  const start = performance.now();
  const logs = mkdtempSync(join(tmpdir(), 'beckon-steps-'));
  const failed: string[] = [];
  let count = 0;
  let cpu = 0;
  const seconds = (): number => (performance.now() - start) / 1000;

  const run = async (
    command: readonly string[],
    log: string,
    times: string,
    { env, isLive = false }: StepOptions,
  ): Promise<number | string> => {
    const output = openSync(log, 'w');
    const child = spawn('bash', ['-c', TIMED, 'step', ...command], {
      // A separate process group, so that the deadline ends everything that the step started.
      detached: true,
      stdio: ['ignore', isLive ? 'inherit' : output, isLive ? 'inherit' : output],
      env: {
        ...process.env,
        ...env,
        PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
        STEP_TIMES: times,
      },
    });
    closeSync(output);
    const signal = (name: NodeJS.Signals) => (): void => {
      if (child.pid) process.kill(-child.pid, name);
    };
    const interrupt = signal('SIGINT');
    process.on('SIGINT', interrupt);
    const left = deadlineSeconds - seconds();
    const timer = Number.isFinite(left) ? setTimeout(signal('SIGKILL'), 1000 * left) : undefined;
    try {
      return await new Promise((done) => {
        child.once('error', ({ message }) => done(message));
        child.once('close', (code, killedBy) => done(code ?? String(killedBy)));
      });
    } finally {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
    }
  };

  const step: StepRunner['step'] = async (name, command, options = {}) => {
    count += 1;
    const id = `${String(count).padStart(2, '0')}-${name.replace(/[^a-zA-Z0-9]+/g, '-')}`;
    const log = join(logs, `${id}.log`);
    const begun = seconds();
    if (begun >= deadlineSeconds) {
      console.log(`${stepLine('FAILED', name, 0, 0)}, no time left`);
      failed.push(name);
      return { ok: false, output: '' };
    }
    const times = join(logs, `${id}.times`);
    const status = await run(command, log, times, options);
    const used = cpuSecondsIn(times);
    cpu += used;
    const output = stripVTControlCharacters(readFileSync(log, 'utf8'));
    const lines = output.trimEnd().split('\n');
    const print = (shown: readonly string[]): void => {
      for (const line of shown) console.log(`        ${line}`);
    };
    if (status === 0) {
      console.log(stepLine('ok', name, seconds() - begun, used));
      const { show } = options;
      if (show) print(lines.filter((line) => show.test(line)).map((line) => line.trim()));
      return { ok: true, output };
    }
    console.log(`${stepLine('FAILED', name, seconds() - begun, used)}, status ${status}`);
    print(lines.filter((line) => FAILURE.test(line)).slice(0, SHOWN_FAILURES));
    print(lines.slice(-SHOWN_LINES));
    console.log(`        (all of it: ${log})`);
    failed.push(name);
    return { ok: false, output };
  };

  return { step, logs, failed, cpu: () => cpu, seconds };
};
