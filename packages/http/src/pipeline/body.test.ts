import { afterEach, describe, expect, it, vi } from 'vitest';
import { BODY_CAPS, WITHOUT_CAP_TEST } from '../../test/support/body-caps.ts';
import { fakeBeckon, principal } from '../../test/support/fake-beckon.ts';
import { createHandler } from '../create-handler.ts';
import { routes } from '../route-table.ts';

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

const make = () => {
  const { beckon, calls } = fakeBeckon();
  const handler = createHandler(beckon);
  const post = (path: string, body: Body | null, headers: Record<string, string> = {}, method = 'POST') =>
    handler.fetch(
      new Request(`http://test/api/v1${path}`, {
        method,
        headers: { 'x-api-key': 'sk_prod_one', 'content-type': 'application/json', ...headers },
        ...(body !== null && { body }),
        // Node requires it for a stream; the type of a request lacks it.
        ...{ duplex: 'half' },
      }),
    );
  return { post, calls };
};

/** A JSON object of exactly this many bytes. */
const jsonOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const chunked = (...chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

describe('body caps', () => {
  it.each(BODY_CAPS)('a body of %s may have %i bytes and not one more', async (route, cap) => {
    const { post, calls } = make();
    const [path = '', method] = route.split(' ').reverse();
    expect((await post(path, jsonOf(cap), {}, method)).ok).toBe(true);
    expect((await post(path, chunked(jsonOf(cap)), {}, method)).ok).toBe(true);
    expect(calls).toHaveLength(2);
    for (const body of [jsonOf(cap + 1), chunked(jsonOf(cap), ' ')]) {
      const response = await post(path, body, {}, method);
      expect([response.status, response.headers.get('connection')]).toEqual([413, 'close']);
      expect((await response.json()) as unknown).toMatchObject({
        success: false,
        error: { code: 'PAYLOAD_TOO_LARGE', details: { max: cap } },
      });
    }
    expect(calls).toHaveLength(2);
  });

  it('the table of caps names every route that takes a body', () => {
    const capped = routes.flatMap((route) => (route.needs === 'project' && route.bodyCap !== null ? [route.path] : []));
    const named = BODY_CAPS.map(([route]) => route.split(' ').at(-1));
    expect([...new Set(capped)].toSorted()).toEqual([...new Set([...named, ...WITHOUT_CAP_TEST])].toSorted());
  });

  it('a Content-Length over the cap is refused before anything is read', async () => {
    let reads = 0;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          reads++;
          controller.enqueue(new Uint8Array(1_024));
        },
      },
      { highWaterMark: 0 },
    );
    expect((await make().post('/events', endless, { 'content-length': '32769' })).status).toBe(413);
    expect(reads).toBe(0);
  });

  it('a body whose Content-Length equals the cap passes', async () => {
    const { post, calls } = make();
    expect((await post('/events', jsonOf(32_768), { 'content-length': '32768' })).status).toBe(200);
    expect(calls).toHaveLength(1);
  });

  it('the cap counts bytes, not characters', async () => {
    const { post, calls } = make();
    const euros = (count: number): string => `{"a":"${'€'.repeat(count)}"}`;
    expect((await post('/events', `${euros(10_920)}`)).status).toBe(200);
    expect((await post('/events', `${euros(10_921)}`)).status).toBe(413);
    expect(calls).toHaveLength(1);
  });

  it('an endless body is no longer read soon after the cap', async () => {
    let sent = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1_024;
        controller.enqueue(new Uint8Array(1_024));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    expect((await make().post('/events', endless)).status).toBe(413);
    expect(sent).toBeLessThan(40_000);
    expect(isCancelled).toBe(true);
  });
});

