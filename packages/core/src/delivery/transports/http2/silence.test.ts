import { describe, expect, it, onTestFinished } from 'vitest';
import { http2Peer, type PeerRequest } from '../../../../test/support/transports/http2-peer.ts';
import { proxyTo } from '../../../../test/support/transports/proxy.ts';
import { TEST_CA } from '../../../../test/support/transports/tls/fixtures.ts';
import { type Http2Options, type Http2Result, http2Session } from './session.ts';

// Several times the duration of a ping on a busy machine.
const SUSPECT_MS = 200;

const until = async (holds: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 400 && !holds(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
};

/** Opens a session whose connections can fall silent; its own pings come too late to matter. */
const open = async (changes: Partial<Http2Options> = {}) => {
  const read: PeerRequest[] = [];
  const peer = await http2Peer({
    maxConcurrentStreams: 100,
    request: (one) => {
      read.push(one);
      if (one.body !== 'hang') one.answer(200);
    },
  });
  const proxy = await proxyTo(() => Number(new URL(peer.origin).port));
  const session = http2Session({
    origin: `https://127.0.0.1:${proxy.port}`,
    ca: TEST_CA,
    maxInFlight: 100,
    warmUp: false,
    random: () => 0.5,
    pingMs: 60_000,
    pingTimeoutMs: 60_000,
    suspectMs: SUSPECT_MS,
    ...changes,
  });
  onTestFinished(async () => {
    await session.close();
    await proxy.stop();
    await peer.stop();
  });
  const send = async (body: string, signal = new AbortController().signal): Promise<string> => {
    const result: Http2Result = await session.request({ path: '/x', headers: {}, body }, signal);
    return result.kind === 'answered' ? `${result.answer.status}` : result.outcome.processed;
  };
  /** Starts a request and returns how to abandon it, as a time limit does. */
  const hang = () => {
    const controller = new AbortController();
    return { ended: send('hang', controller.signal), giveUp: () => controller.abort() };
  };
  return { peer, proxy, send, hang, read };
};

describe('an HTTP/2 connection that falls silent', () => {
  it('queued requests leave a silent connection soon after its first request was abandoned', async () => {
    const { proxy, peer, send, hang } = await open();
    expect(await send('a')).toBe('200');
    proxy.freeze();
    const first = hang();
    first.giveUp();
    expect(await first.ended).toBe('unknown');
    expect(await Promise.all([send('b'), send('c')])).toEqual(['200', '200']);
    expect(peer.connected()).toBe(2);
    await until(() => proxy.connections() === 1);
  });

  it('requests under way keep a silent connection until they end or the ping stays unanswered', async () => {
    const { proxy, send, hang } = await open({ pingTimeoutMs: 500 });
    expect(await send('a')).toBe('200');
    proxy.freeze();
    const [first, second] = [hang(), hang()];
    first.giveUp();
    expect(await send('b')).toBe('200');
    let isOver = false;
    const waited = second.ended.finally(() => {
      isOver = true;
    });
    expect([isOver, proxy.connections()]).toEqual([false, 2]);
    expect(await waited).toBe('unknown');
    await until(() => proxy.connections() === 1);
  });

  it('a connection whose peer answers the ping is used again after one slow request', async () => {
    const { peer, send, hang, read } = await open();
    const [first, second] = [hang(), hang()];
    await until(() => read.length === 2);
    first.giveUp();
    expect(await send('a')).toBe('200');
    await new Promise((resolve) => setTimeout(resolve, SUSPECT_MS + 50));
    second.giveUp();
    expect(await send('b')).toBe('200');
    expect(peer.connected()).toBe(1);
  });
});
