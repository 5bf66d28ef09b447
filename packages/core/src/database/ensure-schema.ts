import { SchemaError } from './migrate.ts';
import type { OpenDatabase } from './open.ts';

/**
 * Brings a database to the schema of the program; with `check` it has to have it already. Throws SchemaError.
 */
export const ensureSchema = async (database: OpenDatabase, mode: 'auto' | 'check' | undefined): Promise<void> => {
  const { pending, isNewer } = await database.state();
  if (isNewer || (mode !== 'check' && pending.length > 0)) await database.migrate();
  else if (pending.length > 0)
    throw new SchemaError('pending', `${pending.length} migrations are missing; run: beckon migrate up`);
};
