// What commands call of a service that runs elsewhere: the functions of the library as far as the API offers them.

import { randomUUID } from 'node:crypto';
import type { Beckon, BundleExport, Channel } from '@beckon/core';
import { usageError } from '../exit-codes.ts';
import type { Call, Client } from './client.ts';

type Functions = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;
type Query = NonNullable<Call['query']>;

const WORKFLOWS = '/automation/workflows';
const RUNS = '/automation/runs';
const AUDIENCES = '/audiences';
const AI_SETTINGS = '/automation/ai/settings';
const WEBHOOKS = '/webhooks';
const DELIVERIES = '/webhooks/deliveries';

const sendsOf = (channel: Channel): string => `/${channel}/sends`;
const at = (path: string, id: string, below = ''): string => `${path}/${encodeURIComponent(id)}${below}`;

const noSuchName = (): Error =>
  Object.assign(new Error('The project has no workflow of such a name.'), {
    name: 'BeckonError',
    code: 'VALIDATION_ERROR',
    details: { fieldErrors: { workflows: ['The project has no workflow of such a name.'] } },
  });

/** Every function takes the scope first, as the library's do; whose it is the key says. */
export const remoteGroups = (call: Client) => {
  const data = async (asked: Call): Promise<unknown> => (await call(asked)).data;
  const read = (path: string, query: Query = {}) => data({ method: 'GET', path, query });
  const post = (path: string, body?: unknown) => data({ method: 'POST', path, body });
  /** Of what only computes, or comes to the same however often it is asked. */
  const repeated = (path: string, body: unknown) => data({ method: 'POST', path, body, isRepeatable: true });
  const page = async (path: string, query: Query = {}) => {
    const { data: rows, pagination } = await call({ method: 'GET', path, query });
    return { data: rows, pagination };
  };
  const send = (channel: Channel, body: unknown) =>
    data({ method: 'POST', path: `/${channel}/send`, body, idempotencyKey: randomUUID() });
  const resource = (path: string) => ({
    list: (_: unknown, query?: Query) => page(path, query),
    get: (_: unknown, id: string) => read(at(path, id)),
    create: (_: unknown, body: unknown) => post(path, body),
    remove: (_: unknown, id: string) => data({ method: 'DELETE', path: at(path, id) }),
    update: (_: unknown, id: string, body: unknown, { ifVersion }: { ifVersion?: number } = {}) =>
      data({ method: 'PATCH', path: at(path, id), query: { ifMatch: ifVersion }, body }),
  });

  return {
    workflows: {
      ...resource(WORKFLOWS),
      exportBundle: async (_: unknown, { workflows }: { workflows?: readonly string[] } = {}) => {
        const { data: exported, etag } = await call({ method: 'GET', path: `${WORKFLOWS}/export` });
        // Safe: the service's own description says so.
        const bundle = exported as BundleExport['bundle'];
        if (!workflows) return { bundle, etag };
        const found = bundle.workflows.filter(({ name }) => workflows.includes(name));
        if (found.length < new Set(workflows).size) throw noSuchName();
        return { bundle: { ...bundle, workflows: found }, etag };
      },
      importBundle: (_: unknown, body: unknown, { dryRun, ifMatch, only, prune }: Query = {}) =>
        data({
          method: 'POST',
          path: `${WORKFLOWS}/import`,
          query: { dryRun, ifMatch, only, prune },
          body,
          idempotencyKey: randomUUID(),
        }),
      simulate: (_: unknown, id: string, body: unknown) => repeated(at(WORKFLOWS, id, '/simulate'), body),
      figures: (_: unknown, id: string, query?: Query) => read(at('/analytics/workflows', id), query),
      listRuns: (_: unknown, query?: Query) => page(RUNS, query),
      getRun: (_: unknown, id: string) => read(at(RUNS, id)),
      cancelRun: (_: unknown, id: string) => post(at(RUNS, id, '/cancel')),
      retryRun: (_: unknown, id: string) => post(at(RUNS, id, '/retry')),
    },
    audiences: {
      ...resource(AUDIENCES),
      members: (_: unknown, id: string, query?: Query) => page(at(AUDIENCES, id, '/members'), query),
      addMembers: (_: unknown, id: string, body: unknown) => repeated(at(AUDIENCES, id, '/members'), body),
      removeMembers: (_: unknown, id: string, body: unknown) => repeated(at(AUDIENCES, id, '/members/remove'), body),
      preview: (_: unknown, body: unknown) => repeated(`${AUDIENCES}/preview`, body),
      explain: (_: unknown, id: string, userId: string) => read(at(AUDIENCES, id, at('/explain', userId))),
    },
    analytics: {
      ...Object.fromEntries(
        ['overview', 'events', 'sends', 'retention', 'usage'].map((name) => [
          name,
          (_: unknown, query?: Query) => read(`/analytics/${name}`, query),
        ]),
      ),
      funnel: (_: unknown, body: unknown) => post('/analytics/funnel', body),
    },
    ai: {
      get: () => read(AI_SETTINGS),
      put: (_: unknown, body: unknown) => data({ method: 'PUT', path: AI_SETTINGS, body, isRepeatable: true }),
      remove: () => data({ method: 'DELETE', path: AI_SETTINGS }),
    },
    push: { send: (_: unknown, body: unknown) => send('push', body) },
    email: { send: (_: unknown, body: unknown) => send('email', body) },
    sms: { send: (_: unknown, body: unknown) => send('sms', body) },
    sends: {
      list: (_: unknown, channel: Channel, query?: Query) => page(sendsOf(channel), query),
      get: (_: unknown, channel: Channel, id: string) => read(at(sendsOf(channel), id)),
      messages: (_: unknown, channel: Channel, id: string, query?: Query) =>
        page(at(sendsOf(channel), id, '/messages'), query),
      message: (_: unknown, channel: Channel, id: string) => read(at(`/${channel}/messages`, id)),
      cancel: (_: unknown, channel: Channel, id: string) => data({ method: 'DELETE', path: at(sendsOf(channel), id) }),
    },
    events: {
      list: (_: unknown, query?: Query) => page('/events', query),
      get: (_: unknown, id: string) => read(at('/events', id)),
    },
    profiles: {
      events: (_: unknown, userId: string, query?: Query) => page(at('/profiles', userId, '/events'), query),
    },
    webhooks: {
      ...resource(WEBHOOKS),
      rotateSecret: (_: unknown, id: string, body: unknown) => post(at(WEBHOOKS, id, '/rotate-secret'), body),
      test: (_: unknown, id: string) => post(at(WEBHOOKS, id, '/test')),
      deliveries: (_: unknown, id: string, query?: Query) => page(at(WEBHOOKS, id, '/deliveries'), query),
      recover: (_: unknown, id: string, body: unknown) => post(at(WEBHOOKS, id, '/recover'), body),
      delivery: (_: unknown, id: string) => read(at(DELIVERIES, id)),
      replay: (_: unknown, id: string) => post(at(DELIVERIES, id, '/replay')),
    },
  } satisfies Readonly<Record<string, Functions>>;
};

const lacking = (what: string) => (): never => {
  throw usageError(`${what} is not there with --url.`, 'Run the command where the database is, without --url.');
};

/** The library over a client; what the API does not offer throws a CliError (2) as it is called. */
export const remoteBeckon = (call: Client): Beckon => {
  const groups: Readonly<Record<string, Functions>> = remoteGroups(call);
  const groupOf = (name: string): object =>
    new Proxy<object>(groups[name] ?? {}, {
      get: (functions, key) => Reflect.get(functions, key) ?? lacking(`${name}.${String(key)}`),
    });
  const beckon = new Proxy({}, { get: (_, name) => (typeof name === 'string' ? groupOf(name) : undefined) });
  // Safe: each function answers what the route of the same operation answers, which the description of the service
  // takes from the library's own types.
  return beckon as Beckon;
};
