import pg from 'pg';
import { renderClaim } from '../../../packages/core/src/database/statements/claim.ts';
import { renderWrite } from '../../../packages/core/src/database/statements/render.ts';
import { outcomeColumns } from '../store/raw-postgres.ts';
import { BATCH, LEASE_MS, type Leased, outcomeOf } from '../store/rows.ts';
import type { Side } from './side.ts';
import type { Table } from './table.ts';

/**
 * Named statements of pg on one connection with the product's texts and values: one transaction finishes the rows of
 * the last claim and claims the next 256.
 */
export const rawPostgresSide = (table: Table): Side => {
  const claim = { name: 'claim', text: renderClaim('postgres', table.hot.messages).claim };
  const settle = { name: 'settle', text: renderWrite('postgres', table.hot.sending.finalizeStatement).text };
  let client: pg.Client | undefined;
  return {
    fill: async (count) => {
      const { url } = await table.fill(count);
      if (client) return;
      client = new pg.Client({ connectionString: url });
      await client.connect();
    },
    run: async () => {
      if (!client) throw new Error('nothing was filled');
      let handled = 0;
      let leased: readonly Leased[] = [];
      do {
        await client.query('begin');
        if (leased.length > 0) {
          const { rowCount } = await client.query({ ...settle, values: outcomeColumns(leased.map(outcomeOf)) });
          if (rowCount !== leased.length) throw new Error('a guard failed');
        }
        leased = (await client.query<Leased>({ ...claim, values: [null, LEASE_MS, BATCH] })).rows;
        await client.query('commit');
        handled += leased.length;
      } while (leased.length > 0);
      return handled;
    },
    check: table.check,
  };
};
