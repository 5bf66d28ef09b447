// One peer, at most one connection that takes requests, and any number that drain. Requests wait in our own line, in the
// order they came, because nghttp2 would queue beyond the peer's limit without pushing back. Sent again is only what the
// peer provably did not process; everything else becomes an outcome. A request that is given up puts its connection in
// doubt: the peer is asked, the line waits for its answer, and goes to another connection where none comes.

import { contained } from '../../../foundation/contained.ts';
import type { Log } from '../../../foundation/log.ts';
import type { Retry } from './answer.ts';
import { backoff } from './backoff.ts';
import { type Line, openLine } from './connection.ts';
import type { Http2Answer, Http2Request, StreamEnd } from './stream.ts';

export type Http2Options = {
  /** `https://host` or `https://host:port`. */
  readonly origin: string;
  readonly ca?: string | undefined;
  /** Requests at once, however much the peer would take. */
  readonly maxInFlight: number;
  /** One request alone on each new connection until the peer answered one that it did not forbid. */
  readonly warmUp: boolean;
  readonly random: () => number;
  readonly maxReplays?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly pingMs?: number | undefined;
  readonly pingTimeoutMs?: number | undefined;
  readonly doubtMs?: number | undefined;
  readonly log?: Pick<Log, 'info'> | undefined;
};

/** Source of these numbers: transports, HTTP/2 session class; the connect limit is the one of every other connection. */
const MAX_REPLAYS = 2;
const CONNECT_MS = 5_000;
const PING_MS = 60_000;
const PING_TIMEOUT_MS = 5_000;
/** Ours: several round trips around the world, and short enough for the next message to go within 12 s. */
const DOUBT_MS = 1_000;
const FORBIDDEN = 403;
/** Streams of a peer that has not said how many it takes. Source: RFC 9113, 6.5.2 (recommended to be no smaller). */
const UNKNOWN_LIMIT = 100;
/** Requests for each that the peer takes at once; ours: as many again are on their way to it or in line. */
const AHEAD = 2;

/** What came of a request: the peer's whole answer, or the outcome that stands for none. */
export type Http2Result =
  | { readonly kind: 'answered'; readonly answer: Http2Answer }
  | { readonly kind: 'none'; readonly outcome: Retry };

export type Http2Session = {
  /** Ends at once when `signal` is aborted; the caller sets the limit of time. Never rejects. */
  request(request: Http2Request, signal: AbortSignal): Promise<Http2Result>;
  /** Requests worth having at once, by what the peer said last of how many it takes; 1 to `maxInFlight`. */
  currentCapacity(): number;
  /** Refuses new requests, waits for those that are under way or in line, then ends its connections. Idempotent. */
  close(): Promise<void>;
};

type Entry = {
  readonly request: Http2Request;
  readonly settle: (result: Http2Result) => void;
  replays: number;
  isSettled: boolean;
  /** Set while it is with the peer. */
  stop: (() => void) | null;
};

const none = (code: string, message: string, processed: 'no' | 'unknown', retryAfterMs = 0): Http2Result => ({
  kind: 'none',
  outcome: { result: 'retry', code, message, processed, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) },
});
const late = (processed: 'no' | 'unknown'): Http2Result =>
  none('timeout', 'No answer within the time of a call.', processed);
const closing = none('closed', 'The transport is closing.', 'no');

