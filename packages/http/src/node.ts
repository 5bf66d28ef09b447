import type { IncomingMessage, ServerResponse } from 'node:http';
import { contained, validationError } from '@beckon/core';
import { endConnection, takeTurn } from './connection.ts';
import type { Handle, Reply } from './handler.ts';
import { bodyTooSlow, clientLeft } from './pipeline/deadline.ts';
import { type Gathering, gather } from './pipeline/gather.ts';
import type { RequestView } from './request.ts';

/** Answers one request of a node:http server. Throws nothing. */
export type NodeFace = (req: IncomingMessage, res: ServerResponse) => void;

/** Bytes of an unread body that are discarded to keep the connection. Chosen: cheaper than a new handshake. */
const SWALLOW_BYTES = 65_536;
/**
 * How long, and for how many bytes, a refused body is discarded before its connection closes. Chosen: closing with
 * unread bytes makes the kernel send a reset, which can destroy the response before the client has read it.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;

const ABSOLUTE_FORM = /^https?:\/\/[^/?]*/i;

const awaitingContinue = new WeakSet<IncomingMessage>();
/** Marks a request whose client waits for `100 Continue`. It is sent when the body is needed, and not before. */
export const markAwaitingContinue = (req: IncomingMessage): void => {
  awaitingContinue.add(req);
};

const brokeOff = (): Error => validationError({ body: ['ended before it was complete'] });

const readSlowly = (
  req: IncomingMessage,
  gathering: Gathering,
  withinMs: number,
  enoughBytes: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose).pause();
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const onData = contained((chunk: Uint8Array) => {
      try {
        gathering.add(chunk);
        if (gathering.size() >= enoughBytes) onEnd();
      } catch (error) {
        fail(error);
      }
    });
    const onEnd = contained(() => {
      stop();
      resolve(gathering.bytes());
    });
    const onClose = contained(() => fail(brokeOff()));
    const timer = setTimeout(
      contained(() => fail(bodyTooSlow())),
      withinMs,
    );
    // A body that was read in part is paused.
    req.on('data', onData).on('end', onEnd).on('close', onClose).resume();
  });

const readBody = (
  req: IncomingMessage,
  res: ServerResponse,
  gathering: Gathering,
  withinMs: number,
  enoughBytes: number,
): Promise<Uint8Array> => {
  if (req.headers.expect !== undefined && awaitingContinue.delete(req)) res.writeContinue();
  // Most bodies arrive in one packet with their head and are buffered by now: no listeners, no timer. Node may report
  // the end of such a body a moment later than its bytes.
  if (!req.complete && req.readableLength !== Number(req.headers['content-length'])) {
    return req.destroyed ? Promise.reject(brokeOff()) : readSlowly(req, gathering, withinMs, enoughBytes);
  }
  try {
    // One call may return one packet of several that are buffered.
    for (let chunk: Uint8Array | null = req.read(); chunk !== null; chunk = req.read()) gathering.add(chunk);
    return Promise.resolve(gathering.bytes());
  } catch (error) {
    return Promise.reject(error);
  } finally {
    // Lets the stream reach its end: Node waits for it before it releases the request.
    req.resume();
  }
};

const viewOf = (req: IncomingMessage, res: ServerResponse): RequestView => {
  const target = req.url ?? '';
  // RFC 9112, section 3.2.2: a server must accept the absolute form.
  const url = target.startsWith('/') ? target : target.replace(ABSOLUTE_FORM, '');
  const mark = url.indexOf('?');
  let gathering: Gathering | undefined;
  return {
    method: req.method ?? '',
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? '' : url.slice(mark + 1),
    address: () => req.socket.remoteAddress,
    left: () => {
      const controller = new AbortController();
      // Also emitted after a complete response, when nothing listens to the signal.
      const onClose = contained(() => controller.abort(clientLeft()));
      if (res.closed) onClose();
      else res.once('close', onClose);
      return controller.signal;
    },
    header: (name) => {
      const value = req.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    readBody: (maxBytes, withinMs, enoughBytes = Number.POSITIVE_INFINITY) => {
      gathering ??= gather(maxBytes);
      return readBody(req, res, gathering, withinMs, enoughBytes);
    },
  };
};

/** True if more of the body may arrive than is worth discarding. */
const hasMuchToCome = (req: IncomingMessage): boolean => {
  if (req.complete) return false;
  if (req.headers['transfer-encoding'] !== undefined || awaitingContinue.has(req)) return true;
  return Number(req.headers['content-length'] ?? 0) > SWALLOW_BYTES;
};

const endAfterLingering = (req: IncomingMessage, res: ServerResponse): void => {
  let left = LINGER_BYTES;
  const end = contained(() => {
    clearTimeout(timer);
    req.off('data', onData).off('end', end).off('close', end);
    res.end();
  });
  const onData = contained((chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left < 0) end();
  });
  const timer = setTimeout(end, LINGER_MS);
  req.on('data', onData).on('end', end).on('close', end).resume();
};

const write = (req: IncomingMessage, res: ServerResponse, reply: Reply, isDraining: boolean): void => {
  const { headers } = reply;
  // RFC 9110, section 8.6: a 204 has no Content-Length, and a 304 only that of the full response.
  if (reply.status !== 204 && reply.status !== 304) headers['Content-Length'] = String(Buffer.byteLength(reply.body));
  if (isDraining || hasMuchToCome(req)) headers['Connection'] = 'close';
  res.writeHead(reply.status, headers);
  const isLast = headers['Connection'] === 'close';
  if (isLast) endConnection(req.socket);
  if (!isLast || req.complete) {
    res.end(reply.body);
    // The rest of a body that was read in part: Node waits for its end before it reads the next request.
    req.resume();
    return;
  }
  res.write(reply.body);
  endAfterLingering(req, res);
};

/**
 * The adapter for node:http. It creates no `Request` and no `Response`.
 *
 * @param state while `isDraining`, every response asks its client to close the connection
 */
export const nodeFace =
  (handle: Handle, state: { readonly isDraining: boolean }): NodeFace =>
  (req, res) => {
    takeTurn(req, res, () => {
      handle(viewOf(req, res))
        .then((reply) => write(req, res, reply, state.isDraining))
        // A host that wrote to the response itself ends up here; no response is left to send.
        .catch(() => res.destroy());
    });
  };
