import { type SQL, sql } from 'drizzle-orm';
import type { DialectName } from '../../../database/dialect-name.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { readsLog } from './facts.ts';
import { postgresDialect } from './postgres/store.ts';
import { sqliteDialect } from './sqlite/store.ts';
import {
  type EventLeaf,
  isUserField,
  type MemberLeaf,
  type Predicate,
  spanMs,
  type TraitLeaf,
  USER_FIELDS,
  type UserField,
} from './types.ts';
import { jsonTests, type SqlDialect, type TestSql, textTests, timeTests } from './words/store.ts';

/** A predicate as an SQL condition on the table `profiles`, under exactly that name. */
export type PredicateSql = {
  /** True, false or NULL. */
  readonly condition: SQL;
  /**
   * False: the condition is true for every match and maybe for others, which must be evaluated in memory. Happens for
   * leaves that need the event log or the time zone of each user.
   */
  readonly isExact: boolean;
};

// Qualified, because sub-selects have columns of the same names.
const own = (column: string): SQL => sql.raw(`"profiles"."${column}"`);

const FIELDS: Readonly<Record<UserField, SQL>> = {
  userId: sql`case when ${own('person')} like 'u:%' then substr(${own('person')}, 3) end`,
  email: sql`coalesce(${own('account_email')}, ${own('email')})`,
  phone: sql`coalesce(${own('account_phone')}, ${own('phone')})`,
  locale: sql`coalesce(${own('locale_override')}, ${own('locale')})`,
  timezone: sql`coalesce(${own('timezone_override')}, ${own('timezone')})`,
  createdAt: own('created_at'),
  lastSeenAt: own('last_seen_at'),
};

const traitSql = (sqlDialect: SqlDialect, leaf: TraitLeaf, nowMs: number): SQL => {
  const field = leaf.trait.startsWith('user.') ? leaf.trait.slice('user.'.length) : '';
  const tests: TestSql = isUserField(field)
    ? (USER_FIELDS[field] === 'text' ? textTests : timeTests)(sqlDialect, sql`(${FIELDS[field]})`)
    : jsonTests(sqlDialect, sqlDialect.trait(own('traits'), leaf.trait));
  return tests(leaf, nowMs);
};

const eventSql = (sqlDialect: SqlDialect, scope: InScope, leaf: EventLeaf, nowMs: number): SQL => {
  const counter = (shown: SQL): SQL =>
    sql`(select ${shown} from person_events as c where c.scope_id = ${sqlDialect.scope(scope.scopeId)} and c.person = ${own('person')} and c.event_type = ${sqlDialect.text(leaf.event)})`;
  const { gte = 1, lte } = leaf.count ?? {};
  const parts: SQL[] = [];
  if (leaf.within === undefined) {
    const total = sql`coalesce(${counter(sql.raw('c.total'))}, 0)`;
    if (gte > 0) parts.push(sql`${total} >= ${sqlDialect.number(gte)}`);
    if (lte !== undefined) parts.push(sql`${total} <= ${sqlDialect.number(lte)}`);
  } else {
    // The window has at least n events if it contains the n-th newest.
    const since = sqlDialect.number(nowMs - spanMs(leaf.within));
    const atLeast = (count: number): SQL =>
      sql`coalesce(${counter(sql`${sqlDialect.numberAt(sql.raw('c.recent'), count - 1)} > ${since}`)}, ${sqlDialect.no})`;
    if (gte > 0) parts.push(atLeast(gte));
    if (lte !== undefined) parts.push(sql`not ${atLeast(lte + 1)}`);
  }
  const performed = parts.length === 0 ? sqlDialect.yes : sql`(${sql.join(parts, sql` and `)})`;
  return leaf.op === 'performed' ? performed : sql`not ${performed}`;
};

const memberSql = (sqlDialect: SqlDialect, scope: InScope, { audience, op }: MemberLeaf): SQL => {
  const isIn = sql`exists (select 1 from audience_members as m where m.scope_id = ${sqlDialect.scope(scope.scopeId)} and m.audience_id = ${sqlDialect.id(audience)} and m.person = ${own('person')})`;
  return op === 'in' ? isIn : sql`not ${isIn}`;
};

/**
 * Compiles a predicate of one scope at one time; equals `evaluate`. A leaf that only the log can answer becomes the
 * constant that accepts more users. Throws nothing.
 *
 * @param isTold whether counters cover a leaf
 */
export const predicateSql = (
  dialect: DialectName,
  scope: InScope,
  predicate: Predicate,
  now: Date,
  isTold: (leaf: EventLeaf) => boolean = (leaf) => !readsLog(leaf),
): PredicateSql => {
  const sqlDialect = dialect === 'sqlite' ? sqliteDialect : postgresDialect;
  const nowMs = now.getTime();
  let isExact = true;
  // Three-valued logic is monotonic except for `not`: a leaf that is true more often makes the whole true more often,
  // or less often below an odd number of `not`.
  const of = (node: Predicate, isNegated: boolean): SQL => {
    if ('all' in node || 'any' in node) {
      const nodes = 'all' in node ? node.all : node.any;
      if (nodes.length === 0) return 'all' in node ? sqlDialect.yes : sqlDialect.no;
      const parts = nodes.map((one) => of(one, isNegated));
      return sql`(${sql.join(parts, 'all' in node ? sql` and ` : sql` or `)})`;
    }
    if ('not' in node) return sql`(not ${of(node.not, !isNegated)})`;
    if ('audience' in node) return sql`(${memberSql(sqlDialect, scope, node)})`;
    const isOfSomebody = 'timezone' in node && node.timezone === 'user';
    if (!('event' in node) && !isOfSomebody) return sql`(${traitSql(sqlDialect, node, nowMs)})`;
    if (!('event' in node) || !isTold(node)) {
      isExact = false;
      return isNegated ? sqlDialect.no : sqlDialect.yes;
    }
    return sql`(${eventSql(sqlDialect, scope, node, nowMs)})`;
  };
  return { condition: of(predicate, false), isExact };
};
