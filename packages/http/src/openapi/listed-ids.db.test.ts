import { type Beckon, type BodyName, createBeckon, newMasterKey, type Scope, virtualClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { bodyOf, operationIds } from '../../test/support/openapi/operation-ids.ts';
import { type Documented, makeValidator } from '../../test/support/openapi/validator.ts';
import { createHandler, type Handler } from '../index.ts';

const USER = 'user-42';
const clock = virtualClock('2026-03-01T12:00:00.000Z');
const { operations } = makeValidator();

/** Lists whose rows have no route of their own. */
const LISTS_ALONE = ['/push/live-activities', '/auth-service/audit', '/sandbox/messages', '/api-keys'];
/** Webhook event names, as many as the examples raise. */
const EVENT_NAMES = [
  'push.send_requested',
  'push.scheduled',
  'push.sent',
  'push.delivered',
  'push.suppressed',
  'push.cancelled',
  'push.opened',
  'push.live_activity_started',
  'email.opened',
  'user.identified',
  'workflow.run_started',
  'workflow.run_completed',
  'workflow.step_executed',
] as const;
/** Fields that refer to a row of another list, and the path that reads it. */
const NAMED: Readonly<Record<string, (row: Readonly<Record<string, unknown>>, list: string) => string | null>> = {
  eventId: () => '/events',
  triggerEventId: () => '/events',
  sendId: ({ channel }, list) => `/${channelOf(channel, list)}/sends`,
  messageId: ({ channel, eventType }, list) =>
    eventType === undefined ? `/${channelOf(channel, list)}/messages` : null,
};
const channelOf = (channel: unknown, list: string): string =>
  typeof channel === 'string' ? channel : (/^\/(push|email|sms)\//.exec(list)?.[1] ?? 'push');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

describe('ids in lists', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let scope: Scope;
  let key: string;
  let ids: Awaited<ReturnType<typeof operationIds>>;

  const plain = (path: string): string => path.replace('/api/v1', '').replace('/orgs/{orgId}', '');
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await handler.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    // A receiver outside this machine gets no request.
    if (method === 'POST' && path.endsWith('/webhooks') && response.status < 300)
      await beckon.webhooks.update(scope, JSON.parse(text).data.id, { isActive: false });
    return { status: response.status, text };
  };
  const pathFor = async ({ method, path }: Documented): Promise<string> => {
    const inOrg = path.replace('{orgId}', scope.orgId);
    const make = ids[`${method} ${plain(path)}`];
    if (!inOrg.includes('{') || !make) return inOrg;
    return inOrg.replace(/\{\w+\}/, encodeURIComponent(await make())).replace('{userId}', USER);
  };
  const needed = ({ operation }: Documented): string => {
    const names = operation.parameters.filter((one) => one['in'] === 'query' && one['required'] === true);
    return names.length === 0 ? '' : `?${names.map(({ name }) => `${String(name)}=1`).join('&')}`;
  };
  const bodyNameOf = ({ operation }: Documented): BodyName | undefined => {
    const ref = operation.requestBody?.content['application/json']?.schema['$ref'];
    // Safe: the document refers to bodies by their names.
    return typeof ref === 'string' ? (ref.slice('#/components/schemas/'.length) as BodyName) : undefined;
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      limits: { callsPerMinute: 1_000_000 },
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      publicUrl: 'https://links.example',
      email: { dnsServers: ['127.0.0.1:1'] },
    });
    handler = createHandler(beckon, { clock });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    const grants = [{ orgId, projectId }];
    key = (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret;
    const { id: webhookId } = await beckon.webhooks.create(scope, {
      url: 'https://shop.example/',
      events: [...EVENT_NAMES],
      isPulled: true,
    });
    ids = { ...(await operationIds(beckon, scope)), 'GET /webhooks/{id}/deliveries': async () => webhookId };
    for (const one of operations) {
      const name = bodyNameOf(one);
      if (one.method === 'GET') continue;
      await call(
        one.method,
        `${await pathFor(one)}${needed(one)}`,
        name === undefined ? undefined : await bodyOf(beckon, scope, name),
      );
      await beckon.worker.drain();
    }
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  it('every id in a list can be fetched', async () => {
    const gets = operations.filter(({ method, path }) => method === 'GET' && path.includes('{orgId}'));
    const reads = new Map(
      gets.filter(({ path }) => path.endsWith('}')).map((one) => [plain(one.path).replace(/\/\{\w+\}$/, ''), one.path]),
    );
    /** Where rows of a list are read: below the list, or below the list of all. */
    const readOf = (list: string): string | undefined => {
      const segments = list.split('/');
      for (let from = 1; from < segments.length; from += 1)
        for (const head of ['', `/${segments[1]}`, `/${segments[1]}/${segments[2]}`]) {
          const found =
            reads.get(`${head}/${segments.slice(from).join('/')}`) ?? reads.get(`/${segments.slice(from).join('/')}`);
          if (found) return found;
        }
      return undefined;
    };
    const alone: string[] = [];
    const missing: string[] = [];
    let fetched = 0;
    const fetch = async (path: string, id: string, from: string): Promise<void> => {
      const { status } = await call(
        'GET',
        path.replace('{orgId}', scope.orgId).replace(/\{\w+\}$/, encodeURIComponent(id)),
      );
      fetched += 1;
      if (status !== 200) missing.push(`${from}: ${path} ${id} ${status}`);
    };
    for (const one of gets) {
      const { status, text } = await call(
        'GET',
        `${await pathFor(one)}${needed(one) || (/sends|deliveries|events$/.test(one.path) ? '?limit=200' : '')}`,
      );
      const answer: unknown = status === 200 && text.startsWith('{') ? JSON.parse(text) : null;
      if (!isObject(answer) || !Array.isArray(answer['data']) || !isObject(answer['pagination'])) continue;
      const list = plain(one.path);
      const read = readOf(list);
      for (const row of answer['data'].filter(isObject)) {
        if (typeof row['id'] === 'string') {
          if (list === '/profiles/{userId}/sends')
            await fetch(`/api/v1/orgs/{orgId}/${String(row['channel'])}/messages/{id}`, row['id'], list);
          else if (read) await fetch(read, row['id'], list);
          else if (!alone.includes(list)) alone.push(list);
        }
        for (const [field, where] of Object.entries(NAMED)) {
          const id = row[field];
          const place = where(row, list);
          if (typeof id === 'string' && place) await fetch(`/api/v1/orgs/{orgId}${place}/{id}`, id, `${list} ${field}`);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(alone).toEqual(LISTS_ALONE);
    expect(fetched).toBeGreaterThan(100);
  });
});
