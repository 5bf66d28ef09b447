// Connections to a server over the fake, for tests of bytes on the wire.

import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHandler } from '../../src/create-handler.ts';
import type { NodeFace } from '../../src/node.ts';
import { fakeBeckon } from './fake-beckon.ts';

const opened: { readonly server: Server; readonly sockets: Socket[] }[] = [];

/** Closes all servers and connections of `dial`. */
export const hangUp = async (): Promise<void> => {
  for (const { server, sockets } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
};

export const HEAD = 'Host: test\r\nx-api-key: sk_prod_one\r\nContent-Type: application/json\r\n';

/** A connection with hand-written bytes to a server over the fake. */
export const dial = async (overrides: Parameters<typeof fakeBeckon>[0] = {}, face?: NodeFace) => {
  const { beckon, calls } = fakeBeckon(overrides);
  const server = createServer(face ?? createHandler(beckon).node);
  const sockets: Socket[] = [];
  opened.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Proof of the cast: a server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  let closed: 'no' | 'ended' | 'reset' = 'no';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('end', () => {
    closed = 'ended';
  });
  socket.on('error', () => {
    closed = 'reset';
  });
  const until = async (what: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 400 && !what(); turn++) await sleep(5);
    if (!what()) throw new Error(`it did not happen; received: ${received}`);
  };
  return {
    calls,
    write: (text: string) => socket.write(text),
    end: () => socket.end(),
    /** Waits for this many responses in all and returns their text. */
    answers: async (count: number): Promise<string> => {
      await until(() => (received.match(/HTTP\/1\.1 [2-5]/g) ?? []).length >= count && /"(data|code)"/.test(received));
      return received;
    },
    isOpen: () => closed === 'no',
    whenClosed: async (): Promise<'ended' | 'reset'> => {
      await until(() => closed !== 'no');
      return closed === 'reset' ? 'reset' : 'ended';
    },
    waitFor: (text: string) => until(() => received.includes(text)),
  };
};

export const post = (path: string, headers: string, body: string): string =>
  `POST /api/v1${path} HTTP/1.1\r\n${HEAD}${headers}\r\n${body}`;
export const sized = (path: string, body: string): string =>
  post(path, `Content-Length: ${Buffer.byteLength(body)}\r\n`, body);
