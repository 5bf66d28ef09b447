import { type FileHandle, open, readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { contained } from './contained.ts';
import type { Listening } from './services.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** The path of a request without its query, decoded; null where it is malformed. */
const pathOf = (url: string): string | null => {
  try {
    return decodeURIComponent(url.replace(/[?#].*$/s, ''));
  } catch {
    return null;
  }
};

/** The files of a site by URL path. Only these can be requested. */
const filesOf = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [file.slice(join(folder, sep).length - 1).replaceAll(sep, '/'), file]));
};

const candidates = (path: string): string[] => (path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`]);

const send = async (
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  file: string | undefined,
): Promise<void> => {
  let handle: FileHandle | undefined;
  try {
    handle = file === undefined ? undefined : await open(file);
    const body = handle === undefined ? Buffer.from('Not found.\n') : await handle.readFile();
    const type = file === undefined ? TYPES['.txt'] : TYPES[extname(file)];
    response.writeHead(status, {
      'content-type': type ?? 'application/octet-stream',
      'content-length': body.length,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    });
    response.end(method === 'HEAD' ? undefined : body);
  } catch {
    if (!response.headersSent) response.writeHead(500);
    response.end();
  } finally {
    await handle?.close();
  }
};

/**
 * Serves the files of a built site (GET and HEAD). Only files that exist at the start are served, so no path can leave
 * the folder. Throws the errors of listening.
 */
export const listenDocs = async (
  folder: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> => {
  const files = await filesOf(folder);
  const server = createServer(
    contained((request: IncomingMessage, response: ServerResponse) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
        return;
      }
      const path = pathOf(request.url ?? '/');
      const found = path === null ? undefined : candidates(path).find((one) => files.has(one));
      const file = files.get(found ?? '/404.html');
      void send(request, response, found === undefined ? 404 : 200, file);
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      return true;
    },
  };
};
