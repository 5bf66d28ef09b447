import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, isRateLimited } from '../errors.ts';
import type { ServerClient } from './client-types.ts';
import { createServerClient, type ServerClientOptions } from './server-client.ts';

type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly atMs: number;
};
type Answer = { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> };

const refusal = (status: number, details: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { success: false, error: { code: status === 429 ? 'RATE_LIMITED' : 'CODE', message: 'No.', details } },
  headers,
});
const page = (data: readonly unknown[], nextCursor: string | null): Answer => ({
  body: { success: true, data, pagination: { limit: 2, hasMore: nextCursor !== null, nextCursor } },
});
const fine = (data: unknown): Answer => ({ body: { success: true, data } });

/** A service with prepared responses, one by one; 'down' is no response. */
const open = (answers: readonly (Answer | 'down')[], options: Partial<ServerClientOptions> = {}) => {
  const seen: Seen[] = [];
  const left = [...answers];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(String(input));
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : null;
    const headers = new Headers(init.headers);
    seen.push({ method: init.method ?? 'GET', path: pathname + search, headers, body, atMs: Date.now() });
    init.signal?.throwIfAborted();
    const answer = left.shift() ?? fine({});
    if (answer === 'down') throw new TypeError('fetch failed');
    return Response.json(answer.body, { status: answer.status ?? 200, headers: answer.headers ?? {} });
  };
  const client = createServerClient({ apiKey: 'sk_test_1', baseUrl: 'https://engage.example/', fetch, ...options });
  return { client, seen };
};
/** The result of a call, with every wait over at once. */
const resultOf = async (work: Promise<unknown>): Promise<unknown> => {
  const settled = work.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return settled;
};
const idsOf = async (rows: AsyncIterable<{ readonly id: string | number }>): Promise<(string | number)[]> => {
  const ids: (string | number)[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
};
const waits = (seen: readonly Seen[]): number[] =>
  seen.slice(1).map(({ atMs }, index) => atMs - (seen[index]?.atMs ?? 0));

describe('createServerClient', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('a method calls its route with the key, and returns its data', async () => {
    const { client, seen } = open([fine({ userId: 'a/ä' })]);
    expect(await client.profiles.get('a/ä')).toEqual({ userId: 'a/ä' });
    expect(seen).toMatchObject([{ method: 'GET', path: '/api/v1/profiles/a%2F%C3%A4', body: null }]);
    expect(seen[0]?.headers.get('x-api-key')).toBe('sk_test_1');
    expect(seen[0]?.headers.has('content-type')).toBe(false);
  });

  it('the client adds its organization to the path and its project to the query of every route that has them', async () => {
    const { client, seen } = open([page([], null), page([], null)], { orgId: 'o1', projectId: 'p1' });
    await client.profiles.list({ limit: 5 }).page();
    await client.keys.list().page();
    await client.events.track({ module: 'shop', eventType: 'cart.filled', userId: 'ada' });
    await client.alive();
    expect(seen.map(({ path }) => path)).toEqual([
      '/api/v1/orgs/o1/profiles?projectId=p1&limit=5',
      '/api/v1/orgs/o1/api-keys',
      '/api/v1/events?projectId=p1',
      '/healthz',
    ]);
  });

  it('the API description and health checks are returned unwrapped', async () => {
    const { client } = open([{ body: { openapi: '3.1.0' } }, fine({ status: 'ok' })]);
    expect(await client.openApi()).toEqual({ openapi: '3.1.0' });
    expect(await client.ready()).toEqual({ status: 'ok' });
  });

  it('a list iterates row by row over all its pages, and starts again each time', async () => {
    const { client, seen } = open([
      page([{ id: 1 }, { id: 2 }], 'c 2'),
      page([{ id: 3 }], null),
      page([{ id: 4 }], null),
    ]);
    const list = client.events.list({ limit: 2 });
    expect(await idsOf(list)).toEqual([1, 2, 3]);
    expect(await idsOf(list)).toEqual([4]);
    expect(seen.map(({ path }) => path)).toEqual([
      '/api/v1/events?limit=2',
      '/api/v1/events?limit=2&cursor=c+2',
      '/api/v1/events?limit=2',
    ]);
  });

  it('a list requests no page beyond what a loop reads', async () => {
    const { client, seen } = open([page([{ id: 1 }, { id: 2 }], 'next')]);
    for await (const _ of client.events.list()) break;
    expect(seen).toHaveLength(1);
  });

  it('a send has one idempotency key for all its attempts, and accepts one from the caller', async () => {
    const { client, seen } = open([refusal(503), 'down', fine({}), fine({}), fine({})]);
    const send = { userIds: ['ada'], title: 'Hello' };
    await resultOf(client.push.send(send));
    await client.push.send(send);
    await client.email.send({ userIds: ['ada'] }, { idempotencyKey: 'mine' });
    await client.runs.retry('1');
    const keys = seen.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
    expect(keys.slice(4)).toEqual(['mine', null]);
  });

  it('every event gets an id, so a retried event is stored once, and a known one counts as accepted', async () => {
    const { client, seen } = open(['down', refusal(409, { reason: 'duplicate', id: 'e1' })]);
    const event = { module: 'shop', eventType: 'cart.filled', userId: 'ada' };
    expect(await resultOf(client.events.track(event))).toEqual({ id: 'e1', accepted: true });
    await client.events.batch({ batch: [event, { ...event, messageId: 'mine' }] });
    const [first, second, batch] = seen.map(({ body }) => body);
    expect(first).toMatchObject({ messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(second).toEqual(first);
    expect(batch).toMatchObject({ batch: [{ messageId: expect.any(String) }, { messageId: 'mine' }] });
    expect(event).not.toHaveProperty('messageId');
  });

  it('events that a batch could not store are sent again, and the result covers the whole batch', async () => {
    const rejected = (index: number, code: string) => ({ index, code, fieldErrors: {} });
    const { client, seen } = open([
      fine({
        accepted: 1,
        duplicates: 0,
        rejected: [rejected(0, 'OVERLOADED'), rejected(1, 'VALIDATION_ERROR'), rejected(3, 'INTERNAL')],
      }),
      fine({ accepted: 1, duplicates: 0, rejected: [rejected(0, 'OVERLOADED')] }),
      fine({ accepted: 0, duplicates: 1, rejected: [] }),
    ]);
    const event = { module: 'shop', eventType: 'cart.filled', userId: 'ada' };
    const batch = ['a', 'b', 'c', 'd'].map((messageId) => ({ ...event, messageId }));
    const sentAt = '2026-03-01T12:00:00.000Z';
    expect(await resultOf(client.events.batch({ batch, sentAt }, { idempotencyKey: 'mine' }))).toEqual({
      accepted: 2,
      duplicates: 1,
      rejected: [rejected(1, 'VALIDATION_ERROR')],
    });
    const [a, b, c, d] = batch;
    expect(seen.map(({ body }) => body)).toEqual([
      { batch: [a, b, c, d], sentAt },
      { batch: [a, d], sentAt: '2026-03-01T12:00:01.000Z' },
      { batch: [a], sentAt: '2026-03-01T12:00:03.000Z' },
    ]);
    expect(waits(seen)).toEqual([1_000, 2_000]);
    // The response of the first call is stored with its key.
    expect(new Set(seen.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(3);
  });

  it('events rejected four times, or whose repetition is refused, are reported as rejected', async () => {
    const busy = (indexes: readonly number[]) =>
      fine({
        accepted: 1,
        duplicates: 0,
        rejected: indexes.map((index) => ({ index, code: 'OVERLOADED', fieldErrors: {} })),
      });
    const event = { module: 'shop', eventType: 'cart.filled', userId: 'ada' };
    const patient = open([busy([1, 2]), busy([0, 1]), busy([0, 1]), busy([0, 1]), busy([])]);
    expect(await resultOf(patient.client.events.batch([event, event, event]))).toMatchObject({
      accepted: 4,
      rejected: [{ index: 1 }, { index: 2 }],
    });
    expect(patient.seen).toHaveLength(4);
    const refused = open([busy([2]), ...Array.from({ length: 9 }, () => refusal(503))]);
    expect(await resultOf(refused.client.events.batch([event, event, event]))).toMatchObject({
      accepted: 1,
      rejected: [{ index: 2, code: 'OVERLOADED' }],
    });
    expect(refused.seen).toHaveLength(5);
  });

  it('the signal aborts the wait before rejected events are sent again', async () => {
    const { client, seen } = open([
      fine({ accepted: 1, duplicates: 0, rejected: [{ index: 0, code: 'OVERLOADED', fieldErrors: {} }] }),
    ]);
    const event = { module: 'shop', eventType: 'cart.filled', userId: 'ada' };
    const ended = new AbortController();
    const batch = client.events.batch([event, event], { signal: ended.signal });
    setTimeout(() => ended.abort(new Error('enough')), 500);
    expect(await resultOf(batch)).toMatchObject({ message: 'enough' });
    expect(seen).toHaveLength(1);
  });

  it.each([429, 500, 502, 503])(
    'a call answered %d is repeated at most three times, and then throws',
    async (status) => {
      const { client, seen } = open(Array.from({ length: 9 }, () => refusal(status)));
      expect(await resultOf(client.audiences.delete('1'))).toMatchObject({ status });
      expect(waits(seen)).toEqual([1_000, 2_000, 4_000]);
    },
  );

  it('a retry waits at least as long as the service asks, and a wait of more than a minute throws at once', async () => {
    const { client, seen } = open([
      refusal(503, {}, { 'retry-after': '7' }),
      refusal(429, { retryAfterSeconds: 1 }),
      refusal(429, { retryAfterSeconds: 61 }),
    ]);
    const error = await resultOf(client.profiles.get('ada'));
    expect(isRateLimited(error) && error.details.retryAfterSeconds).toBe(61);
    expect(waits(seen)).toEqual([7_000, 2_000]);
  });

  it.each([
    ['a quota that is used up', refusal(429, { reason: 'quota', retryAfterSeconds: 1 })],
    ['a refused body', refusal(400)],
    ['a missing plan', refusal(402)],
    ['another call with the same key', refusal(409, { reason: 'idempotency_mismatch' })],
    ['a known event where no event is sent', refusal(409, { reason: 'duplicate' })],
  ])('%s throws at once', async (_, answer) => {
    const { client, seen } = open([answer]);
    expect(await resultOf(client.push.send({ userIds: ['ada'] }))).toMatchObject({ status: answer.status });
    expect(seen).toHaveLength(1);
  });

  it('a call waits for the first call of its idempotency key to end', async () => {
    const { client, seen } = open([
      refusal(409, { reason: 'idempotency_in_progress' }, { 'retry-after': '3' }),
      fine({ id: 's1' }),
    ]);
    expect(await resultOf(client.sms.send({ userIds: ['ada'] }))).toEqual({ id: 's1' });
    expect(waits(seen)).toEqual([3_000]);
  });

  it('a call without a response is repeated only if it is idempotent', async () => {
    type Case = readonly [attempts: number, call: (client: ServerClient) => Promise<unknown>];
    const cases: readonly Case[] = [
      [2, (client) => client.profiles.get('ada')],
      [2, (client) => client.secrets.set('token', { value: 'x' })],
      [2, (client) => client.events.identify({ userId: 'ada', traits: {} })],
      [1, (client) => client.audiences.delete('1')],
      [1, (client) => client.runs.retry('1')],
    ];
    for (const [attempts, call] of cases) {
      const { client, seen } = open(['down']);
      const outcome = await resultOf(call(client));
      expect([seen.length, outcome instanceof ApiError]).toEqual([attempts, attempts === 1]);
    }
  });

  it('a readiness check is sent once, because an error status is its response', async () => {
    const { client, seen } = open([refusal(503, { checks: { worker: 'late' } })]);
    expect(await resultOf(client.ready())).toMatchObject({ status: 503, details: { checks: { worker: 'late' } } });
    expect(seen).toHaveLength(1);
  });

  it('a response that is not the service’s own counts as none', async () => {
    const { client } = open(Array.from({ length: 4 }, () => ({ body: null })));
    expect(await resultOf(client.profiles.get('ada'))).toMatchObject({ status: 0, code: 'network' });
  });

  it('the signal aborts a call and its waits with its reason', async () => {
    const { client, seen } = open([refusal(503)]);
    const controller = new AbortController();
    const ended = client.profiles.get('ada', { signal: controller.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(500);
    controller.abort('enough');
    expect(await ended).toBe('enough');
    expect(seen).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(await resultOf(client.profiles.get('ada', { signal: controller.signal }))).toBe('enough');
  });

  it('a path parameter that would reach another route throws', async () => {
    const { client, seen } = open([]);
    for (const part of ['', '.', '..']) await expect(client.profiles.get(part)).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('createServerClient rejects a public key and a baseUrl that is not http or https', () => {
    expect(() => open([], { apiKey: 'pk_test_1' })).toThrow('secret');
    for (const baseUrl of ['engage.example', 'ftp://engage.example'])
      expect(() => open([], { baseUrl })).toThrow(TypeError);
  });
});
