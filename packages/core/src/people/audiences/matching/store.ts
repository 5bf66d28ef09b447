import { type SQL, sql } from 'drizzle-orm';
import type { Dialect, Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';

/** Users with keys after `after` and up to `until`, in key order; null: no bound. */
export type Range = { readonly after: string | null; readonly until: string | null };

/**
 * A read returns the users that match `condition` (null: all users). Users whose traits have more bytes than `largeFrom`
 * are evaluated in memory instead (null: no user).
 */
export type Condition = { readonly condition: SQL | null; readonly largeFrom: number | null };

/** An audience with its predicate as a condition on rows of `profiles`. */
type CompiledAudience = { readonly id: string; readonly condition: SQL };

const PROFILES = sql`profiles`;
const YES = sql.raw('1 = 1');
/** SQLite only: the row header has the number of bytes, so the traits are not read. */
const BYTES = sql`octet_length(profiles.traits)`;
const isLarge = ({ largeFrom }: Pick<Condition, 'largeFrom'>): SQL =>
  largeFrom === null ? sql.raw('1 = 0') : sql`${BYTES} > ${largeFrom}`;
/** Condition for users that are not large. Uses `case`, which does not evaluate the condition for large ones. */
const holds = ({ condition, largeFrom }: Condition): SQL => {
  if (condition === null) return YES;
  return largeFrom === null ? condition : sql`case when ${isLarge({ largeFrom })} then false else ${condition} end`;
};

/**
 * Mean number of rows between two pauses, length of a pause in seconds, and for how long a statement pauses, in
 * seconds. Chosen: on two slow processors 1.5 ms of reading between pauses; a predicate over a million profiles takes 2
 * s instead of 0.6 s.
 */
const REST = { rows: 2_500, seconds: 0.004, within: 5 };
/**
 * True for every row, but sometimes sleeps first: without pauses a long statement occupies a processor that committing
 * connections need.
 */
const RESTED = sql.raw(
  `case when random() * ${REST.rows} >= 1 then true when clock_timestamp() - statement_timestamp() > interval '${REST.within} s' then true else pg_sleep(${REST.seconds}) is not null end`,
);

/** Reads over all users of a scope, each bounded by a range of keys. */
export const matchingStore = ({
  db,
  dialect,
}: {
  readonly db: Storage['readOnlyConnection'];
  readonly dialect: Dialect;
}) => {
  // PostgreSQL sorts keys by the database's collation, so users are recognized by their prefix.
  const isUser = (after: string | null): SQL =>
    dialect.name === 'sqlite'
      ? sql`profiles.person > ${after ?? 'u:'}`
      : sql`profiles.person like 'u:%'${after === null ? sql`` : sql` and profiles.person > ${after}`}`;
  const within = ({ scopeId }: InScope, { after, until }: Range): SQL =>
    sql`profiles.scope_id = ${scopeId} and ${isUser(after)}${until === null ? sql`` : sql` and profiles.person <= ${until}`}`;
  return {
    /** Key of the last of the next `users` users; null if there are fewer. */
    edge: async (scope: InScope, after: string | null, users: number): Promise<string | null> => {
      const [row] = await db
        .select({ person: sql<string>`profiles.person` })
        .from(PROFILES)
        .where(within(scope, { after, until: null }))
        .orderBy(sql`profiles.person`)
        .limit(1)
        .offset(users - 1);
      return row?.person ?? null;
    },
    /**
     * Number of matching users among the next ones, and the key of the last; `next` null if there are fewer. SQLite
     * only, where the end of a slice bounds the index range as soon as the statement knows it.
     */
    countNext: async (scope: InScope, after: string, users: number, match: Condition) => {
      const later = within(scope, { after, until: null });
      const edge = sql`select profiles.person from profiles where ${later} order by profiles.person limit 1 offset ${users - 1}`;
      // Any text is less than a blob.
      const those = sql`select count(*) from profiles where ${later} and profiles.person <= coalesce(e.edge, x'')`;
      const counted = sql`${those} and ${holds(match)}`;
      const large = match.largeFrom === null ? sql.raw('select 0') : sql`${those} and ${isLarge(match)}`;
      const [row] = await db
        .select({
          count: sql<number>`(${counted})`.mapWith(Number),
          large: sql<number>`(${large})`.mapWith(Number),
          next: sql<string | null>`e.edge`,
        })
        .from(sql`(select (${edge}) as edge limit 1) as e`);
      return { count: row?.count ?? 0, large: row?.large ?? 0, next: row?.next ?? null };
    },
    /** SQLite only: the number of the next users, the bytes of those that are not large, and the last key. */
    sizes: async (scope: InScope, after: string | null, users: number, largeFrom: number | null) => {
      const next = sql`select profiles.person as person, ${BYTES} as bytes from profiles where ${within(scope, { after, until: null })} order by profiles.person limit ${users}`;
      const small = largeFrom === null ? sql.raw('bytes') : sql`case when bytes > ${largeFrom} then 0 else bytes end`;
      const [row] = await db
        .select({
          count: sql<number>`count(*)`.mapWith(Number),
          bytes: sql<number>`coalesce(sum(${small}), 0)`.mapWith(Number),
          last: sql<string | null>`max(person)`,
        })
        .from(sql`(${next}) as next`);
      return { count: row?.count ?? 0, bytes: row?.bytes ?? 0, last: row?.last ?? null };
    },
    /** Users that match or are large, in key order. */
    people: async (scope: InScope, range: Range, match: Condition) =>
      db
        .select({ person: sql<string>`profiles.person`, isLarge: sql<boolean>`${isLarge(match)}`.mapWith(Boolean) })
        .from(PROFILES)
        .where(sql`${within(scope, range)} and (${isLarge(match)} or ${holds(match)})`)
        .orderBy(sql`profiles.person`),
    /** SQLite only. */
    isAnyLarge: async (scope: InScope, range: Range, largeFrom: number): Promise<boolean> => {
      const [row] = await db
        .select({ person: sql<string>`profiles.person` })
        .from(PROFILES)
        .where(sql`${within(scope, range)} and ${isLarge({ largeFrom })}`)
        .limit(1);
      return row !== undefined;
    },
    large: async (scope: InScope, range: Range, match: Condition): Promise<string[]> =>
      (
        await db
          .select({ person: sql<string>`profiles.person` })
          .from(PROFILES)
          .where(sql`${within(scope, range)} and ${isLarge(match)}`)
          .orderBy(sql`profiles.person`)
      ).map(({ person }) => person),
    /**
     * Users whose row in one of these audiences differs from its condition, in key order, with the index of the
     * audience; at most `most` rows.
     */
    findDiff: async (scope: InScope, range: Range, match: readonly CompiledAudience[], most: number) => {
      const found = match.map(({ id, condition }, place) => {
        const there = sql`exists (select 1 from audience_members as m where m.scope_id = ${scope.scopeId} and m.audience_id = ${id} and m.person = profiles.person)`;
        const row = sql`profiles.person as person, profiles.version as version, ${sql.raw(String(place))} as place, (${condition}) is true as is_in`;
        return sql`select ${row} from profiles where ${within(scope, range)} and ((${condition}) is true) <> ${there}`;
      });
      return db
        .select({
          person: sql<string>`person`,
          version: sql<number>`version`.mapWith(Number),
          place: sql<number>`place`.mapWith(Number),
          isIn: sql<boolean>`is_in`.mapWith(Boolean),
        })
        .from(sql`(${sql.join(found, sql` union all `)}) as found`)
        .orderBy(sql`person`)
        .limit(most);
    },
    /**
     * Number of matching users, and the first of them. PostgreSQL only, which reads all rows in any order. `isOfRow`:
     * the condition uses no other table.
     */
    whole: async (
      scope: InScope,
      condition: SQL,
      { most, isOfRow, isBeside }: { readonly most: number; readonly isOfRow: boolean; readonly isBeside: boolean },
    ) => {
      // Testing the key costs as much as one or two traits, so it comes last, for few rows. A condition on another
      // table costs more, and PostgreSQL can only make it a join outside of `case`.
      const isMeant = isOfRow
        ? sql`case when ${condition} then ${isUser(null)} end`
        : sql`${isUser(null)} and ${condition}`;
      const within = sql`profiles.scope_id = ${scope.scopeId} and ${isBeside ? sql`${RESTED} and ` : sql``}${isMeant}`;
      const found = sql`select profiles.person as person from profiles where ${within}`;
      const rows = await db
        .select({ count: sql<number>`count`.mapWith(Number), person: sql<string>`person` })
        .from(
          sql`(with found as materialized (${found}) select (select count(*) from found) as count, person from found) as found`,
        )
        .orderBy(sql`person`)
        .limit(most);
      return { count: rows[0]?.count ?? 0, people: rows.map(({ person }) => person) };
    },
    count: async (scope: InScope, range: Range, match: Condition): Promise<number> => {
      const [row] = await db
        .select({ count: sql<number>`count(*)`.mapWith(Number) })
        .from(PROFILES)
        .where(sql`${within(scope, range)} and ${holds(match)}`);
      return row?.count ?? 0;
    },
  };
};

export type MatchingStore = ReturnType<typeof matchingStore>;

/**
 * Selects the connection of a read: a slice with all users finishes sooner than a reader thread could start it; longer
 * reads use the read-only connection.
 */
export const matchingStores = ({
  db,
  readOnlyConnection: reader,
  dialect,
}: Pick<Storage, 'db' | 'readOnlyConnection' | 'dialect'>) => {
  const direct = matchingStore({ db, dialect });
  const onReader = matchingStore({ db: reader, dialect });
  return {
    edge: direct.edge,
    sizes: direct.sizes,
    /** For a slice that has all users. */
    all: async (scope: InScope, condition: SQL): Promise<string[]> => {
      const found = await direct.people(scope, { after: null, until: null }, { condition, largeFrom: null });
      return found.map(({ person }) => person);
    },
    /** There may be many users: one statement on the read-only connection. */
    countNext: onReader.countNext,
    whole: onReader.whole,
    of: ({ after, until }: Range): MatchingStore => (after === null && until === null ? direct : onReader),
  };
};
