import type { IncomingMessage, ServerResponse } from 'node:http';
import { contained, validationError } from '@beckon/core';
import { endConnection, takeTurn } from './connection.ts';
import type { Handle, Reply } from './handler.ts';
import { bodyTooSlow } from './pipeline/deadline.ts';
import { type Gathering, gather } from './pipeline/gather.ts';
import type { RequestView } from './request.ts';

/** Answers one request of a node:http server. Throws nothing. */
export type NodeFace = (req: IncomingMessage, res: ServerResponse) => void;

/** Bytes of an unread body that are worth swallowing to keep the connection. Ours: less than a handshake costs. */
const SWALLOW_BYTES = 65_536;
/**
 * How long, and for how many bytes, a refused body is swallowed before its connection is closed. Ours: closing with
 * bytes unread makes the kernel send a reset, which can destroy the answer before the client has read it.
 */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1_048_576;

const ABSOLUTE_FORM = /^https?:\/\/[^/?]*/i;

const awaitingContinue = new WeakSet<IncomingMessage>();
/** Marks a request whose client waits for `100 Continue`: it gets it when its body is wanted, and not before. */
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
  // Most bodies come in one packet with their head and lie here by now: no listeners, no timer. Node may report the
  // end of such a body a moment later than its bytes.
  if (!req.complete && req.readableLength !== Number(req.headers['content-length'])) {
    return req.destroyed ? Promise.reject(brokeOff()) : readSlowly(req, gathering, withinMs, enoughBytes);
  }
  try {
    // One call may give one packet of several that lie here.
    for (let chunk: Uint8Array | null = req.read(); chunk !== null; chunk = req.read()) gathering.add(chunk);
    return Promise.resolve(gathering.bytes());
  } catch (error) {
    return Promise.reject(error);
  } finally {
    // Lets the stream reach its end, on which Node waits before it forgets the request.
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

/** Tells whether more of the body may come than is worth waiting for. */
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
  // RFC 9110, section 8.6: no length on a 204, and on a 304 none but that of the whole.
  if (reply.status !== 204 && reply.status !== 304) headers['Content-Length'] = String(Buffer.byteLength(reply.body));
  if (isDraining || hasMuchToCome(req)) headers['Connection'] = 'close';
  res.writeHead(reply.status, headers);
  const isLast = headers['Connection'] === 'close';
  if (isLast) endConnection(req.socket);
  if (!isLast || req.complete) {
    res.end(reply.body);
    // The rest of a body that was read in part: Node waits for its end before it takes the next request.
    req.resume();
    return;
  }
  res.write(reply.body);
  endAfterLingering(req, res);
};

/**
 * The face for node:http. It builds no `Request` and no `Response`.
 *
 * @param state while `isDraining`, every answer asks its client to close the connection
 */
export const nodeFace =
  (handle: Handle, state: { readonly isDraining: boolean }): NodeFace =>
  (req, res) => {
    takeTurn(req, res, () => {
      handle(viewOf(req, res))
        .then((reply) => write(req, res, reply, state.isDraining))
        // A host that wrote to the response itself ends up here; there is no answer left to give.
        .catch(() => res.destroy());
    });
  };
