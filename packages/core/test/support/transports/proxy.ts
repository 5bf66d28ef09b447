import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on 127.0.0.1 whose connections can be frozen, as by a firewall that drops them. */
export type Proxy = {
  readonly port: number;
  /** For existing connections: accepts bytes from both sides and passes none on. Later connections work. */
  freeze(): void;
  /** Connections that a client holds open. */
  connections(): number;
  stop(): Promise<void>;
};

/** Starts a proxy to a port of 127.0.0.1, which is read for each connection. */
export const proxyTo = async (target: () => number): Promise<Proxy> => {
  const clients = new Set<Socket>();
  const sockets = new Set<Socket>();
  const frozen = new Set<Socket>();
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => {
      if (!frozen.has(from)) to.write(chunk);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(target(), '127.0.0.1');
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
      for (const socket of sockets) frozen.add(socket);
    },
    connections: () => clients.size,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