/** A client of one peer with one credential. Construction does no I/O. @throws TypeError when the origin is no URL */
export const http2Session = (options: Http2Options): Http2Session => {
  const { maxInFlight, warmUp, random, maxReplays = MAX_REPLAYS } = options;
  const lineOptions = {
    origin: new URL(options.origin).origin,
    ca: options.ca,
    connectMs: options.connectMs ?? CONNECT_MS,
    pingMs: options.pingMs ?? PING_MS,
    pingTimeoutMs: options.pingTimeoutMs ?? PING_TIMEOUT_MS,
    doubtMs: options.doubtMs ?? DOUBT_MS,
    log: options.log,
  };
  const hold = backoff(random);
  const lines = new Set<Line>();
  const unsettled = new Set<Entry>();
  /** Those to be sent again go before those that were never sent. */
  const again = new Set<Entry>();
  const waiting = new Set<Entry>();
  let current: Line | null = null;
  let isWarm = false;
  let peerLimit = UNKNOWN_LIMIT;
  let inFlight = 0;
  let refusal = 'unknown';
  let ended: Promise<void> | undefined;
  let drained: (() => void) | undefined;

  const settle = (entry: Entry, result: Http2Result): void => {
    if (entry.isSettled) return;
    entry.isSettled = true;
    unsettled.delete(entry);
    entry.settle(result);
    if (unsettled.size === 0) drained?.();
  };

  const unreachable = (): Http2Result =>
    none('unreachable', `The provider could not be reached (${refusal}).`, 'no', hold.pausedMs());

  const failWaiting = (): void => {
    for (const entry of [...again, ...waiting]) settle(entry, unreachable());
    again.clear();
    waiting.clear();
  };

  const open = (): void => {
    if (hold.pausedMs() > 0) {
      failWaiting();
      return;
    }
    isWarm = !warmUp;
    const line = openLine(lineOptions, {
      changed: () => {
        peerLimit = line.peerLimit();
        hold.succeeded();
        pump();
      },
      retired: () => {
        if (current === line) current = null;
        pump();
      },
      ended: (code) => {
        if (current === line) current = null;
        // Nobody waited for one that is not in the set any more: its end says nothing about the peer.
        const isWanted = lines.delete(line);
        if (isWanted && code !== null) {
          refusal = code;
          hold.failed();
        }
        pump();
      },
    });
    lines.add(line);
    current = line;
  };

  const finish = (entry: Entry, end: StreamEnd, processed: 'no' | 'unknown'): void => {
    if (end.kind === 'answered') {
      settle(entry, end);
      return;
    }
    if (entry.isSettled) return;
    if (end.kind === 'lost') {
      settle(entry, none('connection_lost', `The connection ended before the answer did (${end.code}).`, processed));
      return;
    }
    entry.replays += 1;
    if (entry.replays <= maxReplays) again.add(entry);
    else settle(entry, none('refused', 'The provider refused the request before it read it.', 'no'));
  };

  const start = (entry: Entry, line: Line): void => {
    inFlight += 1;
    entry.stop = line.send(entry.request, (end, processed) => {
      inFlight -= 1;
      entry.stop = null;
      if (end.kind === 'answered' && end.answer.status !== FORBIDDEN && line === current) isWarm = true;
      finish(entry, end, processed);
      pump();
    });
  };

  const pump = (): void => {
    while (true) {
      const [entry] = again.size > 0 ? again : waiting;
      if (entry === undefined) return;
      if (current?.isRetired()) current = null;
      if (current === null) {
        open();
        return;
      }
      const room = isWarm ? current.peerLimit() : Math.min(1, current.peerLimit());
      if (!current.isReady() || current.isDoubted()) return;
      if (current.inFlight() >= room || inFlight >= maxInFlight) return;
      again.delete(entry);
      waiting.delete(entry);
      start(entry, current);
    }
  };

  const leave = (entry: Entry): void => {
    const { stop } = entry;
    again.delete(entry);
    waiting.delete(entry);
    settle(entry, late(stop ? 'unknown' : 'no'));
    stop?.();
    const line = current;
    if (line && !line.isReady() && unsettled.size === 0) {
      // A connection in the making that nobody waits for any more.
      current = null;
      lines.delete(line);
      contained(() => line.destroy())();
    }
  };

  const shut = async (): Promise<void> => {
    if (unsettled.size > 0) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    hold.clear();
    const rest = [...lines];
    lines.clear();
    await Promise.all(rest.map((line) => line.destroy()));
  };

  return {
    request: (request, signal) => {
      if (ended !== undefined) return Promise.resolve(closing);
      if (signal.aborted) return Promise.resolve(late('no'));
      return new Promise((resolve) => {
        const abort = contained(() => leave(entry));
        const entry: Entry = {
          request,
          settle: (result) => {
            signal.removeEventListener('abort', abort);
            resolve(result);
          },
          replays: 0,
          isSettled: false,
          stop: null,
        };
        signal.addEventListener('abort', abort, { once: true });
        unsettled.add(entry);
        waiting.add(entry);
        pump();
      });
    },
    currentCapacity: () => Math.max(1, Math.min(maxInFlight, AHEAD * peerLimit)),
    close: () => {
      ended ??= shut();
      return ended;
    },
  };
};
