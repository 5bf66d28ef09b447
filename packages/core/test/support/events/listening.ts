import type { CatalogName } from '../../../src/people/events/catalog.ts';
import { type Emitter, emitter } from '../../../src/people/events/emit.ts';
import { eventStatements } from '../../../src/people/events/statements.ts';
import type { EventTables } from '../../../src/people/events/tables.ts';
import { testScopes } from '../scopes.ts';

/** An emitter with subscribers to these names in every scope. */
export const listeningTo = (tables: EventTables, ...names: readonly CatalogName[]): Emitter => {
  const subscribed: ReadonlySet<string> = new Set(names);
  return emitter({
    hot: eventStatements(tables),
    scopes: testScopes,
    listeners: [{ load: async () => (_, name) => subscribed.has(name) }],
  });
};
