import { createHash } from 'node:crypto';
import type { Storage } from '../../database/storage.ts';
import { exchange } from './exchange.ts';
import { callBucketStore } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Rows that one piece of upkeep takes away; ours. */
const MOST_AT_ONCE = 1_000;

const digestOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** The buckets of calls that all processes of a database share, by its clock: theirs may differ. */
export const sharedBuckets = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'now'>;
  readonly tables: LimitTables;
}) => {
  const store = callBucketStore({ db: storage.db, tables });
  const nowUsThere = async (): Promise<number> => (await storage.now()).getTime() * 1_000;
  return {
    open: (nowUs: () => number) =>
      exchange({
        nowUs,
        swap: async (tellings) =>
          store.swap(
            tellings.map((one) => ({ ...one, digest: digestOf(one.key) })),
            await nowUsThere(),
          ),
      }),
    sweep: async (): Promise<boolean> => (await store.removeFull(await nowUsThere(), MOST_AT_ONCE)) === MOST_AT_ONCE,
  };
};
