import type { Tables } from '../../src/app/tables.ts';
import type { StoreContext } from '../../src/database/context.ts';
import { sampleRow, type Values } from './values.ts';

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect'];

/** One call of a store's statement on one stored row. */
export type StoreRule = {
  readonly table: keyof Tables;
  /** Columns that the call names: a stored row that differs in one of them is unchanged. */
  readonly match: readonly string[];
  /** The stored row that the call changes. */
  readonly stored: (tables: Tables) => Values;
  /** Differences of the stored row with which it is unchanged. */
  readonly stops: readonly Values[];
  /** What another transaction changes between the read and the write of a call, so that the write has no effect. */
  readonly meanwhile: readonly Values[];
  /** The result is falsy if nothing changed. Absent: the call reports nothing. */
  readonly isReported: boolean;
  readonly call: (context: StoreContext<Tables>, stored: Values) => Promise<unknown>;
};

/** A statement in the order of its file: its first words, and its rules or why it has none. */
export type Statement = { readonly is: string } & (
  | {
      readonly rules: readonly StoreRule[];
      /** For erasing statements: the same call without ids, which must leave the rows of the first rule alone. */
      readonly unnamed?: (context: StoreContext<Tables>) => Promise<unknown>;
    }
  | { readonly plain: string }
);

/** Describes a call that must change its row only while the row is as the caller read it. */
export const rule = <Name extends keyof Tables>(
  table: Name,
  {
    match,
    row = {},
    stops = [],
    meanwhile = [],
    isReported = false,
    call,
  }: {
    readonly match: readonly Extract<keyof Row<Name>, string>[];
    readonly row?: Partial<Row<Name>>;
    readonly stops?: readonly Partial<Row<Name>>[];
    readonly meanwhile?: readonly Partial<Row<Name>>[];
    readonly isReported?: boolean;
    readonly call: (context: StoreContext<Tables>, stored: Row<Name>) => Promise<unknown>;
  },
): StoreRule => ({
  table,
  match,
  stops,
  meanwhile,
  isReported,
  stored: (tables) => ({ ...sampleRow(tables[table], match), ...row }),
  // Safe: `stored` gives every column of the table a value of its type.
  call: (context, stored) => call(context, stored as Row<Name>),
});

export const guarded = (is: string, ...rules: readonly StoreRule[]): Statement => ({ is, rules });
/** A statement that compares only the keys of its rows. */
export const plain = (is: string, why: string): Statement => ({ is, plain: why });
/** Deletes data of erased users: nothing of others, nothing in another scope, and nothing without ids. */
export const erasing = <Name extends keyof Tables>(
  is: string,
  table: Name,
  column: Extract<keyof Row<Name>, string>,
  erase: (context: StoreContext<Tables>, names: readonly string[]) => Promise<unknown>,
  row: Partial<Row<Name>> = {},
): Statement => {
  const run = (context: StoreContext<Tables>, names: readonly string[]) => erase(context, names);
  const named: StoreRule = {
    table,
    match: ['scopeId', column],
    stops: [],
    meanwhile: [],
    isReported: true,
    stored: (tables) => ({ ...sampleRow(tables[table], [column]), ...row }),
    call: (context, stored) => run(context, [String(stored[column])]),
  };
  return { is, rules: [named], unnamed: (context) => run(context, []) };
};

/** The time in every sample row. */
export const AT = new Date('2026-03-01T12:00:00.000Z');
export const later = (ms: number): Date => new Date(AT.getTime() + ms);

/** Why a statement needs no guard. */
export const BY_KEY = 'the row that its key names';
export const ERASES = 'every row about erased people';
export const EXPIRES = 'expired rows, which nothing changes again';
export const REPLACES = 'an owner sets it, and the last write wins';
