import { type ClientHttp2Session, connect } from 'node:http2';
import type { Socket } from 'node:net';
import { compact } from '../../../foundation/compact.ts';
import { contained } from '../../../foundation/contained.ts';
import type { Log } from '../../../foundation/log.ts';
import { jsonObject, wordOf } from './answer.ts';
import { errorCode, exchange, type Http2Request, type StreamEnd } from './stream.ts';

export type ConnectionOptions = {
  /** `https://host:port`. */
  readonly origin: string;
  /** Certificate authorities to trust instead of the default ones. PEM. */
  readonly ca?: string | undefined;
  /** Milliseconds until a connection must be ready. */
  readonly connectMs: number;
  readonly pingMs: number;
  readonly pingTimeoutMs: number;
  /** Milliseconds that a suspect connection has to answer a ping before requests use another connection. */
  readonly suspectMs: number;
  readonly log?: Pick<Log, 'info'> | undefined;
};

/** Events of a connection. Each runs in its own task, never while the owner's call is still on the stack. */
export type ConnectionEvents = {
  /** Ready for requests, again or with another limit. */
  readonly changed: () => void;
  /** Accepts no new request: the peer sent GOAWAY, or is silent. Requests under way continue. */
  readonly retired: () => void;
  /** The connection ended. `code` has the reason if it was never ready. */
  readonly ended: (code: string | null) => void;
};

/** One connection to the peer. */
export type Http2Connection = {
  isReady(): boolean;
  /** True if it can never take another request. */
  isRetired(): boolean;
  /**
   * True after a request on it was abandoned, until the peer proves that it is alive. Nothing more is sent meanwhile.
   */
  isSuspect(): boolean;
  /** Streams that the peer allows at once. */
  peerLimit(): number;
  inFlight(): number;
  /**
   * Sends a request. A lost request is `'no'` if the peer stated that it did not process it. The returned function
   * abandons the request and pings the peer.
   */
  send(request: Http2Request, ended: (end: StreamEnd, processed: 'no' | 'unknown') => void): () => void;
  /** Ends connection and streams at once. Resolves when both are closed. */
  destroy(): Promise<void>;
};

/** Opens a connection. It does not keep the process alive. */
export const openConnection = (options: ConnectionOptions, events: ConnectionEvents): Http2Connection => {
  const { origin, ca, connectMs, pingMs, pingTimeoutMs, suspectMs, log } = options;
  let isReady = false;
  let isRetired = false;
  let code = 'closed';
  let peerLimit = 0;
  let inFlight = 0;
  let lastStreamId = Number.POSITIVE_INFINITY;
  let isPinged = false;
  let isSuspect = false;
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

  // After a GOAWAY Node leaves the socket to the peer, which may never close it.
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

  // Requests under way continue: Node keeps them after a clean GOAWAY, and ends the session after any other.
  const retire = (): void => {
    if (isRetired) return;
    isRetired = true;
    clearTimeout(pingTimer);
    if (inFlight === 0) destroy();
    events.retired();
  };

  const ask = (): void => {
    isPinged = true;
    clearTimeout(pingTimer);
    answerTimer = setTimeout(contained(destroy), pingTimeoutMs).unref();
    const isSent = session.ping(
      contained((error) => {
        clearTimeout(answerTimer);
        clearTimeout(doubtTimer);
        isPinged = false;
        if (error || isRetired) return;
        pingTimer = setTimeout(contained(ask), pingMs).unref();
        if (!isSuspect) return;
        isSuspect = false;
        events.changed();
      }),
    );
    if (!isSent) destroy();
  };

  const doubt = (): void => {
    if (isSuspect || isRetired || session.destroyed) return;
    isSuspect = true;
    doubtTimer = setTimeout(
      contained(() => {
        log?.info({ suspectMs }, 'a connection of the provider went silent');
        retire();
      }),
      suspectMs,
    ).unref();
    if (!isPinged) ask();
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
  const closed = new Promise<void>((resolve) => {
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
    isSuspect: () => isSuspect,
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
      return closed;
    },
  };
};
