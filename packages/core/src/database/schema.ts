import { requireNode } from '../foundation/node-version.ts';
import type { SchemaState } from './migrate.ts';
import { openDatabase } from './open.ts';

/** The schema of a database, for whoever migrates it without running the service. */
export type DatabaseSchema = {
  /** Changes nothing. Throws SchemaError `changed`. */
  state(): Promise<SchemaState>;
  /** Names applied. Throws SchemaError. */
  migrate(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** Opens a database for its schema alone. Throws as `createBeckon` does for its `db`. */
export const databaseSchema = async ({
  db,
  trustPath,
}: {
  readonly db: string;
  /** As `createBeckon` takes it. */
  readonly trustPath?: boolean | undefined;
}): Promise<DatabaseSchema> => {
  requireNode();
  const { state, migrate, storage } = await openDatabase({ url: db, trustPath });
  return { state, migrate, close: () => storage.close() };
};
