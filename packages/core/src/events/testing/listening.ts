import { testScopes } from '../../../test/scopes.ts';
import type { CatalogName } from '../catalog.ts';
import { type Emitter, emitter } from '../emit.ts';
import { eventHot } from '../hot.ts';
import type { EventTables } from '../tables.ts';

/** An emitter in whose every scope somebody listens to these names. */
export const listeningTo = (tables: EventTables, ...names: readonly CatalogName[]): Emitter => {
  const heard: ReadonlySet<string> = new Set(names);
  return emitter({
    hot: eventHot(tables),
    scopes: testScopes,
    listeners: [{ load: async () => (_, name) => heard.has(name) }],
  });
};
