import type { Beckon } from '@beckon/core';
import { createHandler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH, type HandlerOptions } from '../handler.ts';
import { consumedBody, isElsewhere, ROOT_PATHS, wrongMount } from './shared.ts';

/** A context of Hono, as far as this adapter reads it. */
type HonoContext = {
  readonly req: { readonly raw: Request; readonly path: string; readonly routePath?: string };
  readonly env?: unknown;
};

/** A handler of Hono. */
export type HonoHandler<Context extends HonoContext = HonoContext> = (context: Context) => Promise<Response>;

export type HonoHandlerOptions<Context extends HonoContext = HonoContext> = HandlerOptions & {
  /**
   * Address of the client, for rate limits. Default: the connection of `@hono/node-server`. On other runtimes pass
   * `(c) => getConnInfo(c).remote.address` of the runtime's adapter.
   */
  readonly addressOf?: ((context: Context) => string | undefined) | undefined;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** `c.env.incoming` of `@hono/node-server` is the request of node:http. */
const nodeAddressOf = ({ env }: HonoContext): string | undefined => {
  const incoming = isRecord(env) ? env['incoming'] : undefined;
  const socket = isRecord(incoming) ? incoming['socket'] : undefined;
  const address = isRecord(socket) ? socket['remoteAddress'] : undefined;
  return typeof address === 'string' ? address : undefined;
};

/**
 * Serves the HTTP API in a Hono app: `app.all('/api/v1/*', honoHandler(beckon))`. The same handler serves
 * `/beckon-sw.js`, `/healthz` and `/readyz` where the app has such routes.
 *
 * Rejects with a TypeError for a request to a route that is neither one of these nor fits `basePath`, and for a request
 * whose body middleware has already read.
 *
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
 */
export const honoHandler = <Context extends HonoContext = HonoContext>(
  beckon: Beckon,
  { addressOf = nodeAddressOf, ...options }: HonoHandlerOptions<Context> = {},
): HonoHandler<Context> => {
  const handler = createHandler(beckon, options);
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  return async (context) => {
    const { raw, path, routePath = '' } = context.req;
    // The fixed part of the route's pattern; empty for a route of all paths.
    const mount = routePath.split(/\/?[*:]/, 1)[0] ?? '';
    if (isElsewhere(mount, basePath) && !ROOT_PATHS.includes(path)) throw wrongMount('honoHandler', mount, basePath);
    if (raw.bodyUsed) throw consumedBody('honoHandler', 'middleware that reads bodies');
    return handler.fetch(raw, { address: addressOf(context) });
  };
};
