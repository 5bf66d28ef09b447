import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Reaction } from './pipeline.ts';
import type { EventStatements } from './statements.ts';

/** Deduplication window of a messageId. Source: contract, ingest and profiles. */
export const DEDUPE_MS = 72 * 3_600_000;

type Seen = { readonly eventId: string; readonly receivedAt: Date };

const keyOf = (scope: InScope, messageId: string): string => `${scopeKey(scope)}/${messageId}`;

const NOTHING: ReadonlyMap<string, Seen> = new Map();

/**
 * Marks events whose messageId was used within the window, or earlier in the same batch, as duplicates. Nearly all ids
 * are new, so the first try does not read: the guard of the insert detects a known id, and only the retry loads stored
 * ids.
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
