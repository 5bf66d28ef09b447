import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** All benchmarks, in the order of a run. */
export const NAMES = [
  'ingest',
  'workflow',
  'store',
  'worker',
  'send',
  'fanout',
  'audience',
  'identify',
  'render',
  'hostile',
  'analytics',
] as const;
export type Name = (typeof NAMES)[number];

/** Load clients; own is a program of this folder. */
export const CLIENTS = ['wrk', 'autocannon', 'own'] as const;
export type ClientName = (typeof CLIENTS)[number];

export type Options = {
  readonly names: readonly Name[];
  readonly rounds: number;
  readonly seconds: number;
  /** Proves that the suite runs: few and short rounds, no gate. */
  readonly isQuick: boolean;
  /** Long enough for its gates to be meaningful. */
  readonly isFull: boolean;
  /** A missed gate fails the run. */
  readonly isGated: boolean;
  readonly jsonFile: string | undefined;
  /** Undefined: wrk if it is installed, else the client of this folder. */
  readonly client: ClientName | undefined;
  /** Number of users of `audience`, `identify` and `fanout`; undefined: each benchmark's default. */
  readonly people: number | undefined;
  /** A second built checkout that joins `ingest` and `send` as a separate contender. */
  readonly also: string | undefined;
};

/** Invalid words on the command line; the message says what would be valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The help text. */
export const USAGE = `npm run bench -- [names...] [--rounds 5] [--seconds 4] [--quick] [--gate] [--json FILE]
                 [--client ${CLIENTS.join('|')}] [--also DIR]
                 [--people N]
benchmarks: ${NAMES.join(', ')} (all of them when none is named)`;

const QUICK = { rounds: 3, seconds: 3 };
const FULL = { rounds: 5, seconds: 4 };

const oneOf = <Word extends string>(known: readonly Word[], word: string, what: string): Word => {
  const found = known.find((one) => one === word);
  if (found === undefined) throw new UsageError(`${what} must be one of ${known.join(', ')}, not ${word}`);
  return found;
};

const whole = <Otherwise>(text: string | undefined, otherwise: Otherwise, what: string): number | Otherwise => {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`${what} must be a whole number from 1, not ${text}`);
  return Number(text);
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        gate: { type: 'boolean', default: false },
        json: { type: 'string' },
        client: { type: 'string' },
        also: { type: 'string' },
        people: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** The command line as options. Throws UsageError. */
export const parseOptions = (args: readonly string[]): Options => {
  const { values, positionals } = parsed(args);
  const named = new Set(positionals.map((word) => oneOf(NAMES, word, 'a benchmark')));
  const size = values.quick ? QUICK : FULL;
  const rounds = whole(values.rounds, size.rounds, '--rounds');
  const seconds = whole(values.seconds, size.seconds, '--seconds');
  const isFull = !values.quick && rounds >= FULL.rounds && seconds >= FULL.seconds;
  if (values.gate && !isFull)
    throw new UsageError(
      `--gate needs a full run: ${FULL.rounds} rounds of ${FULL.seconds} s or more, without --quick`,
    );
  return {
    names: NAMES.filter((name) => named.size === 0 || named.has(name)),
    rounds,
    seconds,
    isQuick: values.quick,
    isFull,
    isGated: values.gate,
    jsonFile: values.json,
    client: values.client === undefined ? undefined : oneOf(CLIENTS, values.client, '--client'),
    people: whole(values.people, undefined, '--people'),
    also: values.also === undefined ? undefined : resolve(values.also),
  };
};
