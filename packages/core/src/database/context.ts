import type { Db, Dialect } from './storage.ts';

/** Input of a store: a handle (of a transaction or outside one), the dialect and its tables. */
export type StoreContext<Tables> = { readonly db: Db; readonly dialect: Dialect; readonly tables: Tables };
