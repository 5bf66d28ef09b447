import type { PushMessage } from '../../../src/delivery/transports/port.ts';
import type { Behaviour, Oddity, StandIn } from '../../../src/delivery/transports/testing/stand-in.ts';
import type { Http2Peer } from './http2-peer.ts';
import { grownTo, pushMessage, uuidOf } from './push-message.ts';

/** A message that reached a stand-in for a push provider. */
export type PushArrival = {
  /** `serviceMessageId` of the payload. */
  readonly messageId: string;
  readonly title: string;
  readonly body: string;
  readonly connection: string;
  readonly credential: string;
};

export type PushStandInParts = {
  readonly peers: readonly Http2Peer[];
  /** A token with this behavior; different names give different tokens. */
  readonly token: (behaviour: Behaviour | Oddity, name: string) => string;
  readonly arrivals: () => readonly PushArrival[];
  readonly maxBytes: number;
  /** The part that counts for `maxBytes`. */
  readonly render: (message: PushMessage) => string;
  readonly secrets: readonly string[];
  readonly stop: () => Promise<void>;
};

const each = async (peers: readonly Http2Peer[], act: (peer: Http2Peer) => Promise<void>): Promise<void> => {
  await Promise.all(peers.map(act));
};
const sum = (peers: readonly Http2Peer[], count: (peer: Http2Peer) => number): number =>
  peers.reduce((total, peer) => total + count(peer), 0);

/** The contract's stand-in with one or more HTTP/2 peers of a push provider. */
export const pushStandIn = (parts: PushStandInParts): StandIn<PushMessage> => {
  const { peers, token, arrivals, render, maxBytes } = parts;
  const names = new Map<string, string>();
  const made = (name: string, behaviour: Behaviour | Oddity, text = 'World'): PushMessage => {
    const messageId = uuidOf(name);
    names.set(messageId, name);
    return pushMessage({ messageId, token: token(behaviour, name), title: text, body: text });
  };
  const arrivalOf = (name: string): PushArrival => {
    const found = arrivals().find(({ messageId }) => names.get(messageId) === name);
    if (!found) throw new Error(`The message ${name} did not arrive.`);
    return found;
  };
  return {
    message: made,
    odd: made,
    arrived: () =>
      arrivals().map(({ messageId, title, body }) => ({
        messageId: names.get(messageId) ?? messageId,
        text: `${title}\n${body}`,
      })),
    peak: () => Math.max(...peers.map((peer) => peer.peak())),
    secrets: parts.secrets,
    stop: parts.stop,
    silence: () => each(peers, (peer) => peer.silence()),
    vanish: () => each(peers, (peer) => peer.vanish()),
    restart: () => each(peers, (peer) => peer.restart()),
    connections: () => sum(peers, (peer) => peer.connections()),
    open: () => sum(peers, (peer) => peer.open()),
    cameBy: (name) => arrivalOf(name),
    sized: (name, over) => grownTo(maxBytes + over, made(name, 'accept'), render),
  };
};
