import { relativeTime, shortId } from '../cells.ts';
import type { Io } from '../io.ts';

/** How values are shown: short for a person, whole for a program. */
export type Screen = Pick<Io, 'stdout' | 'now'> & {
  readonly isTTY: boolean;
  id(id: string): string;
  id(id: string | null): string | null;
  /** `5 min ago`, or the moment itself. */
  time(moment: string | null): string | null;
};

/** The screen of a process. */
export const screenOf = ({ stdout, now }: Pick<Io, 'stdout' | 'now'>): Screen => {
  const { isTTY } = stdout;
  // Proof of the cast: a text gives a text, and null gives null.
  const id = ((whole: string | null) => (isTTY && whole !== null ? shortId(whole) : whole)) as Screen['id'];
  const time = (moment: string | null): string | null =>
    isTTY && moment !== null ? relativeTime(new Date(moment), now()) : moment;
  return { stdout, now, isTTY, id, time };
};
