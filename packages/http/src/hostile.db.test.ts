import { type Beckon, createBeckon, newMasterKey, type Scope } from '@beckon/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { FULL_PEOPLE, fillingCalls, type HostileRequest, hostileRequests } from '../../core/test/support/hostile.ts';
import {
  dearAudiences,
  dearBundle,
  dearPeople,
  type TenantRequest,
  tenantRequests,
} from '../../core/test/support/hostile-tenant.ts';
import { unchecked } from '../../core/test/support/unchecked.ts';
import { createHandler, type Handler, routes } from './index.ts';
import { isPublic } from './route.ts';

/**
 * Maximum work in one turn of the event loop: characters of JSON that are read and written, plus the cost of object
 * members that are read and built. Measured: one million take 5 to 10 ms.
 */
const MOST_PER_TURN = 3_000_000;
/** Cost of one member of an object, in characters of JSON. Measured. */
const MEMBER = 40;
/** Cost of looking up one trait, property or filter, which each leaf and each filter does. */
const LOOK_UP = 15;
/** Texts from this length on are counted when they are searched or lower-cased. */
const LONG_TEXT = 256;

const sizeOf = (json: unknown): number =>
  typeof json === 'string' ? json.length + MEMBER * (json.split(',').length - 1) : 0;

/** Counts the operations of each turn of the event loop while `work` runs; returns the count of the worst turn. */
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
    // Safe: the argument is passed on unchanged.
    return fromEntries(all as [string, unknown][]);
  });
  const { hasOwn } = Object;
  vi.spyOn(Object, 'hasOwn').mockImplementation((object, name) => {
    add(LOOK_UP);
    return hasOwn(object, name);
  });
  const { includes, toLowerCase, charCodeAt } = String.prototype;
  vi.spyOn(String.prototype, 'includes').mockImplementation(function (this: string, ...asked) {
    if (this.length >= LONG_TEXT) add(this.length);
    return includes.apply(this, asked);
  });
  vi.spyOn(String.prototype, 'toLowerCase').mockImplementation(function (this: string) {
    if (this.length >= LONG_TEXT) add(this.length);
    return toLowerCase.apply(this);
  });
  // No spy, because a spy would store each of millions of calls.
  String.prototype.charCodeAt = function (this: string, at: number) {
    if (this.length >= LONG_TEXT) add(1);
    return charCodeAt.call(this, at);
  };
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
    String.prototype.charCodeAt = charCodeAt;
    vi.restoreAllMocks();
  }
  return worst;
};

describe('hostile requests with a public key', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let key: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey() },
      // One client sends every request.
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
    'a hostile request does a bounded number of operations per turn of the event loop: %s',
    async (_, request) => {
      let status = 0;
      const worst = await worstTurn(async () => {
        status = await ask(request);
      });
      expect([200, 201, 400, 404]).toContain(status);
      expect(worst).toBeLessThan(MOST_PER_TURN);
    },
  );

  it('every route with a large body cap reads no further into a body than it needs', () => {
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

describe('requests of an organization with expensive definitions', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let keys: Readonly<Record<TenantRequest['key'], string>>;
  let other: Scope;
  const ids = { audience: '', branching: '' };

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey() },
      limits: { callsPerMinute: 1_000_000, ingestBurst: 1_000_000 },
    });
    handler = createHandler(beckon);
    const orgOf = async (name: string) => {
      const { id: orgId } = await beckon.tenancy.createOrg({ name });
      const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
      return { orgId, projectId };
    };
    const dear = await orgOf('Dear');
    other = await beckon.tenancy.scope({ ...(await orgOf('Other')), environment: 'test' });
    const keyOf = async (kind: 'public' | 'secret', grant: typeof dear): Promise<string> =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants: [grant] })).secret;
    keys = { public: await keyOf('public', dear), secret: await keyOf('secret', dear) };
    const scope = await beckon.tenancy.scope({ ...dear, environment: 'test' });
    for (const audience of dearAudiences) ids.audience = (await beckon.audiences.create(scope, unchecked(audience))).id;
    const { created } = await beckon.workflows.importBundle(scope, unchecked(dearBundle));
    ids.branching = created.find(({ name }) => name === 'branches')?.id ?? '';
    for (const request of dearPeople) expect(await ask(request)).toBe(200);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const ask = async ({ method = 'POST', path, body, key }: TenantRequest): Promise<number> => {
    const headers = { 'x-api-key': keys[key], 'content-type': 'application/json' };
    const url = `http://127.0.0.1/api/v1${path}`;
    const request = new Request(url, { method, headers, ...(method === 'GET' ? {} : { body }) });
    return (await handler.fetch(request)).status;
  };
  const cases = tenantRequests(ids, 0).map(({ says }, at) => [says, at] as const);
  let round = 0;
  /** With ids that were not sent before. */
  const requestAt = (at: number): TenantRequest => {
    round += 1;
    const request = tenantRequests(ids, round)[at];
    if (!request) throw new TypeError(`there is no request ${at}`);
    return request;
  };

  it.each(cases)('the work of expensive definitions is spread over turns of the event loop: %s', async (says, at) => {
    let status = 0;
    const worst = await worstTurn(async () => {
      status = await ask(requestAt(at));
    });
    // Without counting, because counting costs more than the work itself.
    const again = requestAt(at);
    const before = process.cpuUsage();
    await ask(again);
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(
      `${Math.round((user + system) / 1_000)} ms of CPU, ${Math.round(worst / 1_000)}k a turn: ${says}\n`,
    );
    expect([200, 201]).toContain(status);
    expect(worst).toBeLessThan(MOST_PER_TURN);
  });

  it.each(cases.filter(([, at]) => tenantRequests(ids, 0)[at]?.isLong))(
    'the event of another organization is stored before ten of its own are done: %s',
    async (_, at) => {
      const done: string[] = [];
      const record = async (name: string, work: Promise<unknown>): Promise<void> => {
        await work;
        done.push(name);
      };
      const event = { module: 'm', eventType: 'ordinary', userId: 'somebody' };
      const dear = Array.from({ length: 10 }, () => record('dear', ask(requestAt(at))));
      // Their bodies have been read, and their work is in progress.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...dear, record('other', beckon.events.track(other, event))]);
      expect(done).toHaveLength(11);
      expect(done.at(-1)).toBe('dear');
    },
  );
});
