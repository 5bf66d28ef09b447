// A DNS server on loopback that answers TXT queries over UDP. Source: RFC 1035, 4.1.

import { createSocket } from 'node:dgram';

const HEADER_BYTES = 12;
const TXT = 16;
const IN = 1;
const TTL_SECONDS = 60;
const MAX_CHUNK = 255;
const CODES = { servfail: 2, nxdomain: 3 } as const;

/** Content of a name: TXT records, each as its chunks; or an error code, or no answer. */
export type Zone = Record<string, readonly (readonly string[])[] | keyof typeof CODES | 'silent'>;

export type DnsServer = {
  /** For `setServers`. */
  readonly address: string;
  /** Queried names. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
};

const nameIn = (message: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
};

/** A text as one record, split into chunks as servers store a long one. */
export const chunked = (text: string): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / MAX_CHUNK) }, (_, at) =>
    text.slice(at * MAX_CHUNK, (at + 1) * MAX_CHUNK),
  );

const recordOf = (chunks: readonly string[]): Buffer => {
  const data = Buffer.concat(chunks.map((chunk) => Buffer.from([chunk.length, ...Buffer.from(chunk, 'latin1')])));
  const head = Buffer.alloc(HEADER_BYTES);
  // A pointer to the name in the question.
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(IN, 4);
  head.writeUInt32BE(TTL_SECONDS, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

/** Starts the server on a free port; `zone` may change at any time. Names outside it do not exist. */
export const startDnsServer = async (zone: Zone): Promise<DnsServer> => {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const { name, end } = nameIn(message);
    asked.push(name);
    const held = zone[name] ?? 'nxdomain';
    if (held === 'silent') return;
    const records = typeof held === 'string' ? [] : held;
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeUInt16BE(message.readUInt16BE(0), 0);
    // A response, with recursion requested and available.
    head.writeUInt16BE(0x81_80 | (typeof held === 'string' ? CODES[held] : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const question = message.subarray(HEADER_BYTES, end + 4);
    socket.send(Buffer.concat([head, question, ...records.map(recordOf)]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
};
