import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { compact } from '../../../foundation/compact.ts';
import { contained } from '../../../foundation/contained.ts';
import type { Log } from '../../../foundation/log.ts';
import { jsonObject, wordOf } from './answer.ts';
import { errorCode, exchange, type Http2Request, type StreamEnd } from './stream.ts';

export type LineOptions = {
  /** `https://host:port`. */
  readonly origin: string;
  /** Authorities to trust instead of the usual ones. PEM. */
  readonly ca?: string | undefined;
  /** How long a connection may take to be ready, in milliseconds. */
  readonly connectMs: number;
  readonly pingMs: number;
  readonly pingTimeoutMs: number;
  /** How long a doubted connection may leave a ping without an answer before requests go elsewhere, in milliseconds. */
  readonly doubtMs: number;
  readonly log?: Pick<Log, 'info'> | undefined;
};

/** What a line tells its owner; each in a turn of its own, never while the owner's call is still on the stack. */
export type LineEvents = {
  /** Ready for requests, for others than before or again. */
  readonly changed: () => void;
  /** Takes no new request any more: the peer said so, or says nothing at all. What is under way goes on. */
  readonly retired: () => void;
  /** The connection is gone. `code` says why, where it was never ready. */
  readonly ended: (code: string | null) => void;
};

/** One connection to the peer. */
export type Line = {
  isReady(): boolean;
  /** Can never take another request. */
  isRetired(): boolean;
  /** A request on it was given up, and the peer has not yet said that it is still there: nothing more is worth sending. */
  isDoubted(): boolean;
  /** Streams that the peer allows at once. */
  peerLimit(): number;
  inFlight(): number;
  /**
   * Sends a request. A lost one is `'no'` where the peer said that it never came to it. The returned function gives it
   * up, and asks the peer whether it is still there.
   */
  send(request: Http2Request, ended: (end: StreamEnd, processed: 'no' | 'unknown') => void): () => void;
  /** Ends connection and streams at once. Resolves when both are gone. */
  destroy(): Promise<void>;
};

/** Opens a connection. It does not keep the process alive. */
export const openLine = (options: LineOptions, events: LineEvents): Line => {
  const { origin, ca, connectMs, pingMs, pingTimeoutMs, doubtMs, log } = options;
  let isReady = false;
  let isRetired = false;
  let code = 'closed';
  let peerLimit = 0;
  let inFlight = 0;
  let lastStreamId = Number.POSITIVE_INFINITY;
  let isAsked = false;
  let isDoubted = false;
  let pingTimer: NodeJS.Timeout | undefined;
  let answerTimer: NodeJS.Timeout | undefined;
  let doubtTimer: NodeJS.Timeout | undefined;
  let socket: Pick<Socket, 'destroy'> | undefined;

  const session: ClientHttp2Session = connect(origin, {
    settings: { enablePush: false },
    ...compact({ ca }),
  });
  session.setMaxListeners(0);
  session.unref();
  session.once(
    'connect',
    contained((_, made) => {
      socket = made;
    }),
  );

  // Of a session that ended after a GOAWAY Node leaves the socket to the peer, which may never close it.
  const destroy = (): void => {
    session.destroy();
    socket?.destroy();
  };

  const lateTimer = setTimeout(
    contained(() => {
      code = 'ETIMEDOUT';
      session.destroy();
    }),
    connectMs,
  ).unref();

  // What is under way goes on; Node itself lets it, after a clean GOAWAY, and ends the session after any other.
  const retire = (): void => {
    if (isRetired) return;
    isRetired = true;
    clearTimeout(pingTimer);
    if (inFlight === 0) destroy();
    events.retired();
  };

  const ask = (): void => {
    isAsked = true;
    clearTimeout(pingTimer);
    answerTimer = setTimeout(contained(destroy), pingTimeoutMs).unref();
    const isSent = session.ping(
      contained((error) => {
        clearTimeout(answerTimer);
        clearTimeout(doubtTimer);
        isAsked = false;
        if (error || isRetired) return;
        pingTimer = setTimeout(contained(ask), pingMs).unref();
        if (!isDoubted) return;
        isDoubted = false;
        events.changed();
      }),
    );
    if (!isSent) destroy();
  };

  const doubt = (): void => {
    if (isDoubted || isRetired || session.destroyed) return;
    isDoubted = true;
    doubtTimer = setTimeout(
      contained(() => {
        log?.info({ doubtMs }, 'a connection of the provider went silent');
        retire();
      }),
      doubtMs,
    ).unref();
    if (!isAsked) ask();
  };

  // A request sent before the peer's settings could exceed its limit.
  session.on(
    'remoteSettings',
    contained(({ maxConcurrentStreams }) => {
      peerLimit = maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      if (!isReady) {
        isReady = true;
        clearTimeout(lateTimer);
        pingTimer = setTimeout(contained(ask), pingMs).unref();
      }
      events.changed();
    }),
  );
  session.on(
    'goaway',
    contained((goawayCode, streamId, data) => {
      lastStreamId = Math.min(lastStreamId, streamId);
      const reason = wordOf(jsonObject(Buffer.from(data ?? []).toString('utf8'))['reason']);
      log?.info({ code: goawayCode, reason }, 'the provider ends a connection');
      retire();
    }),
  );
  session.on(
    'error',
    contained((error) => {
      code = errorCode(error);
    }),
  );
  const gone = new Promise<void>((resolve) => {
    session.on(
      'close',
      contained(() => {
        isRetired = true;
        for (const timer of [lateTimer, pingTimer, answerTimer, doubtTimer]) clearTimeout(timer);
        events.ended(isReady ? null : code);
        resolve();
      }),
    );
  });

  return {
    isReady: () => isReady,
    isRetired: () => isRetired || session.closed || session.destroyed,
    isDoubted: () => isDoubted,
    peerLimit: () => peerLimit,
    inFlight: () => inFlight,
    send: (request, ended) => {
      inFlight += 1;
      const stop = exchange(session, request, (end) => {
        inFlight -= 1;
        const isUntouched = end.kind === 'lost' && (end.streamId === null || end.streamId > lastStreamId);
        ended(end, isUntouched ? 'no' : 'unknown');
        if (isRetired && inFlight === 0) destroy();
      });
      return () => {
        stop();
        doubt();
      };
    },
    destroy: () => {
      destroy();
      return gone;
    },
  };
};
