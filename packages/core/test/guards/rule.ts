import type { Table } from 'drizzle-orm';
import type { Tables } from '../../src/app/tables.ts';
import type { Values } from './values.ts';

/** What one guarded statement promises. The table of rules is written by hand, so that a removed guard is noticed. */
export type Rule = {
  /** Columns by which the statement finds its row: a stored row that differs in one of them is unchanged. */
  readonly match: readonly string[];
  /** A commit fails as a whole if the statement had no effect. Absent: the row is skipped. */
  readonly isGuarded?: true;
  /** Values of the stored row, besides the sample values, with which the statement has its effect. */
  readonly row?: Values;
  /** Values of the commit besides the sample values. */
  readonly write?: Values;
  /** Differences of the stored row with which nothing may change. */
  readonly stops?: readonly Values[];
  /** Differences of the stored row with which the statement still has its effect. */
  readonly passes?: readonly Values[];
  /** Columns that it clears whatever the commit contains, such as the end of a lease. */
  readonly empties?: readonly string[];
  /** Columns that it increments: a version, or the fencing token that rejects other holders of the row. */
  readonly raises?: readonly string[];
  /** For a guarded update: repeating the commit changes nothing more and fails. */
  readonly isOnce?: true;
  /** A row of another table that the statement reads, and variants of it with which nothing may change. */
  readonly beside?: (tables: Tables) => Beside;
};

export type Beside = {
  readonly table: Table;
  readonly passes: readonly Values[];
  readonly stops: readonly Values[];
};

/** Rows that differ in one column only. */
export const each = (key: string, values: readonly unknown[]): Values[] => values.map((value) => ({ [key]: value }));

/** The values of a list without these. */
export const except = <T>(all: readonly T[], these: readonly T[]): T[] => all.filter((one) => !these.includes(one));
