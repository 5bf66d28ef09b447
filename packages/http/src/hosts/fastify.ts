import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Beckon } from '@beckon/core';
import { createHandler } from '../create-handler.ts';
import { DEFAULT_BASE_PATH, type HandlerOptions } from '../handler.ts';
import { consumedBody } from './shared.ts';

type FastifyRequest = { readonly raw: IncomingMessage };
type FastifyReply = { readonly raw: ServerResponse; hijack(): unknown };
type ParserDone = (error: Error | null, body?: unknown) => void;

/** An instance of Fastify 5, as far as this adapter uses it. */
type FastifyInstance = {
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
 * Serves the HTTP API in a Fastify app: `app.register(fastifyPlugin(beckon))`, without a `prefix`. A request whose body a
 * hook has already read fails with a TypeError.
 *
 * Content type parsers are replaced only inside the plugin, since Beckon reads bodies itself.
 *
 * @throws TypeError for a wrong `basePath` or `trustedProxies`
 */
export const fastifyPlugin = (beckon: Beckon, options: HandlerOptions = {}): FastifyPlugin => {
  const handler = createHandler(beckon, options);
  const basePath = options.basePath ?? DEFAULT_BASE_PATH;
  return async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    instance.all(`${basePath}/*`, async (request, reply) => {
      if (request.raw.readableDidRead) throw consumedBody('fastifyPlugin', 'hooks that read bodies');
      // Fastify sends nothing itself after this call.
      reply.hijack();
      handler.node(request.raw, reply.raw);
    });
  };
};
