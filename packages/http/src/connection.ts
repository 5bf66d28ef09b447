import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { contained } from '@beckon/core';

/**
 * Requests of one connection that are in progress, or answered and not yet sent, at a time. Chosen: clients that
 * pipeline send a handful, and each response may hold 4 MB until the client has read those before it.
 */
export const MAX_IN_HAND = 32;

/** A request and the function that serves it. */
type Turn = { readonly req: IncomingMessage; readonly res: ServerResponse; readonly serve: () => void };

/** An HTTP/1.1 connection. Its client may send requests without waiting for responses (pipelining). */
type Connection = {
  /** In the order of the requests, which is also the order of the responses on the wire. */
  readonly inHand: Turn[];
  readonly waiting: Turn[];
  /** Handles bytes that are no request, after the responses to earlier requests. Null: there were none. */
  refuse: Refuse | null;
  /** The client was told that a response is the last one, so later pipelined requests are ignored. */
  isEnding: boolean;
  isHeld: boolean;
  /** Reading was paused before. */
  isWatched: boolean;
};

type Refuse = () => void;

const connections = new WeakMap<object, Connection>();

const connectionOf = (socket: object): Connection => {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection: Connection = {
    inHand: [],
    waiting: [],
    refuse: null,
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
  // Node resumes a socket after each request that it has read, so a paused socket is paused again before it reads.
  socket.on(
    'resume',
    contained(() => {
      if (connection.isHeld) socket.pause();
    }),
  );
};

const release = (socket: Socket, connection: Connection): void => {
  if (!connection.isHeld) return;
  connection.isHeld = false;
  socket.resume();
};

/** The request whose body was refused: only this refusal can answer it. */
const isBroken = ({ req }: Turn): boolean => !req.complete;

const refuseInTurn = (connection: Connection): void => {
  const { refuse, inHand, waiting, isEnding } = connection;
  const [first, ...behind] = isEnding ? inHand : [...inHand, ...waiting];
  if (refuse === null || behind.length > 0) return;
  if (first !== undefined && (!isBroken(first) || first.res.headersSent)) return;
  connection.isEnding = true;
  refuse();
};

const begin = (socket: Socket, connection: Connection, turn: Turn): void => {
  connection.inHand.push(turn);
  turn.res.on(
    'close',
    contained(() => {
      connection.inHand.splice(connection.inHand.indexOf(turn), 1);
      const next = connection.waiting.shift();
      if (connection.waiting.length === 0) release(socket, connection);
      if (next !== undefined && !connection.isEnding) begin(socket, connection, next);
      // It was answered before its body was complete, and a request has one response.
      if (isBroken(turn) && connection.refuse !== null) connection.refuse = () => socket.destroySoon();
      refuseInTurn(connection);
    }),
  );
  turn.serve();
};

/**
 * Serves a request as soon as fewer than MAX_IN_HAND of its connection are in progress. Until then nothing more is read
 * from the connection, so at most one packet of requests waits. Serves nothing after `endConnection`. Throws what
 * `serve` throws.
 */
export const takeTurn = (req: IncomingMessage, res: ServerResponse, serve: () => void): void => {
  const { socket, httpVersionMajor } = req;
  // HTTP/2 has its own limits, and its requests share a socket that must not be paused.
  if (httpVersionMajor !== 1) {
    serve();
    return;
  }
  const connection = connectionOf(socket);
  if (connection.isEnding) return;
  if (connection.inHand.length < MAX_IN_HAND && connection.waiting.length === 0) {
    begin(socket, connection, { req, res, serve });
    return;
  }
  connection.waiting.push({ req, res, serve });
  hold(socket, connection);
};

/** Marks the response being made as the last of its connection. Throws nothing. */
export const endConnection = (socket: object): void => {
  connectionOf(socket).isEnding = true;
};

/**
 * Refuses bytes that are no request, after the responses to earlier requests of the connection: bytes written to the
 * socket at once would overtake those responses or end up inside one. Throws what `refuse` throws if no request is in
 * progress.
 *
 * @param refuse writes to the socket and ends it; not called if the connection was ended or has refused before
 */
export const refuseAfterAnswers = (socket: object, refuse: Refuse): void => {
  const connection = connectionOf(socket);
  if (connection.refuse !== null) return;
  connection.refuse = refuse;
  refuseInTurn(connection);
};
