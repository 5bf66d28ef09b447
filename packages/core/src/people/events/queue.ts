// Where accepted items wait for their flush.

import type { Storage } from '../../database/storage.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { type Batcher, batcher, type Settled } from '../../jobs/concurrency/batcher.ts';
import type { Item } from './pipeline.ts';

/** Flushes in flight: one connection writes on SQLite, two were fastest on PostgreSQL. Source: performance design. */
const PARTITIONS = { sqlite: 1, postgres: 2 } as const;
/** Rows and bytes that wait at most before requests are shed. Source: performance design, ingest and durability. */
export const MAX_PENDING_ROWS = 20_000;
export const MAX_PENDING_BYTES = 16 * 1_024 * 1_024;
/** Rows of one flush at most. Source: as above. */
export const MAX_FLUSH_ROWS = 1_000;
/**
 * The same while events of several orgs come. Ours: beside a flood of another org a single event took 37 and 61 ms (half of
 * them; SQLite, PostgreSQL) with flushes of 1,000 and takes 4 and 9 ms with these and a turn between them, for some of the flood.
 */
const SHARED_FLUSH_ROWS = 100;

type Whose = Pick<Item, 'userId' | 'anonymousId'> & { readonly scope: InScope };

const hashOf = (text: string): number => {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return Math.abs(hash);
};

/** Cheap and good enough to keep one person's items in one partition. Throws nothing. */
export const partitionKey = ({ scope, userId, anonymousId }: Whose): number => {
  return hashOf(`${scopeKey(scope)}${userId ?? anonymousId}`);
};

/** The same for all items of an org, where its requests have to be written as a whole. Throws nothing. */
export const orgPartitionKey = ({ scope: { orgId } }: Pick<Item, 'scope'>): number => hashOf(orgId);

/** What waits to be stored; jobs/concurrency/batcher.ts says how it answers. */
export const ingestQueue = <Waiting, Result>(
  dialect: Storage['dialect']['name'],
  flush: (waiting: readonly Waiting[], isAlone: boolean) => Promise<readonly (Settled<Result> | null)[]>,
  isOneWith?: (before: Waiting, item: Waiting) => boolean,
  ownerOf?: (item: Waiting) => unknown,
): Batcher<Waiting, Result> =>
  batcher<Waiting, Result>({
    partitions: PARTITIONS[dialect],
    maxFlushRows: MAX_FLUSH_ROWS,
    sharedFlushRows: SHARED_FLUSH_ROWS,
    maxPendingRows: MAX_PENDING_ROWS,
    maxPendingBytes: MAX_PENDING_BYTES,
    isOneWith,
    ownerOf,
    flush,
  });
