import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { eventRow } from '../../../../test/support/events/event-row.ts';
import { rowId } from '../../../../test/support/row-ids.ts';
import { testScope } from '../../../../test/support/scopes.ts';
import { write } from '../../../database/commit/write-set.ts';
import { type OpenDatabase, openDatabase } from '../../../database/open.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { personKey } from '../person-key.ts';
import { eventStatements } from '../statements.ts';
import { type PeopleIndex, peopleIndex } from './store.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
const other = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });
const PEOPLE = ['u:ann', 'u:bob', 'u:cas', 'a:1', 'a:2', 'a:3'];
/** Small, so that few events need several passes with several slices. */
const SIZES = { pass: 20, slice: 6 };

type Known = { readonly id: string; readonly scope: Scope; person: string };

/** Deterministic random integers below a bound. */
const randomOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

describe("the index of a profile's events", () => {
  let folder: string;
  let home: TestDatabase;
  let database: OpenDatabase;
  let doesCommit: boolean;
  let index: PeopleIndex;
  let known: Known[];

  const open = async (): Promise<void> => {
    const beforeCommit = (): void => {
      if (!doesCommit) throw new Error('the process has ended');
    };
    database = await openDatabase({ url: home.url, durability: 'process', observer: { beforeCommit } });
    index = peopleIndex({ storage: database.storage, tables: home.tables }, SIZES);
  };
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-people-'));
    home = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, durability: 'process' });
    doesCommit = true;
    known = [];
    await open();
  });
  afterEach(async () => {
    await database.storage.close();
    await home.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Stores events; some of one profile have the digest of another, as real keys may collide. */
  const store = async (people: readonly { scope: Scope; person: string; key: number }[]): Promise<void> => {
    const hot = eventStatements(home.tables);
    const writes = people.map((of) => {
      const id = rowId(String(known.length).padStart(6, '0'));
      known.push({ id, scope: of.scope, person: of.person });
      return write(hot.insertEvent, eventRow(of.scope, id, of.person, of.key));
    });
    await database.storage.commit({ writes });
  };
  const by = (person: string, of = scope, key = personKey(of, person)) => ({ scope: of, person, key });
  const expected = (people: readonly string[], of = scope): string[] =>
    known
      .filter((one) => one.scope === of && people.includes(one.person))
      .map(({ id }) => id)
      .reverse();
  /** All events, page by page. */
  const listed = async (people: readonly string[], limit: number, of = scope): Promise<string[]> => {
    const ids: string[] = [];
    let before: number | undefined;
    for (;;) {
      const rows = await index.listOf(of, people, limit, before);
      ids.push(...rows.map(({ id }) => id));
      before = rows.at(-1)?.position;
      if (rows.length < limit) return ids;
    }
  };
  const moved = async (from: string, to: string, limit: number): Promise<void> => {
    if (from === to) return;
    const theirs = expected([from]);
    const count = await index.move(scope, from, to, limit);
    expect(count).toBe(Math.min(limit, theirs.length));
    const left = new Set((await index.listOf(scope, [from], theirs.length + 1)).map(({ id }) => id));
    expect(left.size).toBe(theirs.length - count);
    for (const one of known) if (one.scope === scope && one.person === from && !left.has(one.id)) one.person = to;
  };

  it('indexed reads equal a plain list under any order of writes, passes, moves, reads and restarts', async () => {
    const seeds = database.dialect === 'sqlite' ? 6 : 2;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = randomOf(seed);
      const person = (): string => PEOPLE[random(PEOPLE.length)] ?? '';
      for (let round = 0; round < 40; round += 1) {
        const dice = random(12);
        if (dice < 4)
          await store(
            Array.from({ length: 1 + random(12) }, () => {
              const one = random(10);
              if (one === 0) return by('u:ann', other);
              return one === 1 ? by('u:stranger', scope, personKey(scope, person())) : by(person());
            }),
          );
        else if (dice < 7) await index.catchUp();
        else if (dice < 9) await moved(person(), PEOPLE[random(3)] ?? '', 1 + random(8));
        else if (dice === 9) {
          await database.storage.close();
          await open();
        } else if (dice === 10) {
          doesCommit = false;
          // On PostgreSQL a move is one statement that nothing here can interrupt.
          const isStep = random(2) === 0 || database.dialect === 'postgres';
          const lost = isStep ? index.catchUp() : index.move(scope, person(), person(), 4);
          await lost.catch(() => undefined);
          doesCommit = true;
        }
        const people = Array.from({ length: 1 + random(3) }, person);
        expect(await listed(people, 5 + random(30)), `seed ${seed}, round ${round}`).toEqual(expected(people));
      }
      expect(await listed(['u:ann'], 50, other), `seed ${seed}`).toEqual(expected(['u:ann'], other));
      expect(await listed(['u:stranger'], 50), `seed ${seed}`).toEqual([]);
    }
  });

  it('events are readable before any is indexed', async () => {
    await store(PEOPLE.flatMap((person) => [by(person), by(person)]));
    expect(await listed(['u:ann', 'a:1'], 3)).toEqual(expected(['u:ann', 'a:1']));
  });

  it('events move between profiles at any state of the index', async () => {
    await store(Array.from({ length: 90 }, (_, n) => by(PEOPLE[n % PEOPLE.length] ?? '')));
    const all = expected(PEOPLE);
    for (const from of PEOPLE) {
      for (const to of PEOPLE) if (from !== to) await moved(from, to, 5);
      await index.catchUp();
    }
    while (await index.catchUp());
    for (const person of PEOPLE) {
      expect(await listed([person], 7)).toEqual(expected([person]));
      await moved(person, 'u:all', 100);
    }
    expect(await listed(['u:all'], 7)).toEqual(all);
  });

  it('two processes that index in turns index each event once', async () => {
    await store(Array.from({ length: 60 }, (_, n) => by(PEOPLE[n % PEOPLE.length] ?? '')));
    const second = await openDatabase({ url: home.url, durability: 'process' });
    const theirs = peopleIndex({ storage: second.storage, tables: home.tables }, SIZES);
    while ((await index.catchUp()) || (await theirs.catchUp()));
    await second.storage.close();
    for (const person of PEOPLE) expect(await listed([person], 4)).toEqual(expected([person]));
    const entries = await database.storage.db.select().from(home.tables.eventsByPerson);
    expect(entries).toHaveLength(database.dialect === 'sqlite' ? 60 : 0);
  });
});
