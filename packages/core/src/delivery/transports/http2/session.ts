// A client of one peer: at most one connection takes requests, and any number drain. Requests wait in this session's
// queue, in order of arrival, because nghttp2 would queue beyond the peer's limit without backpressure. Only requests
// that the peer provably did not process are sent again; all others become an outcome. An abandoned request makes its
// connection suspect: the peer is pinged, the queue waits for the answer, and uses another connection if none comes.

import { contained } from '../../../foundation/contained.ts';
import type { Log } from '../../../foundation/log.ts';
import type { Retry } from './answer.ts';
import { backoff } from './backoff.ts';
import { type Http2Connection, openConnection } from './connection.ts';
import type { Http2Answer, Http2Request, StreamEnd } from './stream.ts';

export type Http2Options = {
  /** `https://host` or `https://host:port`. */
  readonly origin: string;
  readonly ca?: string | undefined;
  /** Maximum concurrent requests, even if the peer allows more. */
  readonly maxInFlight: number;
  /** Sends one request alone on each new connection until the peer answers one without forbidding it. */
  readonly warmUp: boolean;
  readonly random: () => number;
  readonly maxReplays?: number | undefined;
  readonly connectMs?: number | undefined;
  readonly pingMs?: number | undefined;
  readonly pingTimeoutMs?: number | undefined;
  readonly suspectMs?: number | undefined;
  readonly log?: Pick<Log, 'info'> | undefined;
};

/** Source of these numbers: transports, HTTP/2 session class; the connect limit is that of all connections. */
const MAX_REPLAYS = 2;
const CONNECT_MS = 5_000;
const PING_MS = 60_000;
const PING_TIMEOUT_MS = 5_000;
/** Chosen: several round trips around the world, and short enough for the next message to be sent within 12 s. */
const SUSPECT_MS = 1_000;
const FORBIDDEN = 403;
/** Streams of a peer that sent no limit. Source: RFC 9113, 6.5.2 (recommended to be no smaller). */
const UNKNOWN_LIMIT = 100;
/** Requests per stream that the peer allows. Chosen: as many again are on their way or queued. */
const AHEAD = 2;

/** Result of a request: the peer's whole answer, or the outcome in its place. */
export type Http2Result =
  | { readonly kind: 'answered'; readonly answer: Http2Answer }
  | { readonly kind: 'none'; readonly outcome: Retry };

export type Http2Session = {
  /** Ends at once when `signal` is aborted; the caller sets the time limit. Never rejects. */
  request(request: Http2Request, signal: AbortSignal): Promise<Http2Result>;
  /** Requests worth starting at once, from the peer's last limit; 1 to `maxInFlight`. */
  currentCapacity(): number;
  /** Refuses new requests, waits for queued ones and those under way, then closes its connections. Idempotent. */
  close(): Promise<void>;
};

type Entry = {
  readonly request: Http2Request;
  readonly resolveOnce: (result: Http2Result) => void;
  replays: number;
  isSettled: boolean;
  /** Set while the request is with the peer. */
  stop: (() => void) | null;
};

const none = (code: string, message: string, processed: 'no' | 'unknown', retryAfterMs = 0): Http2Result => ({
  kind: 'none',
  outcome: { result: 'retry', code, message, processed, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) },
});
const late = (processed: 'no' | 'unknown'): Http2Result =>
  none('timeout', 'No answer within the time of a call.', processed);
const closing = none('closed', 'The transport is closing.', 'no');

/**
 * A client of one peer with one credential. Construction does no I/O. @throws TypeError when the origin is an invalid
 * URL
 */
