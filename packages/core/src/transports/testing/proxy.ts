import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on 127.0.0.1 whose connections can be frozen, as when a network goes away without a word. */
export type Proxy = {
  readonly port: number;
  /** From now on takes bytes from both sides and passes none on. */
  freeze(): void;
  /** Connections that a client holds open. */
  connections(): number;
  stop(): Promise<void>;
};

/** Starts a proxy to a port of 127.0.0.1. */
export const proxyTo = async (target: number): Promise<Proxy> => {
  const clients = new Set<Socket>();
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => {
      if (!isFrozen) to.write(chunk);
    });
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    clients.add(client);
    client.on('close', () => clients.delete(client));
    pass(client, upstream);
    pass(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Proof of the cast: a server that listens on a TCP port has an address with a port.
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      isFrozen = true;
    },
    connections: () => clients.size,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
