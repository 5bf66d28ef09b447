import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Got = { readonly body: string; readonly verify: (secret: string) => boolean };

/** A local receiver that verifies signatures. */
export const openForwardReceiver = async () => {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const parts = new Map(
          String(request.headers['x-service-signature'])
            .split(',')
            .map((part): [string, string] => [part.split('=')[0] ?? '', part.slice(part.indexOf('=') + 1)]),
        );
        const verify = (secret: string): boolean =>
          createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
            .update(`${parts.get('id')}.${parts.get('t')}.${body}`)
            .digest('hex') === parts.get('v1');
        got.push({ body, verify });
        response.end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { got, url: `http://127.0.0.1:${port}/`, close };
};
