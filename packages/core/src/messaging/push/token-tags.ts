import type { Storage } from '../../database/storage.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import { type LoadTokenTags, personKey } from '../../people/profiles/view.ts';
import { pushStatements } from './statements.ts';
import type { PushTables } from './tables.ts';

/**
 * Language and zone of users' newest active devices; one statement, whatever the number of users. Source: contract,
 * Ingest and profiles.
 */
export const tokenTags = (storage: Pick<Storage, 'select'>, tables: PushTables): LoadTokenTags => {
  const { newestOf } = pushStatements(tables);
  return async (keys) => {
    const rows = await storage.select(
      newestOf,
      keys.map((key) => [scopeKey(key), key.person]),
    );
    return new Map(
      rows.flatMap((row) => {
        const { person, locale, timezone } = row;
        return person === null ? [] : [[personKey({ ...scopeOf(row), person }), { locale, timezone }]];
      }),
    );
  };
};
