import type { Answer } from '../pipeline/envelope.ts';
import type { OpenRoute, Route } from '../route.ts';

/**
 * The description of all routes, the only JSON without envelope. Source: contract, Conventions.
 *
 * @param all what is served, asked for with the first request: this route is one of them
 */
export const interfaceRoutes = (all: () => readonly Route[]): readonly OpenRoute[] => {
  const texts = new Map<string, Promise<string>>();
  const textFor = async (basePath: string): Promise<string> => {
    const { documentOf } = await import('../openapi/document.ts');
    return JSON.stringify(documentOf(all(), basePath));
  };
  return [
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
};
