// Due message rows with a handler that does nothing: through the product's work engine, or by hand.
import { productSide } from './worker/product.ts';
import { rawPostgresSide } from './worker/raw-postgres.ts';
import { rawSqliteSide } from './worker/raw-sqlite.ts';
import { answerAs } from './worker/side.ts';
import { tableAt } from './worker/table.ts';

/** `raw`, or for the product the maximum number of rows in progress. */
answerAs(async ({ url, way }) => {
  const table = tableAt(url);
  if (way !== 'raw') return productSide(table, Number(way));
  return url.startsWith('sqlite:') ? rawSqliteSide(table) : rawPostgresSide(table);
});
