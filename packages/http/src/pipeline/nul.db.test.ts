import { type Beckon, createBeckon, newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { createHandler, type Handler, pathsOf, type Route, routes } from '../index.ts';

const PARAM = /:(\w+)/g;

describe('U+0000', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let key: string;
  let orgId: string;
  const logged: string[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey() });
    const note = (_: unknown, message: string): void => void logged.push(message);
    handler = createHandler(beckon, { trustedProxies: 1, log: { info: note, warn: note, error: note } });
    orgId = (await beckon.tenancy.createOrg({ name: 'A' })).id;
    const projectId = (await beckon.tenancy.createProject({ orgId, name: 'App' })).id;
    const made = await beckon.tenancy.createKey({
      kind: 'secret',
      environment: 'test',
      grants: [{ orgId, projectId }],
    });
    key = made.secret;
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  /** A path with one chosen parameter, the key's own organization, and harmless values elsewhere. */
  const fill = (path: string, chosen: string | null): string =>
    path.replaceAll(PARAM, (_, name: string) => (name === chosen ? 'a%00b' : name === 'orgId' ? orgId : 'x'));
  // Attempts to sign in are counted by the address of the client: each call comes from another one.
  let calls = 0;
  const fieldsOf = async ({ method }: Route, path: string, body?: unknown): Promise<[number, string[]]> => {
    calls += 1;
    const address = `10.0.${calls >> 8}.${calls & 255}`;
    const response = await handler.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-forwarded-for': address },
        ...(method !== 'GET' && method !== 'HEAD' && { body: JSON.stringify(body ?? {}) }),
      }),
    );
    const text = await response.text();
    const fields = text === '' ? {} : JSON.parse(text).error?.details?.fieldErrors;
    return [response.status, Object.keys(fields ?? {})];
  };
  const everyPath = routes.flatMap((route) => pathsOf(route, '/api/v1').map((path) => ({ route, path })));

  it('U+0000 is rejected in every parameter of every path', async () => {
    let tried = 0;
    for (const { route, path } of everyPath) {
      for (const [, name = ''] of path.matchAll(PARAM)) {
        // An organization is looked up in the grants of the key, so this one gets the usual 404.
        const isOfKey = name === 'orgId' && route.needs !== 'nothing';
        // An error of SCIM names no fields.
        const hasFields = route.method !== 'HEAD' && route.errorForm === undefined;
        const expected = isOfKey ? [404, []] : [400, hasFields ? [name] : []];
        expect(await fieldsOf(route, fill(path, name)), `${route.method} ${path}`).toEqual(expected);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(40);
  });

  it('U+0000 is rejected in every name and value of the query of every route', async () => {
    for (const { route, path } of everyPath) {
      for (const query of ['cursor=a%00b', 'projectId=%00', 'userId=%00', 'anything=%00', 'a%00b=1']) {
        const [status] = await fieldsOf(route, `${fill(path, null)}?${query}`);
        expect(status, `${route.method} ${path}?${query}`).toBe(400);
      }
    }
  });

  it('U+0000 is rejected in the projectId of every body that may name one', async () => {
    for (const { route, path } of everyPath) {
      if (route.needs !== 'project' || route.bodyCap === null || route.isBodyWhole) continue;
      const answer = await fieldsOf(route, fill(path, null), { projectId: 'a\0b' });
      expect(answer, `${route.method} ${path}`).toEqual([400, ['projectId']]);
    }
  });

  it('U+0000 never reaches the database, which would reject it as an internal error', () => {
    expect(logged).toEqual([]);
  });
});
