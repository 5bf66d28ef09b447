import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dial, HEAD, hangUp, post, sized } from '../test/support/dial.ts';
import { EVENT_ID, fakeBeckon } from '../test/support/fake-beckon.ts';
import { createHandler } from './create-handler.ts';
import { nodeFace } from './node.ts';

// Fakes only the timeouts of the adapter; those inside node:http keep running.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  await hangUp();
});

describe('node adapter', () => {
  it('an event in one packet is answered', async () => {
    const { write, answers, calls } = await dial();
    write(sized('/events', '{"module":"m"}'));
    const text = await answers(1);
    expect(text).toContain('HTTP/1.1 200 OK');
    expect(text).toContain(`{"success":true,"data":{"id":"${EVENT_ID}","accepted":true}}`);
    expect(text).toMatch(/Content-Length: \d+\r\n/);
    expect(text).not.toMatch(/^(Server|X-Powered-By):/im);
    expect(calls[0]?.args[1]).toEqual({ module: 'm' });
  });

  it.each([65_400, 65_536, 70_000, 120_000, 131_072])(
    'a body of %i bytes that arrived before it is read is complete',
    async (size) => {
      const face = nodeFace(
        async (request) => {
          // For example while a key is looked up.
          await sleep(50);
          const bytes = await request.readBody(1_048_576, 1_000);
          return { status: 200, headers: {}, body: JSON.stringify({ data: bytes.byteLength }) };
        },
        { isDraining: false },
      );
      const { write, answers } = await dial({}, face);
      write(sized('/anything', 'x'.repeat(size)));
      expect(await answers(1)).toContain(`{"data":${size}}`);
    },
  );

  it('an event whose body arrives in pieces is answered', async () => {
    const { write, answers, calls } = await dial();
    write(post('/events', 'Content-Length: 14\r\n', ''));
    await sleep(20);
    write('{"modu');
    await sleep(20);
    write('le":"m"}');
    expect(await answers(1)).toContain('200 OK');
    expect(calls[0]?.args[1]).toEqual({ module: 'm' });
  });

  it('an event with a chunked body is answered', async () => {
    const { write, answers, calls } = await dial();
    write(post('/events', 'Transfer-Encoding: chunked\r\n', '6\r\n{"modu\r\n8\r\nle":"m"}\r\n0\r\n\r\n'));
    expect(await answers(1)).toContain('200 OK');
    expect(calls[0]?.args[1]).toEqual({ module: 'm' });
  });

  it('a connection stays open between requests, after errors too', async () => {
    const { write, answers, isOpen } = await dial();
    write(sized('/events', '{"module":"m"}'));
    await answers(1);
    write(sized('/events', '{"module":'));
    await answers(2);
    write(sized('/nowhere', '{"module":"m"}'));
    await answers(3);
    write('GET /api/v1/profiles HTTP/1.1\r\nHost: test\r\n\r\n');
    await answers(4);
    write(sized('/events', '{"module":"m"}'));
    const statuses = (await answers(5)).match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(9));
    expect(statuses).toEqual(['200', '400', '404', '401', '200']);
    expect(isOpen()).toBe(true);
  });

  it('a Content-Length over the cap is refused unread, and the connection closes', async () => {
    const { write, answers, isOpen, whenClosed, calls } = await dial();
    write(post('/events', 'Content-Length: 32769\r\n', ''));
    const text = await answers(1);
    expect(text).toContain('HTTP/1.1 413');
    expect(text).toContain('Connection: close');
    expect(text).toContain('"max":32768');
    expect(isOpen()).toBe(true);
    vi.advanceTimersByTime(1_000);
    expect(await whenClosed()).toBe('ended');
    expect(calls).toEqual([]);
  });

  it('a refusal reaches a client that is still sending', async () => {
    const { write, end, answers, whenClosed } = await dial();
    write(post('/events', 'Content-Length: 400000\r\n', 'x'.repeat(200_000)));
    expect(await answers(1)).toContain('HTTP/1.1 413');
    write('x'.repeat(200_000));
    expect(await whenClosed()).toBe('ended');
    end();
  });

  it('a chunked body one byte over the cap is refused, and the connection closes', async () => {
    const { write, answers, whenClosed, calls } = await dial();
    const chunk = `8000\r\n${'x'.repeat(32_768)}\r\n`;
    write(post('/events', 'Transfer-Encoding: chunked\r\n', `${chunk}1\r\nx\r\n`));
    const text = await answers(1);
    expect(text).toContain('HTTP/1.1 413');
    expect(text).toContain('Connection: close');
    vi.advanceTimersByTime(1_000);
    expect(await whenClosed()).toBe('ended');
    expect(calls).toEqual([]);
  });

  it('nothing more is read from a connection after 413', async () => {
    const { write, answers, whenClosed, calls } = await dial();
    const chunk = `8001\r\n${'x'.repeat(32_769)}\r\n0\r\n\r\n`;
    write(post('/events', 'Transfer-Encoding: chunked\r\n', chunk) + sized('/events', '{"module":"m"}'));
    await answers(1);
    await whenClosed();
    expect(calls).toEqual([]);
  });

  it('a body that arrives too slowly is refused, and the connection closes', async () => {
    const { write, answers, whenClosed, calls } = await dial();
    write(post('/events', 'Content-Length: 14\r\n', '{"modu'));
    while (vi.getTimerCount() === 0) await sleep(5);
    vi.advanceTimersByTime(5_000);
    const text = await answers(1);
    expect(text).toContain('HTTP/1.1 503');
    expect(text).toContain('DEADLINE_EXCEEDED');
    expect(text).toContain('Retry-After: 1');
    expect(text).toContain('Connection: close');
    vi.advanceTimersByTime(1_000);
    expect(await whenClosed()).toBe('ended');
    expect(calls).toEqual([]);
  });

  it('a short refused body is discarded, and the connection stays open', async () => {
    const { write, answers, isOpen } = await dial();
    write('POST /api/v1/events HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n');
    expect(await answers(1)).toContain('HTTP/1.1 401');
    write(`hello${sized('/events', '{"module":"m"}')}`);
    expect(await answers(2)).toContain('HTTP/1.1 200');
    expect(isOpen()).toBe(true);
  });

  it('a refused request with a long outstanding body closes its connection', async () => {
    const { write, answers, whenClosed } = await dial();
    write('POST /api/v1/email/send HTTP/1.1\r\nHost: test\r\nContent-Length: 900000\r\n\r\n');
    const text = await answers(1);
    expect(text).toContain('HTTP/1.1 401');
    expect(text).toContain('Connection: close');
    vi.advanceTimersByTime(1_000);
    expect(await whenClosed()).toBe('ended');
  });

  it.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
    ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n'],
    ['a space before the colon', 'Content-Length : 2\r\n'],
  ])('a request with %s never reaches a route', async (_, headers) => {
    const { write, waitFor, whenClosed, calls } = await dial();
    write(post('/events', headers, '{}'));
    await waitFor('HTTP/1.1 400');
    await whenClosed();
    expect(calls).toEqual([]);
  });

  it('two x-api-key headers are refused', async () => {
    const { write, answers } = await dial();
    write('GET /api/v1/profiles HTTP/1.1\r\nHost: t\r\nx-api-key: sk_prod_one\r\nx-api-key: sk_prod_one\r\n\r\n');
    expect(await answers(1)).toContain('HTTP/1.1 401');
  });

  it.each(['/api/v1/./profiles', '/api/v1/x/../profiles', '//api/v1/profiles', '/api/v1/%2e/profiles'])(
    'the path %s is not normalized',
    async (path) => {
      const { write, answers } = await dial();
      write(`GET ${path} HTTP/1.1\r\n${HEAD}\r\n`);
      expect(await answers(1)).toContain('HTTP/1.1 404');
    },
  );

  it('a user id that looks like a dot segment is found if the client encodes it', async () => {
    const { write, answers, calls } = await dial();
    write(`GET /api/v1/profiles/%2E%2E HTTP/1.1\r\n${HEAD}\r\nGET /api/v1/profiles/%2e/events HTTP/1.1\r\n${HEAD}\r\n`);
    await answers(2);
    expect(calls.map(({ name, args }) => [name, args[1]])).toEqual([
      ['profiles.get', '..'],
      ['profiles.events', '.'],
    ]);
  });

  it('HEAD returns the Content-Length of GET and no body', async () => {
    const { write, waitFor, answers } = await dial();
    const ends = `HTTP/1.1\r\n${HEAD}\r\n`;
    write(`HEAD /api/v1/profiles ${ends}HEAD /api/v1/profiles?limit=0 ${ends}GET /healthz ${ends}`);
    await waitFor('{"status":"ok"}');
    const heads = (await answers(3)).split('\r\n\r\n').slice(0, 3);
    expect(heads.map((head) => head.slice(9, 12))).toEqual(['200', '400', '200']);
    for (const head of heads) expect(head).toMatch(/^Content-Length: [1-9]\d+$/m);
  });

  it('at most 32 requests of a connection are in progress, and the others follow in order', async () => {
    let [running, most, served] = [0, 0, 0];
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const accept = async () => {
      running++;
      most = Math.max(most, running);
      await gate;
      await sleep(1);
      running--;
      served++;
      return { id: EVENT_ID, accepted: true } as const;
    };
    const { write, answers, isOpen } = await dial({ events: { track: accept } });
    const many = 3_000;
    const isFlushed = write(sized('/events', '{"module":"m"}').repeat(many));
    await sleep(200);
    expect([running, isFlushed]).toEqual([32, false]);
    open();
    expect((await answers(many)).match(/HTTP\/1\.1 200/g)).toHaveLength(many);
    expect([most, served, isOpen()]).toEqual([32, many, true]);
  });

  it('at most one packet more is read from a connection with 32 requests in progress', async () => {
    let seen = 0;
    const { beckon } = fakeBeckon({ events: { track: () => new Promise(() => {}) } });
    const face = createHandler(beckon).node;
    const { write } = await dial({}, (req, res) => {
      seen++;
      face(req, res);
    });
    write(sized('/events', '{"module":"m"}').repeat(20_000));
    await sleep(200);
    const before = seen;
    await sleep(100);
    expect(seen).toBe(before);
    // The parser receives 64 KB at a time.
    expect(before).toBeLessThan(1_000);
  });

  it('a request target in absolute form is accepted', async () => {
    const { write, answers, calls } = await dial();
    write(`GET http://test/api/v1/profiles?limit=3 HTTP/1.1\r\n${HEAD}\r\n`);
    expect(await answers(1)).toContain('HTTP/1.1 200');
    expect(calls[0]?.args[1]).toEqual({ limit: 3, count: false });
  });

  it('a preflight response has no body and no length', async () => {
    const { write, waitFor } = await dial();
    write('OPTIONS /api/v1/events HTTP/1.1\r\nHost: t\r\n\r\nGET /healthz HTTP/1.1\r\nHost: t\r\n\r\n');
    await waitFor('HTTP/1.1 204');
    await waitFor('{"status":"ok"}');
  });

  it('a client may leave while its body is read or its response is written', async () => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = await dial();
    first.write(post('/events', 'Content-Length: 14\r\n', '{"modu'));
    while (vi.getTimerCount() === 0) await sleep(5);
    first.end();
    await first.whenClosed();
    while (vi.getTimerCount() > 0) await sleep(5);
    expect(first.calls).toEqual([]);

    let began = false;
    const accept = async () => {
      began = true;
      await slow;
      return { id: EVENT_ID, accepted: true } as const;
    };
    const second = await dial({ events: { track: accept } });
    second.write(sized('/events', '{"module":"m"}'));
    while (!began) await sleep(5);
    second.end();
    await second.whenClosed();
    finish();
    await sleep(20);
    expect(began).toBe(true);
  });
});
