// SQL texts that modules provide to expand a send to an audience: the members and their addresses. Sending combines
// them into one statement (expand/statements.ts), so no module reads the tables of another.

import type { SqlText } from '../../database/statements/text-context.ts';

/** Users: rows of a table with the alias `m` and the columns `scope_id` and `person`. */
export type PeopleText = {
  /** Quoted table name. */
  readonly table: string;
  /** Condition on its rows, with the values `scopeId` and `audienceId`; each user once. */
  readonly where: SqlText;
};

/**
 * Addresses of users: rows of a table with the alias `a` and the columns `scope_id` and `person`, which lead an index.
 * Equivalent to the channel's `addressesOf`.
 */
export type AddressText = {
  /** Quoted table name. */
  readonly table: string;
  /** Condition on the rows of one user. */
  readonly where: string;
  /** Order of one user's addresses, as in `load`. */
  readonly order: string;
  readonly address: string;
  readonly tokenId: string;
  /** `facts` of the message row, as stored JSON. */
  readonly facts: SqlText;
  /** The SuppressionReason of the user in `m` if no row matches. */
  readonly none: string;
};
