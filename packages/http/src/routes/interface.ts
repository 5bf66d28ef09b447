import { encodedText } from '../pipeline/encoded.ts';
import { type Answer, succeed } from '../pipeline/envelope.ts';
import type { OpenRoute } from '../route.ts';

/** Base path of the stored document. */
const KEPT_BASE_PATH = '/api/v1';
const CONTENT_TYPE = 'application/json; charset=utf-8';

// Generated at build time: generating it blocks the event loop for a tenth of a second.
const kept = async (): Promise<string> => {
  const { default: document } = await import('../openapi/openapi.json', { with: { type: 'json' } });
  return JSON.stringify(document);
};

type Document = ReturnType<typeof encodedText>;
const documents = new Map<string, Promise<Document>>();
const documentFor = async (basePath: string): Promise<Document> =>
  encodedText((await kept()).replaceAll(`"${KEPT_BASE_PATH}`, `"${basePath}`), CONTENT_TYPE);

const common = { method: 'GET', scope: null, needs: 'nothing' } as const;

/** The API description, the only JSON without an envelope, and the links to it. */
export const interfaceRoutes: readonly OpenRoute[] = [
  {
    ...common,
    path: '/openapi.json',
    shape: 'auto',
    kind: 'public',
    summary: 'Get the OpenAPI document',
    description: 'This document, without envelope.',
    answer: { bytes: 'application/json' },
    run: async (_beckon, { basePath, sent }): Promise<Answer> => {
      const document = documents.get(basePath) ?? documentFor(basePath);
      documents.set(basePath, document);
      return (await document)(sent.header);
    },
  },
  {
    ...common,
    path: '/',
    shape: 'root',
    kind: 'none',
    summary: 'Get the links of the service',
    description: 'Contains the URLs of the API, of this document and of the documentation.',
    answer: { 200: 'Service' },
    run: async (_beckon, { basePath }): Promise<Answer> =>
      succeed({
        name: 'Beckon',
        api: basePath,
        openapi: `${basePath}/openapi.json`,
        docs: 'Run "npx beckon docs": it serves the documentation on your machine.',
      }),
  },
];
