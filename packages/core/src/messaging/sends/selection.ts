// What rooms say of the statements that expand a send to an audience: who is meant, and where they are reached. Sending makes
// one statement of it (expand/hot.ts), so that nobody reads another room's tables.

import type { SqlText } from '../../database/statements/text-context.ts';

/** People: rows of a table, named `m`, with the columns `scope_id` and `person`. */
export type PeopleText = {
  /** Its quoted name. */
  readonly table: string;
  /** Which of its rows, by the values `scopeId` and `audienceId`; each person once. */
  readonly where: SqlText;
};

/**
 * Where people are reached: rows of a table, named `a`, with the columns `scope_id` and `person`, which an index begins with.
 * It says what the channel's `addressesOf` would.
 */
export type AddressText = {
  /** Its quoted name. */
  readonly table: string;
  /** Which of one person's rows. */
  readonly where: string;
  /** The order of one person's addresses: that of `load`. */
  readonly order: string;
  readonly address: string;
  readonly tokenId: string;
  /** What the message row keeps of the address, as the database keeps JSON. */
  readonly facts: SqlText;
  /** Why the person in `m` is not reached, where no row is theirs: the text of a SuppressionReason. */
  readonly none: string;
};
