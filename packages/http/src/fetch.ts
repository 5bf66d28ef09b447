import { contained, validationError } from '@beckon/core';
import type { Handle } from './handler.ts';
import { bodyTooSlow, clientLeft } from './pipeline/deadline.ts';
import { type Gathering, gather } from './pipeline/gather.ts';
import type { RequestView } from './request.ts';

const readChunks = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  gathering: Gathering,
  enoughBytes: number,
): Promise<Uint8Array> => {
  while (gathering.size() < enoughBytes) {
    const next = await reader.read().catch(() => {
      throw validationError({ body: ['ended before it was complete'] });
    });
    if (next.done) return gathering.bytes();
    gathering.add(next.value);
  }
  return gathering.bytes();
};

const readBody = async (
  request: Request,
  gathering: Gathering,
  withinMs: number,
  enoughBytes: number,
): Promise<Uint8Array> => {
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
    return await Promise.race([readChunks(reader, gathering, enoughBytes), late]);
  } catch (error) {
    // A failure of the sender to cancel does not change the response.
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
};

/** What the host knows about a request beyond the `Request` itself. */
export type FetchInfo = {
  /**
   * The client's address of the connection. Without it and without `trustedProxies`, all callers share one client
   * network and its rate limits.
   */
  readonly address?: string | undefined;
};

const viewOf = (request: Request, { address }: FetchInfo): RequestView => {
  const { pathname, search } = new URL(request.url);
  let gathering: Gathering | undefined;
  return {
    method: request.method,
    path: pathname,
    query: search.slice(1),
    address: () => address,
    left: () => {
      const controller = new AbortController();
      const onAbort = contained(() => controller.abort(clientLeft()));
      if (request.signal.aborted) onAbort();
      else request.signal.addEventListener('abort', onAbort, { once: true });
      return controller.signal;
    },
    header: (name) => request.headers.get(name) ?? undefined,
    readBody: (maxBytes, withinMs, enoughBytes = Number.POSITIVE_INFINITY) => {
      gathering ??= gather(maxBytes);
      return readBody(request, gathering, withinMs, enoughBytes);
    },
  };
};

/** The interface for hosts that use `Request` and `Response`. Never rejects. */
export const fetchFace =
  (handle: Handle) =>
  async (request: Request, info: FetchInfo = {}): Promise<Response> => {
    const { status, headers, body } = await handle(viewOf(request, info));
    return new Response(body === '' || request.method === 'HEAD' ? null : body, { status, headers });
  };
