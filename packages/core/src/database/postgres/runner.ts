import type { QueryConfig } from 'pg';

/** Runs one statement: the pool, or the connection of a transaction. */
export type Runner = {
  query(config: QueryConfig & { rowMode: 'array' }): Promise<{ rows: unknown[][] }>;
  /** Statements may be sent before earlier ones are answered; they still run in order. */
  readonly isPipelined?: boolean;
};
