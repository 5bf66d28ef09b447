import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Beckon } from '@beckon/core';
import { createHandler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH } from '../handler.ts';
import { consumedBody, type HostOptions, isBelow, rootPaths, wrongMount } from './shared.ts';

export type { HostOptions } from './shared.ts';

type FastifyRequest = { readonly raw: IncomingMessage };
type FastifyReply = { readonly raw: ServerResponse; hijack(): unknown };
type ParserDone = (error: Error | null, body?: unknown) => void;

/** An instance of Fastify 5, as far as this adapter uses it. */
type FastifyInstance = {
  /** Prefix of the plugin and of those around it; empty at the root. */
  readonly prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    parser: (request: FastifyRequest, payload: IncomingMessage, done: ParserDone) => void,
  ): unknown;
  all(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<void>): unknown;
};

/** A plugin of Fastify. */
export type FastifyPlugin = (instance: FastifyInstance) => Promise<void>;

/**
 * Serves the HTTP API and `/beckon-sw.js` in a Fastify app: `app.register(fastifyPlugin(beckon))`. A request whose body
 * a hook has already read fails with a TypeError.
 *
 * Content type parsers are replaced only inside the plugin, since Beckon reads bodies itself. Below a `prefix` the
 * plugin serves the API alone, and `basePath` must begin with the prefix: otherwise `app.ready()` and `app.listen()`
 * reject with a TypeError.
 *
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
 */
export const fastifyPlugin = (beckon: Beckon, options: HostOptions = {}): FastifyPlugin => {
  const handler = createHandler(beckon, options);
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  return async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (request.raw.readableDidRead) throw consumedBody('fastifyPlugin', 'hooks that read bodies');
      // Fastify sends nothing itself after this call.
      reply.hijack();
      handler.node(request.raw, reply.raw);
    };
    const prefix = instance.prefix.replace(/\/$/, '');
    if (!isBelow(prefix, basePath)) throw wrongMount('fastifyPlugin', prefix, basePath);
    instance.all(`${basePath.slice(prefix.length)}/*`, answer);
    if (prefix === '') for (const path of rootPaths(options)) instance.all(path, answer);
  };
};
