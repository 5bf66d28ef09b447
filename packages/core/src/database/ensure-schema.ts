import { SchemaError } from './migrate.ts';
import type { OpenDatabase } from './open.ts';

/**
 * Migrates a database to the program's schema. With `check` and `off` the database must have that schema already; with
 * `off` that of the next minor release is accepted too, so that an old process can start again during an upgrade. Throws
 * SchemaError.
 */
export const ensureSchema = async (
  database: OpenDatabase,
  mode: 'auto' | 'check' | 'off' | undefined,
): Promise<void> => {
  const { pending, isNewer, isCompatible } = await database.state();
  if (isNewer && isCompatible && mode === 'off') return;
  if (isNewer || ((mode ?? 'auto') === 'auto' && pending.length > 0)) await database.migrate();
  else if (pending.length > 0)
    throw new SchemaError('pending', `${pending.length} migrations are missing; run: beckon migrate up`);
};
