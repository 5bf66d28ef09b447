import { dirname } from 'node:path/posix';

/** What a mutant did: a test failed, none did, or there was no time to see. */
export type Fate = 'killed' | 'survived' | 'not run';
export type Verdict = { readonly says: string; readonly fate: Fate };

/** Percent of the mutants that a room's tests have to kill. */
export const MIN_PERCENT = 85;

const CORE = 'packages/core/src/';
/** Rooms that are a package of their own, or within one. */
const PACKAGE = /^sdk-js(?=\/|$)/;
const LIST = /^packages\/(?:core\/src\/(.+)|(sdk-js)\/src(\/.+)?)\/mutants\.ts$/;

/** The text with the mutant in it. Throws where what it looks for does not occur exactly once. */
export const mutated = (text: string, { find, replace }: { find: string; replace: string }): string => {
  const pieces = text.split(find);
  const times = pieces.length - 1;
  if (times !== 1) throw new Error(`occurs ${times} times instead of once: ${find}`);
  return pieces.join(replace);
};

/** The room whose list this is, such as `events` or `sdk-js/node`; null for any other file. */
export const roomOfList = (path: string): string | null => {
  const [, inCore, name, within = ''] = LIST.exec(path) ?? [];
  return inCore ?? (name === undefined ? null : name + within);
};

/** Where a room is, from the root of the repository. */
export const folderOf = (room: string): string =>
  PACKAGE.test(room) ? `packages/${room.replace(PACKAGE, '$&/src')}` : CORE + room;

/** True for the room that is asked for and the rooms within it. */
export const isWithin = (room: string, asked: string): boolean => `${room}/`.startsWith(`${asked}/`);

/** Those of the rooms in which one of the paths lies, in the order of the rooms. */
export const touchedRooms = (paths: readonly string[], rooms: readonly string[]): string[] => {
  const folders = paths.map((path) => `${dirname(path)}/`);
  return rooms.filter((room) => folders.some((folder) => folder.startsWith(`${folderOf(room)}/`)));
};

/** The lines of the new text that a diff without context (`git diff -U0`) names. */
export const changedLines = (diff: string): number[] =>
  Array.from(diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm), ([, first, count]) =>
    Array.from({ length: Math.max(1, Number(count ?? 1)) }, (_, at) => Number(first) + at),
  ).flat();

/** How many lines a mutant is away from the nearest changed line; infinite where its file did not change. */
export const distanceTo = (text: string, find: string, changed: readonly number[]): number => {
  const line = text.slice(0, text.indexOf(find)).split('\n').length;
  return Math.min(Number.POSITIVE_INFINITY, ...changed.map((one) => Math.abs(one - line)));
};

/** The projects of vitest that a room's tests run in: those of SQLite, and PostgreSQL where a test is about that alone. */
export const projectsOf = (tests: readonly string[]): readonly string[] => {
  const needsPostgres = tests.some((test) => test.endsWith('.postgres.test.ts'));
  return ['unit', 'contract-sqlite', ...(needsPostgres ? ['contract-postgres'] : [])];
};

/** Killed of those that ran, rounded down so that a bound is not met by rounding; 100 where none ran. */
export const percentOf = (verdicts: readonly Verdict[]): number => {
  const ran = verdicts.filter(({ fate }) => fate !== 'not run');
  const killed = ran.filter(({ fate }) => fate === 'killed');
  return ran.length === 0 ? 100 : Math.floor((100 * killed.length) / ran.length);
};

/** A room's score on one line, then a line for each mutant that no test noticed or that was not run. */
export const scoreOf = (room: string, verdicts: readonly Verdict[]): string => {
  const ran = verdicts.filter(({ fate }) => fate !== 'not run').length;
  const killed = verdicts.filter(({ fate }) => fate === 'killed').length;
  const rest = verdicts.filter(({ fate }) => fate !== 'killed').map(({ fate, says }) => `  ${fate}: ${says}`);
  const percent = ran === 0 ? 'nothing was run' : `${percentOf(verdicts)} %`;
  return [`${room}: ${killed} of ${ran} killed, ${percent}`, ...rest].join('\n');
};

/** What the command line asks for. Throws for an option that does not exist. */
export const parseMutantArguments = (args: readonly string[]) => {
  const rooms: string[] = [];
  let isChanged = false;
  let base: string | undefined;
  let minutes = Number.POSITIVE_INFINITY;
  let most: number | undefined;
  let isExact = false;
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--changed') {
      isChanged = true;
      if (rest[0] !== undefined && !rest[0].startsWith('--')) base = rest.shift();
    } else if (arg === '--minutes') {
      minutes = Number(rest.shift());
      if (!(minutes > 0)) throw new Error('--minutes needs a number');
    } else if (arg === '--most') {
      most = Number(rest.shift());
      if (!Number.isInteger(most) || most < 1) throw new Error('--most needs a whole number above 0');
    } else if (arg === '--only') {
      isExact = true;
    } else if (arg.startsWith('--')) throw new Error(`no such option: ${arg}`);
    else rooms.push(arg);
  }
  if (isChanged && rooms.length > 0) throw new Error('give rooms or --changed, not both');
  if (most !== undefined && !isChanged) throw new Error('--most needs --changed');
  return { rooms, isChanged, base, minutes, most, isExact };
};
