import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Beckon } from '@beckon/core';
import { createHandler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH, type HandlerOptions } from '../handler.ts';
import { consumedBody, isBelow } from './shared.ts';

/** A request of Express, as far as this adapter reads it. */
type ExpressRequest = IncomingMessage & { originalUrl?: string };

/** Middleware of Express, Connect and frameworks with the same `(request, response, next)`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves the HTTP API in an Express app: `app.use(expressHandler(beckon))`, before body parsers. Requests outside of
 * `basePath` go to `next`.
 *
 * Mounting at the same path works too: `app.use('/api/v1', expressHandler(beckon))`. A request whose body a parser has
 * already read goes to `next` with a TypeError.
 *
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
 */
export const expressHandler = (beckon: Beckon, options: HandlerOptions = {}): ExpressHandler => {
  const handler = createHandler(beckon, options);
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  return (request, response, next) => {
    // A mounted handler sees `url` without the mount path; `originalUrl` keeps the whole.
    const url = request.originalUrl ?? request.url ?? '';
    if (!isBelow(basePath, url)) return next();
    if (request.readableDidRead) return next(consumedBody('expressHandler', 'app.use(express.json())'));
    request.url = url;
    handler.node(request, response);
  };
};