export const http2Session = (options: Http2Options): Http2Session => {
  const { maxInFlight, warmUp, random, maxReplays = MAX_REPLAYS } = options;
  const lineOptions = {
    origin: new URL(options.origin).origin,
    ca: options.ca,
    connectMs: options.connectMs ?? CONNECT_MS,
    pingMs: options.pingMs ?? PING_MS,
    pingTimeoutMs: options.pingTimeoutMs ?? PING_TIMEOUT_MS,
    suspectMs: options.suspectMs ?? SUSPECT_MS,
    log: options.log,
  };
  const hold = backoff(random);
  const connections = new Set<Http2Connection>();
  const unsettled = new Set<Entry>();
  /** Requests to send again, which precede those never sent. */
  const replays = new Set<Entry>();
  const waiting = new Set<Entry>();
  let current: Http2Connection | null = null;
  let isWarm = false;
  let peerLimit = UNKNOWN_LIMIT;
  let inFlight = 0;
  let refusal = 'unknown';
  let ended: Promise<void> | undefined;
  let drained: (() => void) | undefined;

  const resolveOnce = (entry: Entry, result: Http2Result): void => {
    if (entry.isSettled) return;
    entry.isSettled = true;
    unsettled.delete(entry);
    entry.resolveOnce(result);
    if (unsettled.size === 0) drained?.();
  };

  const unreachable = (): Http2Result =>
    none('unreachable', `The provider could not be reached (${refusal}).`, 'no', hold.pausedMs());

  const failWaiting = (): void => {
    for (const entry of [...replays, ...waiting]) resolveOnce(entry, unreachable());
    replays.clear();
    waiting.clear();
  };

  const open = (): void => {
    if (hold.pausedMs() > 0) {
      failWaiting();
      return;
    }
    isWarm = !warmUp;
    const connection = openConnection(lineOptions, {
      changed: () => {
        peerLimit = connection.peerLimit();
        hold.succeeded();
        pump();
      },
      retired: () => {
        if (current === connection) current = null;
        pump();
      },
      ended: (code) => {
        if (current === connection) current = null;
        // Nothing waited for a connection outside the set: its end says nothing about the peer.
        const wasOpen = connections.delete(connection);
        if (wasOpen && code !== null) {
          refusal = code;
          hold.failed();
        }
        pump();
      },
    });
    connections.add(connection);
    current = connection;
  };

  const finish = (entry: Entry, end: StreamEnd, processed: 'no' | 'unknown'): void => {
    if (end.kind === 'answered') {
      resolveOnce(entry, end);
      return;
    }
    if (entry.isSettled) return;
    if (end.kind === 'lost') {
      resolveOnce(
        entry,
        none('connection_lost', `The connection ended before the answer did (${end.code}).`, processed),
      );
      return;
    }
    entry.replays += 1;
    if (entry.replays <= maxReplays) replays.add(entry);
    else resolveOnce(entry, none('refused', 'The provider refused the request before it read it.', 'no'));
  };

  const start = (entry: Entry, connection: Http2Connection): void => {
    inFlight += 1;
    entry.stop = connection.send(entry.request, (end, processed) => {
      inFlight -= 1;
      entry.stop = null;
      if (end.kind === 'answered' && end.answer.status !== FORBIDDEN && connection === current) isWarm = true;
      finish(entry, end, processed);
      pump();
    });
  };

  const pump = (): void => {
    while (true) {
      const [entry] = replays.size > 0 ? replays : waiting;
      if (entry === undefined) return;
      if (current?.isRetired()) current = null;
      if (current === null) {
        open();
        return;
      }
      const capacity = isWarm ? current.peerLimit() : Math.min(1, current.peerLimit());
      if (!current.isReady() || current.isSuspect()) return;
      if (current.inFlight() >= capacity || inFlight >= maxInFlight) return;
      replays.delete(entry);
      waiting.delete(entry);
      start(entry, current);
    }
  };

  const leave = (entry: Entry): void => {
    const { stop } = entry;
    replays.delete(entry);
    waiting.delete(entry);
    resolveOnce(entry, late(stop ? 'unknown' : 'no'));
    stop?.();
    const connection = current;
    if (connection && !connection.isReady() && unsettled.size === 0) {
      // A connection being opened that no request waits for any more.
      current = null;
      connections.delete(connection);
      contained(() => connection.destroy())();
    }
  };

  const shut = async (): Promise<void> => {
    if (unsettled.size > 0) {
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    }
    hold.clear();
    const rest = [...connections];
    connections.clear();
    await Promise.all(rest.map((connection) => connection.destroy()));
  };

  return {
    request: (request, signal) => {
      if (ended !== undefined) return Promise.resolve(closing);
      if (signal.aborted) return Promise.resolve(late('no'));
      return new Promise((resolve) => {
        const abort = contained(() => leave(entry));
        const entry: Entry = {
          request,
          resolveOnce: (result) => {
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
