import type { Answer } from '../pipeline/envelope.ts';
import type { OpenRoute } from '../route.ts';

/** The base path of the document that is kept. */
const KEPT_BASE_PATH = '/api/v1';

// Made when the repository is, not when it is asked for: that holds the event loop for a tenth of a second.
const kept = async (): Promise<string> => {
  const { default: document } = await import('../openapi/openapi.json', { with: { type: 'json' } });
  return JSON.stringify(document);
};

const texts = new Map<string, Promise<string>>();
const textFor = async (basePath: string): Promise<string> =>
  (await kept()).replaceAll(`"${KEPT_BASE_PATH}/`, `"${basePath}/`);

/** The description of all routes, the only JSON without envelope. Source: contract, Conventions. */
export const interfaceRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/openapi.json',
    shape: 'auto',
    kind: 'public',
    scope: null,
    needs: 'nothing',
    summary: 'Read this document',
    answer: { bytes: 'application/json' },
    run: async (_beckon, { basePath }): Promise<Answer> => {
      const text = texts.get(basePath) ?? textFor(basePath);
      texts.set(basePath, text);
      return { status: 200, headers: null, body: await text };
    },
  },
];
