import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { contained } from '@beckon/core';

/**
 * Requests of one connection that are served, or answered and not yet sent, at a time. Source: ours; clients that
 * pipeline send a handful, and each answer may hold 4 MB until those before it are taken.
 */
export const MAX_IN_HAND = 32;

/** A request and what is to be done for it. */
type Turn = { readonly req: IncomingMessage; readonly res: ServerResponse; readonly serve: () => void };

/** One HTTP/1.1 connection, whose client may send requests without waiting for answers. */
type Connection = {
  /** In the order of their requests, which is that of the answers on the wire. */
  readonly inHand: Turn[];
  readonly waiting: Turn[];
  /** What is done with bytes that are no request, after the answers to those before them; null: there were none. */
  refuse: Refuse | null;
  /** Its client was told that an answer is the last: what it pipelined behind is not looked at. */
  isEnding: boolean;
  isHeld: boolean;
  /** It was held before. */
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
  // Node resumes its sockets after each request that it has read; one that is held stops again before it reads.
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

/** The request whose own body is what was refused: nobody else could answer it. */
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
      // It was answered before its body was whole, and one request has one answer.
      if (isBroken(turn) && connection.refuse !== null) connection.refuse = () => socket.destroySoon();
      refuseInTurn(connection);
    }),
  );
  turn.serve();
};

/**
 * Serves a request as soon as fewer than MAX_IN_HAND of its connection are in hand; until then nothing more is read
 * from that connection, so what waits is what one packet brought. Never, where `endConnection` was called. Throws what
 * `serve` throws.
 */
export const takeTurn = (req: IncomingMessage, res: ServerResponse, serve: () => void): void => {
  const { socket, httpVersionMajor } = req;
  // HTTP/2 has limits of its own, and its requests share a socket that may not be paused.
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

/** The answer that is being made is the connection's last. Throws nothing. */
export const endConnection = (socket: object): void => {
  connectionOf(socket).isEnding = true;
};

/**
 * Refuses what the connection brought and is no request, once what came before it is answered: bytes written to the socket
 * itself would overtake those answers, or end up inside one. Throws what `refuse` throws, where nothing is in hand.
 *
 * @param refuse writes to the socket and ends it; not called where it was ended, or for what was refused before
 */
export const refuseAfterAnswers = (socket: object, refuse: Refuse): void => {
  const connection = connectionOf(socket);
  if (connection.refuse !== null) return;
  connection.refuse = refuse;
  refuseInTurn(connection);
};
