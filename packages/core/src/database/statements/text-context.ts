// A separate file without drizzle, because the public types of the library import it.
import type { DialectName } from '../dialect-name.ts';

/** Context in which a module writes a part of a statement. */
export type TextContext = {
  readonly dialect: DialectName;
  /** The placeholder of a bound value, by name. A name may be used any number of times. */
  value(name: string): string;
};

/** Writes SQL for one database; pure. */
export type SqlText = (context: TextContext) => string;
