import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Loopback = { readonly origin: string; close(): Promise<void> };

/** An HTTP server on a free port of this machine. */
export const loopback = async (listener: (origin: string) => RequestListener): Promise<Loopback> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  const origin = `http://127.0.0.1:${port}`;
  server.on('request', listener(origin));
  return {
    origin,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
