// The parts of node-postgres that a host program passes in, by shape: a program without `pg` does not need its types.

/** A connection of node-postgres: `pg.PoolClient` or `pg.Client`. */
export type PostgresClient = {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
};

/** A pool of node-postgres: `pg.Pool`. */
export type PostgresPool = PostgresClient & {
  connect(): Promise<PostgresClient & { release(destroy?: boolean | Error): void }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
};

/** True for a value with the shape of a pool. Throws nothing. */
export const isPool = (value: unknown): value is PostgresPool =>
  typeof value === 'object' &&
  value !== null &&
  ['connect', 'query', 'on', 'off', 'end'].every((name) => typeof Reflect.get(value, name) === 'function');
