import { contained, validationError } from '@beckon/core';
import type { Handle } from './handler.ts';
import { bodyTooSlow } from './pipeline/deadline.ts';
import { gather } from './pipeline/gather.ts';
import type { RequestView } from './request.ts';

const readChunks = async (reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const gathering = gather(maxBytes);
  for (;;) {
    const next = await reader.read().catch(() => {
      throw validationError({ body: ['The body ended before it was complete.'] });
    });
    if (next.done) return gathering.bytes();
    gathering.add(next.value);
  }
};

const readBody = async (request: Request, maxBytes: number, withinMs: number): Promise<Uint8Array> => {
  if (request.body === null) return new Uint8Array(0);
  const reader = request.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      contained(() => reject(bodyTooSlow())),
      withinMs,
    );
  });
  try {
    return await Promise.race([readChunks(reader, maxBytes), late]);
  } catch (error) {
    // The sender's own failure to be cancelled changes nothing for the answer.
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** What a host knows of a request that the request does not say. */
export type FetchInfo = {
  /**
   * The address at the other end of the connection. Without it, and without `trustedProxies`, all callers share one
   * client network, and with that its limits.
   */
  readonly address?: string | undefined;
};

const viewOf = (request: Request, { address }: FetchInfo): RequestView => {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    address: () => address,
    header: (name) => request.headers.get(name) ?? undefined,
    readBody: (maxBytes, withinMs) => readBody(request, maxBytes, withinMs),
  };
};

/** The face for hosts that speak `Request` and `Response`. Never rejects. */
export const fetchFace =
  (handle: Handle) =>
  async (request: Request, info: FetchInfo = {}): Promise<Response> => {
    const { status, headers, body } = await handle(viewOf(request, info));
    return new Response(body === '' || request.method === 'HEAD' ? null : body, { status, headers });
  };
