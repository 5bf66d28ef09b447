// Profiles by SQL alone: a million of them through the product's calls would take longer than the measurement.
import type { ByHand } from './by-hand.ts';

export const PLANS = ['free', 'starter', 'growth', 'scale'] as const;
const COUNTRIES = ['DE', 'FR', 'GB', 'US', 'ES', 'IT', 'NL', 'SE'];
/** Values of the trait `visits`, from 0 on. */
export const VISITS = 200;
const AGES = 60;
const LEAST_AGE = 18;
const AT = new Date(Date.UTC(2026, 0, 5, 8));

/** The plan of user number `index`, and their visits. */
export const planOf = (index: number): string => PLANS[index % PLANS.length] ?? '';
export const visitsOf = (index: number): number => index % VISITS;

const WORDS = {
  sqlite: {
    digits: (of: string) => `printf('%06d', ${of})`,
    object: 'json_object',
    yes: (condition: string) => `json(case when ${condition} then 'true' else 'false' end)`,
    no: '0',
    at: String(AT.getTime()),
  },
  postgres: {
    digits: (of: string) => `lpad((${of})::text, 6, '0')`,
    object: 'jsonb_build_object',
    yes: (condition: string) => `(${condition})`,
    no: 'false',
    at: `'${AT.toISOString()}'::timestamptz`,
  },
};

const choice = (values: readonly string[], of: string): string =>
  `case ${of} % ${values.length} ${values.map((value, at) => `when ${at} then '${value}'`).join(' ')} end`;

/** The id of a user as SQL that reads their number. */
export const userOf = ({ dialect }: Pick<ByHand, 'dialect'>, index: string): string =>
  `'user-' || ${WORDS[dialect].digits(index)}`;

/** Numbers from 0 on, as a table `numbers` of one column `n`. */
export const numbersTo = (count: number): string =>
  `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n + 1 < ${count})`;

/**
 * Creates this many users with nine traits, the last of which is missing for two thirds of them. Plan, country and age
 * are independent.
 */
export const fillPeople = async (hand: ByHand, scopeId: number, people: number): Promise<void> => {
  const { object, yes, no, at } = WORDS[hand.dialect];
  const user = userOf(hand, 'n');
  const pairs = [
    `'email', ${user} || '@example.com'`,
    `'firstName', 'Name' || (n % 500)`,
    `'plan', ${choice(PLANS, 'n')}`,
    `'country', ${choice(COUNTRIES, `(n / ${PLANS.length})`)}`,
    `'age', ${LEAST_AGE} + (n / ${PLANS.length * COUNTRIES.length}) % ${AGES}`,
    `'isTrial', ${yes('n % 5 = 0')}`,
    `'visits', n % ${VISITS}`,
    `'lastOrderAt', '2026-01-0' || (1 + n % 9) || 'T08:00:00.000Z'`,
  ].join(', ');
  const coupon = `'coupon', case when n % 9 = 0 then 'SPRING' else 'AUTUMN' end`;
  await hand.run(`insert into profiles
    (scope_id, person, traits, version, is_truncated, email, locale, timezone, created_at, last_seen_at)
    ${numbersTo(people)}
    select ${scopeId}, 'u:' || ${user},
      case when n % 3 = 0 then ${object}(${pairs}, ${coupon}) else ${object}(${pairs}) end,
      1, ${no}, ${user} || '@example.com', 'en-GB', 'Europe/London', ${at}, ${at} from numbers`);
};

/** Adds the users that match a condition over `profiles` to a segment, and marks it as built. */
export const fillAudience = async (
  { dialect, run }: ByHand,
  { scopeId, audience, condition }: { readonly scopeId: number; readonly audience: string; readonly condition: string },
): Promise<void> => {
  await run(`insert into audience_members (scope_id, audience_id, person, joined_at)
    select scope_id, '${audience}', person, ${WORDS[dialect].at} from profiles where scope_id = ${scopeId} and ${condition}`);
  await run(`update audiences set stage = null, due_at = null where scope_id = ${scopeId} and id = '${audience}'`);
};
