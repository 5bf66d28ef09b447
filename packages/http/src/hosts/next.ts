import type { Beckon } from '@beckon/core';
import { createHandler, type Handler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH, type HandlerOptions } from '../handler.ts';
import { consumedBody, isBelow, ROOT_PATHS, wrongMount } from './shared.ts';

/** Route handlers of the App Router. */
export type NextHandlers = Readonly<
  Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', (request: Request) => Promise<Response>>
>;

/**
 * Serves the HTTP API in a Next.js app. In `app/api/v1/[...path]/route.ts`:
 * `export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nextHandlers(() => beckon);`
 *
 * The same handlers serve `/beckon-sw.js`, `/healthz` and `/readyz` in route files of these paths, such as
 * `app/beckon-sw.js/route.ts`. A request to another path rejects with a TypeError.
 *
 * Next.js passes no client address to route handlers, so all clients share the rate limits by address, unless
 * `trustedProxies` lets Beckon read `X-Forwarded-For`.
 *
 * @param open returns the Beckon of this process; called once, with the first request, and again if it rejected
 */
export const nextHandlers = (open: () => Beckon | Promise<Beckon>, options: HandlerOptions = {}): NextHandlers => {
  let opening: Promise<Handler> | undefined;
  const opened = (): Promise<Handler> => {
    opening ??= Promise.resolve()
      .then(open)
      .then((beckon) => createHandler(beckon, options))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
    return opening;
  };
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  const handle = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (!isBelow(basePath, pathname) && !ROOT_PATHS.includes(pathname))
      throw wrongMount('nextHandlers', pathname, basePath);
    if (request.bodyUsed) throw consumedBody('nextHandlers', 'code that reads the body');
    return (await opened()).fetch(request);
  };
  return { GET: handle, HEAD: handle, POST: handle, PUT: handle, PATCH: handle, DELETE: handle, OPTIONS: handle };
};
