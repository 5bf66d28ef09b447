import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver got it. */
export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

/** The response of a receiver; null: none until it is closed. */
export type Answer = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
} | null;

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** A receiver on loopback that records its requests. */
export const openReceiver = async (answer: (got: Received) => Answer = () => ({ status: 200 })) => {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
        got.push(one);
        const said = answer(one);
        if (said !== null) response.writeHead(said.status, said.headers).end(said.body ?? 'ok');
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    got,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
