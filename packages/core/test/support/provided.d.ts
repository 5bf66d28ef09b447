import 'vitest';

declare module 'vitest' {
  /** Values of `inject`; see the projects in vitest.config.ts. */
  export interface ProvidedContext {
    /** The database under the `*.db.test.ts` files. Only in contract-sqlite and contract-postgres. */
    engine: 'sqlite' | 'postgres';
    /** Superuser URL of a PostgreSQL server. Only in contract-postgres and e2e; empty in contract-sqlite. */
    postgresUrl: string;
  }
}
