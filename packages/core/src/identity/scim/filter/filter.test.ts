import Database from 'better-sqlite3';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterUser, userFilter } from '../../../../test/support/identity/scim-filters.ts';
import { USER_RESOURCE } from '../schemas.ts';
import { foldText } from './compare.ts';
import { conditionOf } from './condition.ts';
import { parseFilter } from './parse.ts';
import { conditionSql, type FilterColumn, type FilterColumns } from './store.ts';

const condition = (text: string) => conditionOf(USER_RESOURCE, parseFilter(text));
const refusal = (text: string) => {
  try {
    condition(text);
  } catch (error) {
    return error;
  }
  throw new Error('the filter was accepted');
};

const expressed = (expression: string, isBoolean = false): FilterColumn => ({
  expression: sql.raw(expression),
  bind: (value) => sql`${isBoolean ? Number(value) : value}`,
});
const columns: FilterColumns = {
  dialect: 'sqlite',
  fields: {
    id: expressed('id'),
    externalId: expressed('external_id'),
    userName: expressed('user_name_norm'),
    displayName: expressed('display_name_norm'),
    active: expressed('active', true),
    created: expressed('created_at'),
  },
  lists: {
    emails: {
      from: sql.raw('json_each(emails) as e'),
      where: sql`true`,
      fields: {
        value: expressed("e.value ->> 'value'"),
        type: expressed("e.value ->> 'type'"),
        primary: expressed("e.value ->> 'primary'", true),
      },
    },
  },
};

describe('filters as SQL', () => {
  const client = new Database(':memory:');
  const db = drizzle(client);
  const users = fc.sample(filterUser, { numRuns: 60, seed: 7 });
  beforeAll(() => {
    client.exec(
      'create table users (position integer primary key, id, external_id, user_name_norm, display_name_norm, active, created_at, emails)',
    );
    const insert = client.prepare('insert into users values (?, ?, ?, ?, ?, ?, ?, ?)');
    for (const [position, user] of users.entries()) {
      const displayName = user.displayName === null ? null : foldText(user.displayName);
      const emails = user.emails.map(({ value, type, primary }) => ({
        value: foldText(value),
        type: type === undefined ? undefined : foldText(type),
        primary,
      }));
      const row = [user.id, user.externalId, foldText(user.userName), displayName, Number(user.active), user.created];
      insert.run(position, ...row, JSON.stringify(emails));
    }
  });
  afterAll(() => client.close());
  const matching = (text: string): readonly number[] =>
    db
      .all<{ position: number }>(
        sql`select position from users where ${conditionSql(condition(text), columns)} order by position`,
      )
      .map(({ position }) => position);

  it('10,000 random filters match the rows that the reference evaluator matches', () => {
    let matches = 0;
    fc.assert(
      fc.property(userFilter, ({ text, test }) => {
        const found = matching(text);
        matches += found.length;
        const expected = users.flatMap((user, position) => (test(user) ? [position] : []));
        expect(found, text).toEqual(expected);
      }),
      { numRuns: 10_000, seed: 11 },
    );
    expect(matches).toBeGreaterThan(10_000);
  });

  it('C30 a value is bound, never part of the statement', () => {
    expect(matching(`userName eq "' or 1=1 --"`)).toEqual([]);
    expect(refusal(`userName'; drop table users; -- eq "x"`)).toMatchObject({ scimType: 'invalidFilter' });
    expect(refusal('password eq "x"')).toMatchObject({ scimType: 'invalidFilter' });
  });
});

describe('parseFilter', () => {
  it.each([
    '',
    ' ',
    'ada',
    'userName',
    'userName eq',
    'userName eq ada',
    'userName is "x"',
    'userName eq "x',
    'userName eq "x" and',
    'userName eq "x" userName eq "y"',
    '(userName eq "x"',
    'userName eq "x")',
    'not userName eq "x"',
    'emails[value eq "x"',
    'emails[emails[value eq "x"]]',
    'active gt true',
    'active eq "yes"',
    'userName eq 7',
    'userName gt null',
    'meta.created eq "yesterday"',
    '__proto__ eq "x"',
    'constructor pr',
    'name.givenName eq "x"',
    'emails.value[value eq "x"]',
    'userName[value eq "x"]',
  ])('the filter %j is refused', (text) => {
    expect(refusal(text)).toMatchObject({ status: 400, scimType: 'invalidFilter' });
  });

  it('a filter has at most 10 levels, 50 terms and 4,096 bytes', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}id pr${')'.repeat(levels)}`;
    expect(condition(nested(10))).toMatchObject({ kind: 'present' });
    expect(refusal(nested(11))).toMatchObject({ scimType: 'invalidFilter' });
    const terms = (count: number) => Array.from({ length: count }, () => 'id pr').join(' or ');
    expect(condition(terms(50))).toMatchObject({ kind: 'or' });
    expect(refusal(terms(51))).toMatchObject({ scimType: 'invalidFilter' });
    expect(condition(`id eq "${'x'.repeat(4_088)}"`)).toMatchObject({ kind: 'compare' });
    expect(refusal(`id eq "${'x'.repeat(4_089)}"`)).toMatchObject({ scimType: 'invalidFilter' });
  });

  it('C31 3,000 parentheses are refused at the eleventh', () => {
    expect(refusal('('.repeat(3_000))).toHaveProperty('message', expect.stringContaining('begins at character 10'));
  });
});
