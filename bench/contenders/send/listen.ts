import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port of 127.0.0.1 and returns it. */
export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      // Safe: a server that listens on TCP has an address with a port.
      resolve((server.address() as AddressInfo).port);
    });
  });
