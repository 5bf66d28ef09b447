import { describe, expect, it } from 'vitest';
import { failureOf } from '../exit-codes.ts';
import { type ClientOptions, remoteClient } from './client.ts';

type Request = { readonly url: string; readonly init: RequestInit };

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });
const success = (data: unknown): Response => json({ success: true, data });
const failure = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json({ success: false, error: { code, message: 'no' } }, status, headers);

const client = (answers: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) => {
  const requests: Request[] = [];
  const waits: number[] = [];
  const left = [...answers];
  const call = remoteClient({
    url: 'http://127.0.0.1:8080',
    apiKey: 'sk_test_key',
    fetch: async (url, init = {}) => {
      requests.push({ url: String(url), init });
      const answer = left.shift();
      if (!answer || answer instanceof Error) throw answer ?? new Error('asked too often');
      return answer;
    },
    sleep: async (ms) => void waits.push(ms),
    ...options,
  });
  return { call, requests, waits };
};

const GET = ['GET /automation/workflows', {}] as const;
const POST = ['POST /automation/runs/{id}/cancel', { params: { id: 'r' } }] as const;
const SEND = ['POST /email/send', { body: {} }] as const;
const exitCodeOf = async (promise: Promise<unknown>): Promise<number> =>
  promise.then(
    () => 0,
    (error: unknown) => failureOf(error).exitCode,
  );

describe('a client of a running service', () => {
  it('the client calls the API below --url with its key, for the selected organization and project', async () => {
    const { call, requests } = client([success([])], { url: 'https://a.example/b/', org: 'o/1', project: 'p' });
    await call(GET[0], { query: { limit: 5, cursor: undefined } });
    expect(requests[0]?.url).toBe('https://a.example/b/api/v1/orgs/o%2F1/automation/workflows?projectId=p&limit=5');
    expect(requests[0]?.init.headers).toMatchObject({ 'x-api-key': 'sk_test_key' });
    expect(requests[0]?.init.redirect).toBe('error');
  });

  it.each(['ftp://a.example', 'a.example', 'https://user:secret@a.example', 'https://a.example?key=secret'])(
    'the client rejects %s without repeating it',
    (url) => {
      expect(() => client([], { url })).toThrow(/^Invalid --url\.$/);
    },
  );

  it('path parameters are escaped, and "." and ".." are rejected', async () => {
    const { call, requests } = client([success([])]);
    await call(POST[0], { params: { id: 'a/b ?' } });
    expect(requests[0]?.url).toBe('http://127.0.0.1:8080/api/v1/automation/runs/a%2Fb%20%3F/cancel');
    for (const id of ['', '.', '..']) expect(await exitCodeOf(call(POST[0], { params: { id } }))).toBe(2);
  });

  it('times are returned as strings, as the server sends them', async () => {
    const row = { createdAt: '2026-11-20T08:00:00.000Z', name: '2026-11-20T08:00:00.000Z' };
    expect((await client([success(row)]).call(...GET)).data).toEqual(row);
  });

  it('the client retries while the server is busy or unreachable, after the requested delay', async () => {
    const busy = failure(429, 'RATE_LIMITED', { 'retry-after': '7' });
    const { call, waits } = client([busy, new Error('refused'), failure(503, 'OVERLOADED'), success('there')]);
    expect((await call(...GET)).data).toBe('there');
    expect(waits).toEqual([7_000, 2_000, 4_000]);
  });

  it('the client retries idempotent operations, and others only with an idempotency key', async () => {
    const busy = () => client([failure(429, 'RATE_LIMITED', { 'retry-after': '1' }), success('there')]);
    for (const operation of ['POST /audiences/preview', SEND[0]])
      expect((await busy().call(operation, { body: {} })).data).toBe('there');
    await expect(busy().call(...POST)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('the client stops after four attempts, and at once for a long Retry-After', async () => {
    const four = client(Array.from({ length: 4 }, () => new Error('refused')));
    expect(await exitCodeOf(four.call(...GET))).toBe(10);
    expect(four.requests).toHaveLength(4);
    const long = client([failure(429, 'RATE_LIMITED', { 'retry-after': '3600' })]);
    expect(await exitCodeOf(long.call(...GET))).toBe(10);
    expect(long.waits).toEqual([]);
  });

  it('the client attempts a write once unless it has an idempotency key', async () => {
    const once = client([new Error('refused')]);
    expect(await exitCodeOf(once.call(...POST))).toBe(10);
    const twice = client([new Error('refused'), success({})]);
    await twice.call(...SEND);
    const [first, second] = twice.requests.map(({ init }) => new Headers(init.headers).get('idempotency-key'));
    expect([first, second]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), first]);
  });

  it.each([
    [400, 'VALIDATION_ERROR', 5],
    [401, 'UNAUTHORIZED', 4],
    [403, 'scope_required', 4],
    [404, 'NOT_FOUND', 1],
    [409, 'CONFLICT', 6],
    [412, 'PROVIDER_NOT_CONFIGURED', 8],
    [413, 'PAYLOAD_TOO_LARGE', 5],
  ])('a response %d %s exits with the same code as the library error', async (status, code, exitCode) => {
    expect(await exitCodeOf(client([failure(status, code)]).call(...POST))).toBe(exitCode);
  });

  it('a response of another server is reported as such', async () => {
    const page = new Response('<html>', { status: 200 });
    await expect(client([page]).call(...GET)).rejects.toThrow('Unexpected response from the server (status 200)');
  });
});
