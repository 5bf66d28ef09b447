// Short forms of ids, times and scopes in tables on a terminal. Piped and JSON output has the whole values.

import type { Io } from './io.ts';

/** Characters of a short id, from the random end of a UUIDv7. Chosen: unique in practice within a project. */
const ID_END = 8;

/** The end of an id, which commands accept as an id: `0f3a91c2`. */
export const shortId = (id: string): string => id.slice(-ID_END);

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `5 min ago`, `in 3 d`, `now` within a second; null for null. */
export const relativeTime = (moment: Date | null, now: Date): string | null => {
  if (moment === null) return null;
  const ms = moment.getTime() - now.getTime();
  for (const [unit, name] of UNITS) {
    const count = Math.trunc(Math.abs(ms) / unit);
    if (count > 0) return ms < 0 ? `${count} ${name} ago` : `in ${count} ${name}`;
  }
  return 'now';
};

/** Scopes grouped by resource: `events.write email:* push:read,send`. */
export const collapsedScopes = (scopes: readonly string[], all: readonly string[]): string => {
  if (all.every((scope) => scopes.includes(scope))) return 'all';
  const about = (scope: string): string => scope.split(':')[0] ?? scope;
  return [...Map.groupBy(scopes, about)]
    .map(([name, group]) => {
      if (!group.every((scope) => scope.includes(':'))) return group.join(' ');
      const isWhole = all.filter((scope) => about(scope) === name).every((scope) => scopes.includes(scope));
      return `${name}:${isWhole ? '*' : group.map((scope) => scope.slice(name.length + 1)).join(',')}`;
    })
    .join(' ');
};

/** How values are shown: short on a terminal, whole in a pipe. */
export type Screen = Pick<Io, 'stdout' | 'now'> & {
  readonly isTTY: boolean;
  id(id: string): string;
  id(id: string | null): string | null;
  /** `5 min ago` on a terminal, else the ISO time. */
  time(moment: string | null): string | null;
};

/** The screen of a process. */
export const screenOf = ({ stdout, now }: Pick<Io, 'stdout' | 'now'>): Screen => {
  const { isTTY } = stdout;
  // Proof of the cast: a string returns a string, and null returns null.
  const id = ((whole: string | null) => (isTTY && whole !== null ? shortId(whole) : whole)) as Screen['id'];
  const time = (moment: string | null): string | null =>
    isTTY && moment !== null ? relativeTime(new Date(moment), now()) : moment;
  return { stdout, now, isTTY, id, time };
};
