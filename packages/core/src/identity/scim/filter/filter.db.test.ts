import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { type FilterUser, filterUser, userFilterOver } from '../../../../test/support/identity/scim-filters.ts';
import { userValuesOf } from '../account-fields.ts';
import { newObject, type ScimObject } from '../documents.ts';
import { USER_RESOURCE } from '../schemas.ts';
import { type ScimStore, scimStore } from '../store.ts';
import { conditionOf } from './condition.ts';
import { parseFilter } from './parse.ts';

const DIRECTORY = { scopeId: 1, directoryId: '01950000-0000-7000-8000-00000000d1d1' };
const ALL = { startIndex: 1, count: 200 };
/** More with BECKON_FILTER_RUNS. */
const RUNS = Number(process.env['BECKON_FILTER_RUNS'] ?? 600);

const idAt = (index: number): string => `01950000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
/** Names are unique in a directory, and ids are ids of rows. */
const users: readonly FilterUser[] = fc
  .sample(filterUser, { numRuns: 60, seed: 7 })
  .map((user, index) => ({ ...user, id: idAt(index), userName: `${user.userName}~${index}` }));
const filters = userFilterOver(fc.constantFrom('', '0', '1f', '-', 'a', '01950000-', '02', idAt(3), idAt(31)));

const documentOf = ({ userName, displayName, externalId, active, emails }: FilterUser): ScimObject =>
  Object.assign(
    newObject(),
    { userName, active, emails: emails.map((email) => ({ ...email })) },
    displayName !== null && { displayName },
    externalId !== null && { externalId },
  );

describe('filters of stored users', () => {
  let database: TestDatabase;
  let store: ScimStore;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { storage, tables } = database;
    store = scimStore({ db: storage.db, dialect: storage.dialect, tables });
    const rows = users.map((user, index) => ({
      ...{ ...DIRECTORY, ...userValuesOf(documentOf(user), true), id: user.id, accountId: idAt(1_000 + index) },
      ...{ createdAt: new Date(user.created), updatedAt: new Date(user.created), version: 1 },
    }));
    await storage.db.insert(tables.authScimUsers).values(rows);
  });
  afterAll(() => database.close());

  it('random filters find the users that the reference evaluator finds', { timeout: 600_000 }, async () => {
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(filters, async ({ text, test }) => {
        const found = await store.listUsers(DIRECTORY, conditionOf(USER_RESOURCE, parseFilter(text)), ALL);
        matches += found.length;
        expect(
          found.map(({ id }) => id),
          text,
        ).toEqual(users.filter(test).map(({ id }) => id));
      }),
      { numRuns: RUNS, seed: 11 },
    );
    expect(matches).toBeGreaterThan(RUNS);
  });
});
