// The name server of the mail servers: answers A, MX, TXT and PTR questions over UDP. Source: RFC 1035, 3 and 4.

import { createSocket } from 'node:dgram';

const HEADER_BYTES = 12;
const TYPES = { A: 1, PTR: 12, MX: 15, TXT: 16 } as const;
const IN = 1;
const TTL_SECONDS = 60;
const MAX_CHUNK = 255;
const NXDOMAIN = 3;
/** An answer, authoritative, with recursion wanted and there. */
const ANSWER = 0x85_80;
/** The name of the question, as a pointer to it. */
const SAME_NAME = 0xc0_0c;

/** Records of a name. Subdomains exist only if they are listed. */
export type Records = {
  readonly A?: string;
  readonly PTR?: string;
  /** Host name; an empty one means that the domain accepts no email (RFC 7505). */
  readonly MX?: string;
  readonly TXT?: readonly string[];
};
export type Zone = Record<string, Records>;

const bytesOfName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter((label) => label !== '')
      .map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

const bytesOfText = (text: string): Buffer => {
  const chunks = Array.from({ length: Math.ceil(text.length / MAX_CHUNK) }, (_, at) =>
    text.slice(at * MAX_CHUNK, (at + 1) * MAX_CHUNK),
  );
  return Buffer.concat(chunks.map((chunk) => Buffer.from([chunk.length, ...Buffer.from(chunk, 'latin1')])));
};

/** Data of the records of one type in wire format. */
const dataOf = ({ A, PTR, MX, TXT = [] }: Records, type: number): readonly Buffer[] => {
  switch (type) {
    case TYPES.A:
      return A === undefined ? [] : [Buffer.from(A.split('.').map(Number))];
    case TYPES.PTR:
      return PTR === undefined ? [] : [bytesOfName(PTR)];
    case TYPES.MX:
      return MX === undefined ? [] : [Buffer.concat([Buffer.from([0, MX === '' ? 0 : 10]), bytesOfName(MX)])];
    case TYPES.TXT:
      return TXT.map(bytesOfText);
    default:
      return [];
  }
};

const recordOf = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(SAME_NAME, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(IN, 4);
  head.writeUInt32BE(TTL_SECONDS, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const answerTo = (message: Buffer, zone: Zone): Buffer => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  const held = zone[labels.join('.').toLowerCase()];
  const records = held === undefined ? [] : dataOf(held, type).map((data) => recordOf(type, data));
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(message.readUInt16BE(0), 0);
  head.writeUInt16BE(ANSWER | (held === undefined ? NXDOMAIN : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, message.subarray(HEADER_BYTES, at + 5), ...records]);
};

/** Starts the server on port 53 of an address; `zone` may change at any time. */
export const startNameServer = async (address: string, zone: Zone): Promise<{ stop(): Promise<void> }> => {
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => socket.send(answerTo(message, zone), peer.port, peer.address));
  await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(53, address, resolve));
  return { stop: () => new Promise((resolve) => socket.close(() => resolve())) };
};
