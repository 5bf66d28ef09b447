// The part of HTTP/2 that one posting client needs. It reads frames and writes responses by hand: node:http2 takes as
// long for a request as the client under test, and would dominate the measurement.

import { createServer, type TLSSocket } from 'node:tls';
import { TEST_CERT, TEST_KEY } from '../../../packages/core/test/support/transports/tls/fixtures.ts';
import { listen } from './listen.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
/** Source: RFC 9113, 4.1, 6 and 6.5.2. */
const HEAD_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const PING = 6;
const WINDOW_UPDATE = 8;
const ACK = 0x1;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const MAX_CONCURRENT_STREAMS = 3;
/** Apple's announced limit. Source: transports, APNs. */
const STREAMS = 1_000;
/** The largest window, minus the initial window of a connection: never used up in a run. */
const WINDOW = 2 ** 31 - 1 - 65_535;

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, HEAD_BYTES);
  return bytes;
};

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const GREETING = Buffer.concat([
  frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, MAX_CONCURRENT_STREAMS]), number(STREAMS)])),
  frame(WINDOW_UPDATE, 0, 0, number(WINDOW)),
]);

/** `:status: 200`, from the static table. Source: RFC 7541, appendix A. */
const STATUS_200 = 0x88;

/** The response to a message: a header block that begins with the status, and a body or none. */
export type Answer = { readonly headers: Buffer; readonly body: Buffer | null };

/** 200 and one more header, which is not indexed. Name and value are ASCII of at most 126 characters. */
export const answer = (name: string, value: string, body: string | null): Answer => ({
  headers: Buffer.concat([
    Buffer.from([STATUS_200, 0, name.length]),
    Buffer.from(name, 'latin1'),
    Buffer.from([value.length]),
    Buffer.from(value, 'latin1'),
  ]),
  body: body === null ? null : Buffer.from(body),
});

/** Reads whole frames and answers every request whose body has ended. */
const talk = (socket: TLSSocket, judge: (body: Buffer) => Answer): void => {
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  const bodies = new Map<number, Buffer>();

  const framesFor = (type: number, flags: number, stream: number, payload: Buffer): Buffer[] => {
    if (type === SETTINGS && (flags & ACK) === 0) return [frame(SETTINGS, ACK, 0, Buffer.alloc(0))];
    if (type === PING && (flags & ACK) === 0) return [frame(PING, ACK, 0, payload)];
    if (type !== DATA) return [];
    if ((flags & END_STREAM) === 0) {
      bodies.set(stream, Buffer.concat([bodies.get(stream) ?? Buffer.alloc(0), payload]));
      return [];
    }
    const begun = bodies.get(stream);
    bodies.delete(stream);
    const { headers, body } = judge(begun ? Buffer.concat([begun, payload]) : payload);
    if (body === null) return [frame(HEADERS, END_HEADERS | END_STREAM, stream, headers)];
    return [frame(HEADERS, END_HEADERS, stream, headers), frame(DATA, END_STREAM, stream, body)];
  };

  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isOpen) {
      if (bytes.length < PREFACE.length) {
        rest = bytes;
        return;
      }
      isOpen = true;
      bytes = bytes.subarray(PREFACE.length);
      socket.write(GREETING);
    }
    const answers: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3);
      if (bytes.length < end) break;
      const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5);
      answers.push(...framesFor(type, flags, bytes.readUInt32BE(at + 5), bytes.subarray(at + HEAD_BYTES, end)));
      at = end;
    }
    // A copy: the remaining bytes would keep the whole chunk in memory.
    rest = Buffer.from(bytes.subarray(at));
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
};

/** Starts it on a port of 127.0.0.1 and returns its origin. `judge` gets the body of each request. */
export const http2Server = async (judge: (body: Buffer) => Answer): Promise<string> => {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERT, ALPNProtocols: ['h2'] }, (socket) =>
    talk(socket, judge),
  );
  return `https://127.0.0.1:${await listen(server)}`;
};
