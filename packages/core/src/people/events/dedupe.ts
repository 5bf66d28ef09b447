import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Reaction } from './pipeline.ts';
import type { EventStatements } from './statements.ts';

/** How long a messageId is remembered. Source: contract, ingest and profiles. */
export const DEDUPE_MS = 72 * 3_600_000;

type Seen = { readonly eventId: string; readonly receivedAt: Date };

const keyOf = (scope: InScope, messageId: string): string => `${scopeKey(scope)}/${messageId}`;

const NOTHING: ReadonlyMap<string, Seen> = new Map();

/**
 * A retry with a known messageId changes nothing; so does the second of two in one batch. Nearly all are new, so the
 * guarded insert finds out: what is stored is read only once a guard of the batch has failed.
 */
export const dedupe = (storage: Storage, hot: EventStatements): Reaction<ReadonlyMap<string, Seen>> => ({
  name: 'dedupe',
  load: async (items, { isFirstTry }) => {
    if (isFirstTry) return NOTHING;
    const keys = items.flatMap(({ scope, messageId }) => (messageId === null ? [] : [[scopeKey(scope), messageId]]));
    const rows = await storage.select(hot.messageIds, keys);
    return new Map(rows.map((row) => [keyOf(row, row.messageId), row]));
  },
  plan: (draft, stored) => {
    const seen = new Map<string, string>();
    for (const entry of draft.entries) {
      const { item } = entry;
      const { messageId } = item;
      if (messageId === null) continue;
      const key = keyOf(item.scope, messageId);
      const known = stored.get(key);
      const isLive = known && item.receivedAt.getTime() - known.receivedAt.getTime() < DEDUPE_MS;
      entry.duplicateOf = seen.get(key) ?? (isLive ? known.eventId : null);
      if (entry.duplicateOf !== null) continue;
      seen.set(key, item.id);
      const row = { ...scopeOf(item.scope), messageId, receivedAt: item.receivedAt };
      draft.writes.push(
        known
          ? write(hot.replaceMessageId, { ...row, eventId: known.eventId, newEventId: item.id }, item.id)
          : write(hot.insertMessageId, { ...row, eventId: item.id }, item.id),
      );
    }
  },
});
