/** Which of the two databases a statement is written for. */
export type DialectName = 'sqlite' | 'postgres';
