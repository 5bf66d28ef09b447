import type { QueryConfig } from 'pg';

/** Something that runs one statement: the pool, or the connection of a transaction. */
export type Runner = {
  query(config: QueryConfig & { rowMode: 'array' }): Promise<{ rows: unknown[][] }>;
  /** Statements may be asked before the ones ahead of them are answered; they run in their order all the same. */
  readonly isPipelined?: boolean;
};
