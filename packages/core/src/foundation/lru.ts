import { LRUCache } from 'lru-cache';

/**
 * At most `maxEntries` values; the one unused for longest gives way. Room is taken as values come: told `max`, the
 * library takes room for all of them at once, which for every cache of a service together was 12 MB and 60 ms.
 */
export const lru = <Key extends {}, Value extends {}>(maxEntries: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: maxEntries, sizeCalculation: () => 1 });
