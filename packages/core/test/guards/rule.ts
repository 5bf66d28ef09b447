import type { Table } from 'drizzle-orm';
import type { Tables } from '../../src/app/tables.ts';
import type { Values } from './values.ts';

/** What one guarded statement promises; the table of these is written by hand, so that a guard that goes is noticed. */
export type Rule = {
  /** Columns by which it finds its row: a stored row that differs in one of them is not changed. */
  readonly match: readonly string[];
  /** A commit fails as a whole where the statement had no effect. Absent: that row is passed over. */
  readonly isGuarded?: true;
  /** What the stored row holds besides the sample values, so that the statement has its effect. */
  readonly row?: Values;
  /** What the commit gives besides the sample values. */
  readonly write?: Values;
  /** Differences of the stored row with which nothing may change. */
  readonly stops?: readonly Values[];
  /** Differences of the stored row with which the statement still has its effect. */
  readonly passes?: readonly Values[];
  /** Columns that it empties whatever the commit gives: the end of a lease, say. */
  readonly empties?: readonly string[];
  /** Columns that it raises by one: a version, or the fence that shuts out whoever holds the row. */
  readonly raises?: readonly string[];
  /** Of a guarded update: a commit that is made a second time changes nothing more and fails. */
  readonly isOnce?: true;
  /** A row of another table that the statement reads, and others in its place with which nothing may change. */
  readonly beside?: (tables: Tables) => Beside;
};

export type Beside = {
  readonly table: Table;
  readonly passes: readonly Values[];
  readonly stops: readonly Values[];
};

/** Rows that differ in one column only. */
export const each = (key: string, values: readonly unknown[]): Values[] => values.map((value) => ({ [key]: value }));

/** The values of a list that are not among these. */
export const except = <T>(all: readonly T[], these: readonly T[]): T[] => all.filter((one) => !these.includes(one));
