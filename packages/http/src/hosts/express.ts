import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Beckon } from '@beckon/core';
import { createHandler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH } from '../handler.ts';
import { consumedBody, type HostOptions, isBelow, isElsewhere, pathOf, rootPaths, wrongMount } from './shared.ts';

export type { HostOptions } from './shared.ts';

/** A request of Express, as far as this adapter reads it. */
type ExpressRequest = IncomingMessage & { originalUrl?: string; baseUrl?: string };

/** Middleware of Express, Connect and frameworks with the same `(request, response, next)`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves the HTTP API and `/beckon-sw.js` in an Express app: `app.use(expressHandler(beckon))`, before body parsers.
 * Other requests go to `next`.
 *
 * Mounted at a path, it serves the API alone, and `basePath` must be that path: `app.use('/api/v1',
 * expressHandler(beckon))`. The first request to another mount path goes to `next` with a TypeError, as does a request
 * whose body a parser has already read.
 *
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
 */
export const expressHandler = (beckon: Beckon, options: HostOptions = {}): ExpressHandler => {
  const handler = createHandler(beckon, options);
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  const root = new Set(rootPaths(options));
  return (request, response, next) => {
    // A mounted handler sees `url` without the mount path; `originalUrl` keeps the whole.
    const url = request.originalUrl ?? request.url ?? '';
    const path = pathOf(url);
    if (!isBelow(basePath, path) && !root.has(path)) {
      const { baseUrl = '' } = request;
      return isElsewhere(baseUrl, basePath) ? next(wrongMount('expressHandler', baseUrl, basePath)) : next();
    }
    if (request.readableDidRead) return next(consumedBody('expressHandler', 'app.use(express.json())'));
    request.url = url;
    handler.node(request, response);
  };
};
