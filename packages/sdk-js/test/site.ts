import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { production, scripts } from '../../../scripts/build-sdk.ts';
import { findChromium } from './chromium.ts';
import { listen, openGate } from './gate.ts';
import { openService } from './service.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Names in the page's storage besides those of the client: what was tracked, and the error of the clock. */
const LEDGER = 'test:sent:';
const SHIFT = 'test:shift';

const built = async (name: keyof typeof scripts): Promise<string> => {
  const made = await build({ ...production, ...scripts[name], absWorkingDir: ROOT, format: 'iife', write: false });
  return made.outputFiles[0]?.text ?? '';
};

const pageText = (path: string, options: object): string => `<!doctype html>
<html><head><title>Page ${path}</title></head><body>
<a id="next" href="/next">To the next page</a> <a id="here" href="#here">Here</a>
<div id="shadow"></div><div data-beckon-ignore><a id="ignored" href="#ignored">Ignored</a></div>
<button id="push">Push</button>
<script src="/beckon.iife.js"></script>
<script>
  const root = document.getElementById('shadow').attachShadow({ mode: 'open' });
  root.innerHTML = '<a id="within" href="#within"><b>Within</b></a>';
  const options = { ...${JSON.stringify(options)}, ...JSON.parse(sessionStorage.getItem('options') ?? '{}') };
  window.errors = [];
  window.beckon = Beckon.createClient({
    ...options,
    onError: (error) => window.errors.push(error.code),
    beforeSend: (event) => {
      if ((options.consent ?? 'granted') === 'granted') localStorage.setItem('${LEDGER}' + event.messageId, event.eventType);
      return event;
    },
  });
</script></body></html>`;

/** Shifts the clock of every page by the value in its storage. */
const wrongClock = (name: string): void => {
  const Right = Date;
  const shift = (): number => Number(localStorage.getItem(name) ?? 0);
  class Wrong extends Right {
    constructor(...given: readonly number[]) {
      if (given.length > 0) super(...(given as [number]));
      else super(Right.now() + shift());
    }
    static override now(): number {
      return Right.now() + shift();
    }
  }
  // Safe: the client calls nothing else of it.
  globalThis.Date = Wrong as DateConstructor;
};

/** A user's browser: pages of the site with one storage. */
export const visitorOf = (context: BrowserContext, url: string) => ({
  context,
  open: async (path = '/'): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url + path);
    return page;
  },
  /** The message ids of everything that pages tracked, in any order. */
  sent: (page: Page): Promise<string[]> =>
    page.evaluate(
      (prefix) =>
        Object.keys(localStorage)
          .filter((name) => name.startsWith(prefix))
          .map((name) => name.slice(prefix.length)),
      LEDGER,
    ),
  setClock: (page: Page, shiftMs: number): Promise<void> =>
    page.evaluate(([name = '', value = '']) => localStorage.setItem(name, value), [SHIFT, String(shiftMs)]),
  waiting: (page: Page): Promise<number> =>
    page.evaluate(() => Object.keys(localStorage).filter((name) => /^beckon:.*:e:/.test(name)).length),
});
export type Visitor = ReturnType<typeof visitorOf>;

/** The real service, a proxy in front of it, a site that uses the client, and a browser. */
export const openWorld = async () => {
  const [service, script, worker] = await Promise.all([openService(), built('beckon.iife'), built('beckon-sw')]);
  const gate = await openGate(service.url);
  const options = { apiKey: service.publicKey, baseUrl: gate.url, flushMs: 300 };
  const programs = new Map([
    ['/beckon.iife.js', script],
    ['/beckon-sw.js', worker],
    ['/own-sw.js', `importScripts('${gate.url}/beckon-sw.js');`],
  ]);
  const site = await listen((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://site');
    const program = programs.get(pathname);
    outgoing.writeHead(200, { 'content-type': program ? 'text/javascript' : 'text/html; charset=utf-8' });
    outgoing.end(program ?? pageText(pathname, options));
  });
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    // A container has no user namespaces for a sandbox, and the pages are ours.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  return {
    service,
    gate,
    browser,
    siteUrl: site.url,
    visitor: async (): Promise<Visitor> => {
      const context = await browser.newContext();
      await context.addInitScript(wrongClock, SHIFT);
      return visitorOf(context, site.url);
    },
    close: async () => {
      await browser.close();
      await Promise.all([gate.close(), site.close()]);
      await service.remove();
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;
