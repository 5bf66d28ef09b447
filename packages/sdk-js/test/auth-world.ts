import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { createBeckon } from '../../core/src/app/create-beckon.ts';
import { virtualClock } from '../../core/src/foundation/clock.ts';
import { createHandler } from '../../http/src/index.ts';
import type { Auth } from '../src/auth/auth-types.ts';
import { findChromium } from './chromium.ts';

declare global {
  interface Window {
    auth: Auth;
    /** Changes of the session in this tab, and what went wrong. */
    changes: string[];
    failures: string[];
  }
}

const START = '2026-03-01T10:00:00.000Z';
export const PASSWORD = 'correct horse battery staple';
export const EMAIL = 'ann@example.com';
/** Name in the page's storage: how far the device's clock is ahead of this machine's. */
const SHIFT = 'test:shift';
const CLIENT = `import { createAuth } from '@beckon/sdk-js/auth';
const { apiKey } = document.documentElement.dataset;
window.changes = [];
window.failures = [];
window.auth = createAuth({ apiKey, baseUrl: location.origin });
window.auth.onChange(({ type }) => void window.changes.push(type));`;

/** What the network does with a request: `lost` is handled, and its answer does not arrive. */
type Fate = 'works' | 'offline' | 'lost';

/** What the page reads as the time of the device. */
const shiftClock = (name: string): void => {
  const { now } = Date;
  Date.now = () => now() + Number(localStorage.getItem(name) ?? 0);
};

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

/**
 * The real service on a clock that the caller moves, with a page that only signs in, and Chromium. Pages load even while
 * the API is offline.
 *
 * @param network decides about each API request; `delayMs` is waited before it
 */
export const openAuthWorld = async () => {
  const bundled = await build({
    stdin: { contents: CLIENT, resolveDir: import.meta.dirname },
    conditions: ['@beckon/source'],
    ...{ bundle: true, format: 'iife', target: 'es2022', write: false },
  });
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const url = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;

  const clock = virtualClock(START);
  const beckon = await createBeckon({
    ...{ db: 'sqlite::memory:', clock, publicUrl: url },
    ...{ org: { name: 'Acme' }, project: { name: 'App' } },
  });
  const { scope } = beckon.project;
  const grants = [{ orgId: scope.orgId, projectId: scope.projectId }];
  const { secret: apiKey } = await beckon.tenancy.createKey({ kind: 'public', environment: 'test', grants });
  await beckon.users.create(scope, { email: EMAIL, emailVerified: true, password: PASSWORD });
  const api = createHandler(beckon);
  const page = `<!doctype html><html data-api-key="${apiKey}"><title>Page</title><script>${bundled.outputFiles[0]?.text}</script></html>`;

  const state = {
    network: (_path: string, _refreshToken: string): Fate => 'works',
    delayMs: (): number => 0,
  };
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '/';
    const text = await bodyOf(incoming);
    await sleep(state.delayMs());
    const { refreshToken = '' } = text === '' ? {} : JSON.parse(text);
    const fate = state.network(path.replace('/api/v1/auth-service', ''), refreshToken);
    if (fate === 'offline') return void incoming.socket.destroy();
    const headers = new Headers();
    for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
    const method = incoming.method ?? 'GET';
    const response = await api.fetch(
      new Request(`http://${incoming.headers.host}${path}`, { method, headers, ...(text !== '' && { body: text }) }),
    );
    const answer = await response.text();
    if (fate === 'lost') return void incoming.socket.destroy();
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(answer);
  };
  server.on('request', (incoming, outgoing) => {
    // A browser repeats a request by itself when a connection that was used before breaks.
    outgoing.setHeader('connection', 'close');
    if (incoming.url?.startsWith('/api/')) pass(incoming, outgoing).catch(() => incoming.socket.destroy());
    else outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return {
    ...{ beckon, scope, clock, browser, state },
    /** A browser without a session whose clock follows the service's. */
    context: async (): Promise<BrowserContext> => {
      const context = await browser.newContext();
      await context.addInitScript(shiftClock, SHIFT);
      return context;
    },
    open: async (context: BrowserContext): Promise<Page> => {
      const tab = await context.newPage();
      await tab.goto(url);
      return tab;
    },
    /** Sets the device's clock, as every tab reads it, to the service's clock and `skewMs`. */
    setClock: (tab: Page, skewMs: number): Promise<void> =>
      tab.evaluate(
        ([name, atMs]) => {
          const real = Date.now() - Number(localStorage.getItem(name) ?? 0);
          localStorage.setItem(name, String(atMs - real));
        },
        [SHIFT, clock.now().getTime() + skewMs] as const,
      ),
    close: async (): Promise<void> => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await beckon.close();
    },
  };
};
export type AuthBrowserWorld = Awaited<ReturnType<typeof openAuthWorld>>;
