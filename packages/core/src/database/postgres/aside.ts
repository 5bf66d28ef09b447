// Long reads beside everything else. A server that gave one of them its parallel workers would have no processor left for
// those who commit meanwhile.
import type { Pool, QueryConfig } from 'pg';
import { storageErrors } from '../errors.ts';
import { withClient } from './client.ts';
import { timed } from './in-time.ts';

// Of this transaction alone, so that it holds behind a pooler too.
const BEGIN = 'begin read only; set local max_parallel_workers_per_gather = 0';

/** One statement on one processor of the server, in a transaction that can only read. Throws StorageError. */
export const readAside = (pool: Pool, untilMs: number, config: QueryConfig, values: unknown[]): Promise<unknown> =>
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
