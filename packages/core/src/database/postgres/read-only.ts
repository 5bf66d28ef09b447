// Long reads next to other work. Without this setting, the parallel workers of one such read would leave no processor
// for commits.
import type { Pool, QueryConfig } from 'pg';
import { storageErrors } from '../errors.ts';
import { withClient } from './client.ts';
import { timed } from './deadlines.ts';

// Set per transaction, so that it also works behind a pooler.
const BEGIN = 'begin read only; set local max_parallel_workers_per_gather = 0';

/** Runs one statement on one processor of the server, in a read-only transaction. Throws StorageError. */
export const queryReadOnly = (pool: Pool, untilMs: number, config: QueryConfig, values: unknown[]): Promise<unknown> =>
  withClient(
    pool,
    async (client, lent) => {
      const limited = timed(lent, untilMs);
      await storageErrors.around(limited.begin(BEGIN));
      const answer = await storageErrors.around(limited.query(config, values));
      await storageErrors.around(client.query('commit'));
      return answer;
    },
    untilMs,
  );
