/** The database that a statement is written for. */
export type DialectName = 'sqlite' | 'postgres';
