import { requireNode } from '../foundation/node-version.ts';
import type { SchemaState } from './migrate.ts';
import { openDatabase } from './open.ts';

/** The schema of a database, for programs that migrate it without starting the service. */
export type DatabaseSchema = {
  /** Changes nothing. Throws SchemaError `changed`. */
  state(): Promise<SchemaState>;
  /** Returns the applied names. Throws SchemaError. */
  migrate(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** Opens a database for its schema only. Throws as `createBeckon` does for its `db`. */
export const databaseSchema = async ({
  db,
  trustPath,
}: {
  readonly db: string;
  /** As in `createBeckon`. */
  readonly trustPath?: boolean | undefined;
}): Promise<DatabaseSchema> => {
  requireNode();
  const { state, migrate, storage } = await openDatabase({ url: db, trustPath });
  return { state, migrate, close: () => storage.close() };
};
