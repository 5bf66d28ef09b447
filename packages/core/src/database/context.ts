import type { Db, Dialect } from './storage.ts';

/** What a store is made from: a handle (of a transaction or outside one), the dialect and its own tables. */
export type StoreContext<Tables> = { readonly db: Db; readonly dialect: Dialect; readonly tables: Tables };
