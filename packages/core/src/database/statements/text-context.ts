import type { DialectName } from '../dialect-name.ts';

/** What a room is given to write a part of a statement with. */
export type TextContext = {
  readonly dialect: DialectName;
  /** Where a bound value stands, by its name. It may be named any number of times. */
  value(name: string): string;
};

/** Writes SQL for one database; pure. */
export type SqlText = (context: TextContext) => string;
