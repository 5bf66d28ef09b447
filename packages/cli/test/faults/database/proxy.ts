import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Behaviour of a proxy to a database. `pass`: forwards after `delayMs` in each direction; `refuse`: rejects new
 * connections; `blackhole`: drops all bytes silently; `cut`: as `pass`, and ends the connection after this number of
 * response bytes.
 */
export type Weather =
  | { readonly kind: 'pass'; readonly delayMs?: number }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'blackhole' }
  | { readonly kind: 'cut'; readonly afterBytes: () => number };

/** A proxy to a database that tests can break. */
export type DatabaseProxy = {
  /** The database URL rewritten to the proxy. */
  through(url: string): string;
  setWeather(weather: Weather): Promise<void>;
  /** Sends new connections to another port. */
  lead(port: number): void;
  /** Ends every connection, with a reset or a normal close. */
  drop(how: 'reset' | 'end'): void;
  close(): Promise<void>;
};

type Pair = { readonly inner: Socket; readonly outer: Socket; isLost: boolean };

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });

/** Listens on loopback and forwards to a local port. */
export const startProxy = async (port: number): Promise<DatabaseProxy> => {
  let target = port;
  let weather: Weather = { kind: 'pass' };
  const pairs = new Set<Pair>();

  const carry = (pair: Pair, from: Socket, to: Socket, leftBytes: () => number): void => {
    let left = leftBytes();
    from.on('data', (chunk: Buffer) => {
      // Bytes dropped in a blackhole never arrive, so later bytes of the same connection must not arrive either.
      if (weather.kind === 'blackhole') pair.isLost = true;
      if (pair.isLost) return;
      const delayMs = weather.kind === 'pass' ? (weather.delayMs ?? 0) : 0;
      const part = chunk.subarray(0, left);
      left -= chunk.length;
      if (delayMs > 0) setTimeout(() => to.write(part), delayMs);
      else to.write(part);
      if (left < 0) to.destroySoon();
    });
    from.on('end', () => !pair.isLost && to.end());
    from.on('error', () => undefined);
    from.on('close', () => {
      to.destroy();
      pairs.delete(pair);
    });
  };

  const server = createServer((outer) => {
    const inner = connect(target, '127.0.0.1');
    for (const socket of [outer, inner]) socket.setNoDelay(true);
    const pair = { inner, outer, isLost: false };
    pairs.add(pair);
    carry(pair, outer, inner, () => Number.POSITIVE_INFINITY);
    carry(pair, inner, outer, weather.kind === 'cut' ? weather.afterBytes : () => Number.POSITIVE_INFINITY);
  });
  await listen(server, 0);
  const address = server.address();
  const proxyPort = typeof address === 'object' && address ? address.port : 0;
  const isListening = (): boolean => server.listening;
  const closeServer = (): void => {
    if (isListening()) server.close();
  };

  return {
    through: (url) => {
      const rewritten = new URL(url);
      rewritten.port = String(proxyPort);
      return rewritten.href;
    },
    setWeather: async (next) => {
      weather = next;
      if (next.kind === 'refuse') closeServer();
      else if (!isListening()) await listen(server, proxyPort);
    },
    lead: (next) => {
      target = next;
    },
    drop: (how) => {
      for (const { inner, outer } of pairs) {
        if (how === 'reset') outer.resetAndDestroy();
        else outer.destroy();
        inner.destroy();
      }
    },
    close: async () => {
      closeServer();
      for (const { inner, outer } of pairs) {
        inner.destroy();
        outer.destroy();
      }
    },
  };
};
