import { type OpenDatabase, type OpenOptions } from '../src/storage/open.ts';
import { type Tables } from '../src/tables.ts';
export type TestDatabase = OpenDatabase & {
    readonly url: string;
    readonly tables: Tables;
    close(): Promise<void>;
};
/** An empty, migrated PostgreSQL database of its own and the way to give it back. */
export declare const newPostgresDatabase: () => Promise<{
    url: string;
    drop(): Promise<void>;
}>;
/** An empty, migrated database of the engine that this project tests. */
export declare const openTestDatabase: (options?: Omit<OpenOptions, 'url'> & {
    url?: string;
}) => Promise<TestDatabase>;
//# sourceMappingURL=database.d.ts.map