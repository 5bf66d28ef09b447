// A file of its own, without drizzle: the types of the public library lead here.
import type { DialectName } from '../dialect-name.ts';

/** What a module uses to write a part of a statement. */
export type TextContext = {
  readonly dialect: DialectName;
  /** The place of a bound value, by its name. A name may be used any number of times. */
  value(name: string): string;
};

/** Writes SQL for one database; pure. */
export type SqlText = (context: TextContext) => string;
