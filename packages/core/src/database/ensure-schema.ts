import { SchemaError } from './migrate.ts';
import type { OpenDatabase } from './open.ts';

/** Migrates a database to the program's schema; with `check` it must have that schema already. Throws SchemaError. */
export const ensureSchema = async (database: OpenDatabase, mode: 'auto' | 'check' | undefined): Promise<void> => {
  const { pending, isNewer } = await database.state();
  if (isNewer || (mode !== 'check' && pending.length > 0)) await database.migrate();
  else if (pending.length > 0)
    throw new SchemaError('pending', `${pending.length} migrations are missing; run: beckon migrate up`);
};
