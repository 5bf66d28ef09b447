import { type Beckon, type BodyName, createBeckon, type Log, newMasterKey, type Scope } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../core/test/support/database.ts';
import { bodyOf } from '../test/support/openapi/operation-ids.ts';
import { createHandler, type Handler } from './create-handler.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { examples } from './openapi/examples.ts';
import type { Route } from './route.ts';
import { routes } from './route-table.ts';

/** Part of every value of a request, in any letter case. Nothing that the service logs or reports may contain it. */
const CANARY = 'canary7f3c';
const PHONE = '+14155559999';
const TELLS = [CANARY, PHONE.slice(2)];
const MAIL = `${CANARY}@example.com`;
/** Ends only a test that hangs. */
const TIMEOUT_MS = 600_000;

/** Everything an error holds, as a log that prints every property would show it. */
const plain = (value: unknown, depth = 0): unknown => {
  if (!(value instanceof Error) || depth > 5) return value;
  return {
    ...value,
    name: value.name,
    message: value.message,
    stack: value.stack,
    cause: plain(value.cause, depth + 1),
  };
};
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The same value with every text in it changed. */
const mapped = (value: unknown, change: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, change)]));
};
/** Still valid: addresses of users become addresses that contain the canary. */
const withPeople = (text: string): string => {
  if (text.includes('@')) return MAIL;
  if (text.startsWith('+1')) return PHONE;
  return text === 'user-42' || text === 'ann' ? CANARY : text;
};

describe('personal data of a request', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let metrics: Metrics;
  let scope: Scope;
  const keys = { secret: '', public: '' };
  const logged: string[] = [];
  const log: Log['info'] = (fields, message) => {
    const entries = Object.entries(fields).map(([name, value]) => [name, plain(value)]);
    logged.push(JSON.stringify([message, Object.fromEntries(entries)]));
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    metrics = await createMetrics();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey(), meter: metrics.meter },
      log: { info: log, warn: log, error: log },
      limits: { callsPerMinute: 1_000_000 },
      publicUrl: 'https://links.example',
      // No DNS server listens at this address.
      email: { dnsServers: ['127.0.0.1:1'] },
    });
    handler = createHandler(beckon, { log: { info: log, warn: log, error: log }, onAnswered: metrics.answered });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    for (const kind of ['secret', 'public'] as const)
      keys[kind] = (await beckon.tenancy.createKey({ kind, environment: 'test', grants })).secret;
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  /** Returns what was reported: in the response if the body was rejected, and in the log. */
  const ask = async (route: Route, more: { body?: unknown; query?: string; key?: string; id?: string }) => {
    const { body, query = '', key = keys.secret, id = CANARY } = more;
    const path = route.path.replaceAll(/:\w+/g, encodeURIComponent(id));
    const base = route.shape === 'root' ? '' : '/api/v1';
    const headers: Record<string, string> = {
      ...(key !== '' && { 'x-api-key': key }),
      ...{ 'content-type': 'application/json', authorization: `Bearer ${CANARY}` },
      ...{ cookie: `session=${CANARY}`, 'user-agent': CANARY, 'x-forwarded-for': CANARY, 'idempotency-key': CANARY },
    };
    const hasBody = body !== undefined && route.method !== 'GET' && route.method !== 'HEAD';
    const request = new Request(`http://127.0.0.1${base}${path}${query}`, {
      ...{ method: route.method, headers },
      ...(hasBody && { body: JSON.stringify(body) }),
    });
    const from = logged.length;
    const response = await handler.fetch(request, { address: '203.0.113.7' });
    const text = await response.text();
    return { status: response.status, reported: [response.status < 400 ? '' : text, ...logged.slice(from)].join('\n') };
  };
  const expectNothing = (reported: string, place: string): void => {
    for (const one of [...TELLS, keys.secret, keys.public]) {
      expect(reported.toLowerCase(), place).not.toContain(one.toLowerCase());
    }
  };

  it(
    'no error, log line or metric of any route contains data of the request',
    async () => {
      let refused = 0;
      for (const route of routes) {
        const place = `${route.method} ${route.path}`;
        const takes: BodyName | undefined = route.needs === 'nothing' ? undefined : route.takes;
        const example = takes === undefined ? { [CANARY]: CANARY } : await bodyOf(beckon, scope, takes);
        const queryNames = Object.keys(route.query?.shape ?? {});
        const query = queryNames.length === 0 ? '' : `?${queryNames.map((name) => `${name}=${CANARY}`).join('&')}`;
        const reported = [
          await ask(route, { body: mapped(example, withPeople) }),
          await ask(route, { body: mapped(example, withPeople), id: MAIL }),
          await ask(route, { body: mapped(example, (text) => `${CANARY} ${text}`) }),
          await ask(route, { body: mapped(example, (text) => [CANARY, text]), query }),
          await ask(route, { body: CANARY, query }),
          await ask(route, { body: example, key: `${keys.secret.slice(0, -1)}${CANARY}` }),
          await ask(route, { body: example, key: keys.public }),
          await ask(route, { key: '', query: `?key=${keys.secret}&projectId=${CANARY}` }),
        ];
        for (const one of reported) expectNothing(one.reported, place);
        refused += reported.filter(({ status }) => status >= 400).length;
      }
      await beckon.worker.drain();
      expectNothing(logged.join('\n'), 'the work behind them');
      expectNothing(await metrics.text(beckon), 'the figures');
      console.log(
        `canary: ${refused} refusals by ${routes.length} routes and ${logged.length} lines of the log tell 0 of it`,
      );
      // Otherwise nothing would have been checked.
      expect(refused).toBeGreaterThan(4 * routes.length);
    },
    TIMEOUT_MS,
  );

  it(
    'reports of an unreachable database contain no data of the request',
    async () => {
      await beckon.close();
      const from = logged.length;
      let failed = 0;
      for (const route of routes) {
        const takes: BodyName | undefined = route.needs === 'nothing' ? undefined : route.takes;
        const example = takes === undefined ? CANARY : mapped(examples[takes], withPeople);
        const { status, reported } = await ask(route, { body: example });
        failed += status >= 500 ? 1 : 0;
        expectNothing(reported, `${route.method} ${route.path}`);
      }
      expect(failed).toBeGreaterThan(routes.length / 2);
      expect(logged.length - from).toBeGreaterThan(failed / 2);
    },
    TIMEOUT_MS,
  );
});