describe('content types', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/cloudevents+json'])(
    'a JSON body may have the type %s',
    async (type) => {
      expect((await make().post('/events', '{}', { 'content-type': type })).status).toBe(200);
    },
  );

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
    '',
  ])('a JSON body may not have the type %j', async (type) => {
    const { post, calls } = make();
    const response = await post('/events', '{}', { 'content-type': type });
    expect([response.status, await response.text()]).toEqual([415, expect.stringContaining('UNSUPPORTED_MEDIA_TYPE')]);
    expect(calls).toEqual([]);
  });

  it('a body without content type is refused', async () => {
    const handler = createHandler(fakeBeckon().beckon);
    const headers = { 'x-api-key': 'sk_prod_one' };
    const body = new TextEncoder().encode('{}');
    const request = new Request('http://test/api/v1/events', { method: 'POST', headers, body });
    expect((await handler.fetch(request)).status).toBe(415);
  });

  it('the batch route takes text/plain that contains JSON', async () => {
    const { post } = make();
    const text = { 'content-type': 'text/plain;charset=UTF-8' };
    expect((await post('/events/batch', '[]', text)).status).toBe(200);
    expect((await post('/events/batch', 'hello', text)).status).toBe(400);
  });
});

describe('content encoding', () => {
  it('a gzip body is refused, and the error names gzip', async () => {
    const { post } = make();
    expect((await post('/events', '{}', { 'content-encoding': 'Identity' })).status).toBe(200);
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'unknown']) {
      const response = await post('/events', '{}', { 'content-encoding': encoding });
      expect([response.status, await response.text()], encoding).toEqual([415, expect.stringContaining('gzip')]);
    }
  });
});

describe('body content', () => {
  it.each([
    ['nothing at all', null],
    ['nothing', ''],
    ['only space', '  '],
    ['no JSON', '{"a":'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['15,000 levels', '['.repeat(15_000)],
    ['a number beyond a float', '{"a":1e400}'],
  ])('a body of %s is answered 400', async (_, body) => {
    const { post, calls } = make();
    const response = await post('/events', body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('fieldErrors')]);
    expect(calls).toEqual([]);
  });

  it('a missing body is reported as missing', async () => {
    const { post } = make();
    for (const body of [null, ''])
      expect(await (await post('/events', body)).json()).toMatchObject({
        error: { details: { fieldErrors: { body: ['is required'] } } },
      });
  });

  it('a body may have 32 levels, and any number of brackets in its texts', async () => {
    const { post, calls } = make();
    expect((await post('/events', '['.repeat(32) + ']'.repeat(32))).status).toBe(200);
    expect((await post('/events', JSON.stringify({ a: '[{'.repeat(100) }))).status).toBe(200);
    expect(calls).toHaveLength(2);
  });

  it('a body reaches the engine as one value however its chunks were cut', async () => {
    const { post, calls } = make();
    const bytes = new TextEncoder().encode('{"a":"€uro"}');
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    await post('/events', stream);
    expect(calls[0]?.args[1]).toEqual({ a: '€uro' });
  });

  it('an aborted body is answered 400', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error('gone')),
    });
    expect((await make().post('/events', broken)).status).toBe(400);
  });
});

describe('slow bodies', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['/events', 5_000],
    ['/push/track-open', 9_000],
    ['/email/send', 30_000],
  ])('a slow body to %s is refused after %i ms', async (path, budgetMs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { post, calls } = make();
    let isCancelled = false;
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
      cancel: () => {
        isCancelled = true;
      },
    });
    let answer: Response | undefined;
    const waiting = post(path, silent).then((response) => {
      answer = response;
    });
    // The only timer is created once the key was checked; the clock of the time budget is the machine's.
    await vi.waitUntil(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(budgetMs - 500);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(500);
    await waiting;
    expect([answer?.status, answer?.headers.get('retry-after'), answer?.headers.get('connection')]).toEqual([
      503,
      '1',
      'close',
    ]);
    expect(await answer?.text()).toContain('DEADLINE_EXCEEDED');
    expect(isCancelled).toBe(true);
    expect(calls).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reading a body may take what is left of the time budget', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { beckon } = fakeBeckon({
      tenancy: {
        authenticate: async () => {
          vi.advanceTimersByTime(4_000);
          return principal();
        },
      },
    });
    const headers = { 'x-api-key': 'any', 'content-type': 'application/json' };
    const body = new ReadableStream<Uint8Array>({});
    const request = new Request('http://test/api/v1/events', { method: 'POST', headers, body, ...{ duplex: 'half' } });
    const answer = createHandler(beckon).fetch(request);
    await vi.waitUntil(() => vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    expect((await answer).status).toBe(503);
  });
});
