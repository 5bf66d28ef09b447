import type { ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { PeerRequest } from './http2-peer.ts';

/** Faults before a request is read. */
const EARLY = ['reset-early', 'reset-midway', 'refuse-stream'] as const;
/** Faults instead of a response. */
const LATE = ['hang', 'hang-body', 'reset-after', 'break-stream', 'garbage', 'garbage-500', 'empty', 'huge'] as const;

/** Faults of a network or a broken peer, for any provider. */
export type Http2Oddity = (typeof EARLY)[number] | (typeof LATE)[number];
export const HTTP2_ODDITIES: readonly Http2Oddity[] = [...EARLY, ...LATE];

/** Plays faults before the request is read; returns false if it is to be read. */
export const playEarly = (behaviour: string, stream: ServerHttp2Stream, reset: () => void): boolean => {
  if (behaviour === 'reset-early') reset();
  else if (behaviour === 'reset-midway') stream.once('data', reset);
  else if (behaviour === 'refuse-stream') stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else return false;
  return true;
};

/** Plays a faulty response; returns false if the behavior is no fault. */
export const playLate = (behaviour: string, { stream, answer, reset }: PeerRequest): boolean => {
  const plays: Readonly<Record<(typeof LATE)[number], () => void>> = {
    hang: () => undefined,
    'hang-body': () => {
      stream.respond({ ':status': 200 });
      stream.write('{');
    },
    'reset-after': reset,
    'break-stream': () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    garbage: () => answer(200, '\u0000<html>{"reason":'),
    'garbage-500': () => answer(500, '{"reason": {"reason": ['),
    empty: () => answer(200),
    huge: () => answer(200, `{"name":"${'x'.repeat(10_000_000)}"}`),
  };
  const late = LATE.find((name) => name === behaviour);
  if (late) plays[late]();
  return late !== undefined;
};
