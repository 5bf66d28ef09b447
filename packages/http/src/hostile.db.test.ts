import { type Beckon, createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/database.ts';
import { FULL_PEOPLE, fillingCalls, type HostileRequest, hostileRequests } from '../../core/test/hostile.ts';
import { createHandler, type Handler, routes } from './index.ts';
import { isPublic } from './route.ts';

/**
 * What one turn of the event loop may do: characters of JSON that are read and written, and what the members of objects
 * cost that are taken apart and put together. Measured, a million take 5 to 10 ms.
 */
const MOST_PER_TURN = 3_000_000;
/** Of one member of an object, in characters of JSON; ours, as measured. */
const MEMBER = 40;

const sizeOf = (json: unknown): number =>
  typeof json === 'string' ? json.length + MEMBER * (json.split(',').length - 1) : 0;

/** Counts the operations of each turn of the event loop while `work` goes on; answers those of the worst. */
const worstTurn = async (work: () => Promise<void>): Promise<number> => {
  let turn = 0;
  let worst = 0;
  const add = (operations: number): void => {
    turn += operations;
    worst = Math.max(worst, turn);
  };
  const { parse, stringify } = JSON;
  const { entries, keys, fromEntries } = Object;
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    add(sizeOf(text));
    return parse(text, reviver);
  });
  vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown, ...rest: []) => {
    const text = stringify(value, ...rest);
    add(sizeOf(text));
    return text;
  });
  vi.spyOn(Object, 'entries').mockImplementation((object: object) => {
    const all = entries(object);
    add(all.length * MEMBER);
    return all;
  });
  vi.spyOn(Object, 'keys').mockImplementation((object: object) => {
    const all = keys(object);
    add(all.length * MEMBER);
    return all;
  });
  vi.spyOn(Object, 'fromEntries').mockImplementation((given: Iterable<readonly unknown[]>) => {
    const all = [...given];
    add(all.length * MEMBER);
    // Safe: as it was given.
    return fromEntries(all as [string, unknown][]);
  });
  let isOver = false;
  const nextTurn = (): void => {
    turn = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  try {
    await work();
  } finally {
    isOver = true;
    vi.restoreAllMocks();
  }
  return worst;
};

describe('a request with a public key', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let key: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey() },
      // One client sends all of it.
      limits: { callsPerMinute: 1_000_000, ingestBurst: 1_000_000 },
    });
    handler = createHandler(beckon);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'A' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const made = await beckon.tenancy.createKey({
      kind: 'public',
      environment: 'test',
      grants: [{ orgId, projectId }],
    });
    key = made.secret;
    for (let person = 0; person < FULL_PEOPLE; person += 1)
      for (const call of fillingCalls(person)) expect(await ask(call)).toBe(200);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const ask = async ({ path, body }: HostileRequest): Promise<number> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const request = new Request(`http://127.0.0.1/api/v1${path}`, { method: 'POST', headers, body });
    return (await handler.fetch(request)).status;
  };

  it.each(hostileRequests.map((request) => [request.says, request] as const))(
    'does a bounded number of operations in one turn of the event loop: %s',
    async (_, request) => {
      let status = 0;
      const worst = await worstTurn(async () => {
        status = await ask(request);
      });
      expect([200, 201, 400, 404]).toContain(status);
      expect(worst).toBeLessThan(MOST_PER_TURN);
    },
  );

  it('is read no further than its route reads it, on every route with a large cap', () => {
    const large = routes.filter(
      (route) => isPublic(route) && route.needs === 'project' && (route.bodyCap ?? 0) > 65_536,
    );
    expect(large.length).toBeGreaterThan(2);
    expect(large.filter((route) => !('reads' in route)).map(({ path }) => path)).toEqual([]);
    const hostile = new Set(hostileRequests.map(({ path }) => path));
    expect(
      large.map(({ path }) => path).filter((path) => !hostile.has(path) && path !== '/push/track-delivered'),
    ).toEqual([]);
  });
});
