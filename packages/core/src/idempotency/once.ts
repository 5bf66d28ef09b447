import type { Db } from '../storage/storage.ts';
import type { Write } from '../storage/write-set.ts';
import type { Once } from './token.ts';

/**
 * What a remembered answer is written with. An engine that writes what the request asked for adds these writes to its
 * own plan, so that both are on disk or neither is. `lost` is what it throws when the plan's guard `tag` failed:
 * somebody else answers for the key by now.
 */
export type OnceWrites = Once & {
  /** @param answer the data of the answer, as it goes out */
  writes(answer: unknown, now: Date): readonly Write[];
  lost(): Error;
  /** The same for work that has a transaction of its own. Throws what `lost` gives. */
  inside(db: Db, answer: unknown, now: Date): Promise<void>;
};

/** The writes behind a token. Safe: tokens are made by `idempotency.run` alone, which makes them with their writes. */
export const writesOf = (once: Once): OnceWrites => once as OnceWrites;
