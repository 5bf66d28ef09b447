import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { contained } from '@beckon/core';

/**
 * Requests of one connection that are served, or answered and not yet sent, at a time. Source: ours; clients that
 * pipeline send a handful, and each answer may hold 4 MB until those before it are taken.
 */
export const MAX_IN_HAND = 32;

/** One HTTP/1.1 connection, whose client may send requests without waiting for answers. */
type Connection = {
  /** In the order of their requests, which is that of the answers on the wire. */
  readonly inHand: ServerResponse[];
  readonly waiting: (() => void)[];
  /** Its client was told that an answer is the last: what it pipelined behind is not looked at. */
  isEnding: boolean;
  isHeld: boolean;
  /** It was held before. */
  isWatched: boolean;
};

const connections = new WeakMap<object, Connection>();

const connectionOf = (socket: object): Connection => {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection: Connection = {
    inHand: [],
    waiting: [],
    isEnding: false,
    isHeld: false,
    isWatched: false,
  };
  connections.set(socket, connection);
  return connection;
};

const hold = (socket: Socket, connection: Connection): void => {
  if (connection.isHeld) return;
  connection.isHeld = true;
  socket.pause();
  if (connection.isWatched) return;
  connection.isWatched = true;
  // Node resumes its sockets after each request that it has read; one that is held stops again before it reads.
  socket.on(
    'resume',
    contained(() => {
      if (connection.isHeld) socket.pause();
    }),
  );
};

const letGo = (socket: Socket, connection: Connection): void => {
  if (!connection.isHeld) return;
  connection.isHeld = false;
  socket.resume();
};

const begin = (socket: Socket, connection: Connection, res: ServerResponse, serve: () => void): void => {
  connection.inHand.push(res);
  res.on(
    'close',
    contained(() => {
      connection.inHand.splice(connection.inHand.indexOf(res), 1);
      const next = connection.waiting.shift();
      if (connection.waiting.length === 0) letGo(socket, connection);
      if (!connection.isEnding) next?.();
    }),
  );
  serve();
};

/**
 * Serves a request as soon as fewer than MAX_IN_HAND of its connection are in hand; until then nothing more is read
 * from that connection, so what waits is what one packet brought. Never, where `endConnection` was called. Throws what
 * `serve` throws.
 */
export const takeTurn = (
  { socket, httpVersionMajor }: IncomingMessage,
  res: ServerResponse,
  serve: () => void,
): void => {
  // HTTP/2 has limits of its own, and its requests share a socket that may not be paused.
  if (httpVersionMajor !== 1) {
    serve();
    return;
  }
  const connection = connectionOf(socket);
  if (connection.isEnding) return;
  if (connection.inHand.length < MAX_IN_HAND && connection.waiting.length === 0) {
    begin(socket, connection, res, serve);
    return;
  }
  connection.waiting.push(() => begin(socket, connection, res, serve));
  hold(socket, connection);
};

/** The answer that is being made is the connection's last. Throws nothing. */
export const endConnection = (socket: object): void => {
  connectionOf(socket).isEnding = true;
};

/** Tells whether bytes written to the socket itself would end up inside an answer. Throws nothing. */
export const isAnswering = (socket: object): boolean => connections.get(socket)?.inHand[0]?.headersSent === true;
