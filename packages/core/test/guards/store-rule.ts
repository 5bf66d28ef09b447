import type { Tables } from '../../src/app/tables.ts';
import type { StoreContext } from '../../src/database/context.ts';
import { sampleRow, type Values } from './values.ts';

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect'];

/** One way to call a statement of a store over one stored row. */
export type StoreRule = {
  readonly table: keyof Tables;
  /** Columns that the call names: a stored row that differs in one of them stays as it is. */
  readonly match: readonly string[];
  /** The stored row that the call changes. */
  readonly stored: (tables: Tables) => Values;
  /** Differences of the stored row with which it stays as it is. */
  readonly stops: readonly Values[];
  /** What somebody else makes of the row between the read and the write of a call, so that the write leaves it alone. */
  readonly meanwhile: readonly Values[];
  /** The answer is as good as false where nothing was changed. Absent: nothing is told. */
  readonly isTold: boolean;
  readonly call: (context: StoreContext<Tables>, stored: Values) => Promise<unknown>;
};

/** A statement in the order of its file: how it begins, and its rules or why it has none. */
export type Statement = { readonly is: string } & (
  | {
      readonly rules: readonly StoreRule[];
      /** Of what erases people: the same call without a name, which must leave the rows of the first rule alone. */
      readonly unnamed?: (context: StoreContext<Tables>) => Promise<unknown>;
    }
  | { readonly plain: string }
);

/** Describes a call that must change its row only while the row stands as the caller read it. */
export const rule = <Name extends keyof Tables>(
  table: Name,
  {
    match,
    row = {},
    stops = [],
    meanwhile = [],
    isTold = false,
    call,
  }: {
    readonly match: readonly Extract<keyof Row<Name>, string>[];
    readonly row?: Partial<Row<Name>>;
    readonly stops?: readonly Partial<Row<Name>>[];
    readonly meanwhile?: readonly Partial<Row<Name>>[];
    readonly isTold?: boolean;
    readonly call: (context: StoreContext<Tables>, stored: Row<Name>) => Promise<unknown>;
  },
): StoreRule => ({
  table,
  match,
  stops,
  meanwhile,
  isTold,
  stored: (tables) => ({ ...sampleRow(tables[table], match), ...row }),
  // Safe: `stored` gives every column of the table a value of its type.
  call: (context, stored) => call(context, stored as Row<Name>),
});

export const guarded = (is: string, ...rules: readonly StoreRule[]): Statement => ({ is, rules });
/** A statement that compares nothing but which rows are meant. */
export const plain = (is: string, why: string): Statement => ({ is, plain: why });
/** Removes what tells of erased people: nothing of others, nothing in another scope, and nothing where nobody is named. */
export const erasing = <Name extends keyof Tables>(
  is: string,
  table: Name,
  column: Extract<keyof Row<Name>, string>,
  erase: (context: StoreContext<Tables>, names: readonly string[]) => Promise<unknown>,
  row: Partial<Row<Name>> = {},
): Statement => {
  const told = (context: StoreContext<Tables>, names: readonly string[]) => erase(context, names);
  const named: StoreRule = {
    table,
    match: ['scopeId', column],
    stops: [],
    meanwhile: [],
    isTold: true,
    stored: (tables) => ({ ...sampleRow(tables[table], [column]), ...row }),
    call: (context, stored) => told(context, [String(stored[column])]),
  };
  return { is, rules: [named], unnamed: (context) => told(context, []) };
};

/** The moment of every sample row. */
export const AT = new Date('2026-03-01T12:00:00.000Z');
export const later = (ms: number): Date => new Date(AT.getTime() + ms);

/** Why a statement needs no guard. */
export const BY_KEY = 'the row that its key names';
export const ERASES = 'every row about erased people';
export const EXPIRES = 'expired rows, which nothing changes again';
export const REPLACES = 'an owner sets it, and the last write wins';
