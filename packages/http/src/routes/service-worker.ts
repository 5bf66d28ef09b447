import { etagOf, isKnownEtag } from '../pipeline/encoded.ts';
import type { Answer } from '../pipeline/envelope.ts';
import type { OpenRoute } from '../route.ts';

type Script = { readonly text: string; readonly headers: Readonly<Record<string, string>> };

const read = async (): Promise<Script> => {
  const { default: kept } = await import('../service-worker/beckon-sw.json', { with: { type: 'json' } });
  return {
    text: kept.text,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      // Browsers fetch a worker itself each time, and cache its imports for this long. Chosen: updates arrive within an
      // hour.
      'Cache-Control': 'public, max-age=3600',
      ETag: etagOf(kept.text),
      // It may control its whole origin although its path is below it.
      'Service-Worker-Allowed': '/',
      // A worker of another origin may import it, even if that origin is isolated.
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  };
};
let script: Promise<Script> | undefined;

/** The service worker of `sdk-js` as one file, for sites that do not host their own. Source: sdk, Web Push. */
export const serviceWorkerRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/beckon-sw.js',
    shape: 'root',
    kind: 'none',
    scope: null,
    needs: 'nothing',
    summary: 'Get the service worker',
    description: 'JavaScript for Web Push: shows pushes, and reports displays and clicks.',
    answer: { bytes: 'text/javascript' },
    run: async (_beckon, { sent }): Promise<Answer> => {
      script ??= read();
      const { text, headers } = await script;
      if (isKnownEtag(sent.header('if-none-match'), headers['ETag'])) return { status: 304, headers, body: '' };
      return { status: 200, headers, body: text };
    },
  },
];
