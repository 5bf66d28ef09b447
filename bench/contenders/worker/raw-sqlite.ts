import { checkpoints } from '../../../packages/core/src/database/sqlite/checkpoint.ts';
import { type Connection, openConnection } from '../../../packages/core/src/database/sqlite/connection.ts';
import { renderClaim } from '../../../packages/core/src/database/statements/claim.ts';
import { renderWrite } from '../../../packages/core/src/database/statements/render.ts';
import { outcomeValues } from '../store/raw-sqlite.ts';
import { BATCH, LEASE_MS, type Leased, outcomeOf } from '../store/rows.ts';
import type { Side } from './side.ts';
import type { Table } from './table.ts';

/**
 * Prepared statements of better-sqlite3 with the product's texts, values and pragmas: one transaction finishes the rows
 * of the last claim and claims the next 256.
 */
export const rawSqliteSide = (table: Table): Side => {
  let connection: Connection | undefined;
  return {
    fill: async (count) => {
      connection?.close();
      const { url } = await table.fill(count);
      connection = openConnection(url.slice('sqlite:'.length), 'full');
      checkpoints(connection);
    },
    run: async () => {
      if (!connection) throw new Error('nothing was filled');
      const begin = connection.prepare('begin immediate');
      const commit = connection.prepare('commit');
      const claim = connection.prepare(renderClaim('sqlite', table.hot.messages).claim);
      const settle = connection.prepare(renderWrite('sqlite', table.hot.sending.finalizeStatement).text);
      const params = { now: null, lease: LEASE_MS, limit: BATCH };
      let handled = 0;
      let leased: readonly Leased[] = [];
      do {
        begin.run();
        for (const row of leased)
          if (settle.run(...outcomeValues(outcomeOf(row))).changes !== 1) throw new Error('a guard failed');
        // Safe: the statement returns whole rows of the table.
        leased = claim.all(params) as Leased[];
        commit.run();
        handled += leased.length;
      } while (leased.length > 0);
      return handled;
    },
    check: table.check,
  };
};
