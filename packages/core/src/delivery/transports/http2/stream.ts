import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { contained } from '../../../foundation/contained.ts';

/** Maximum bytes kept of an answer. Source: transports, Rules for every transport (4). */
const MAX_ANSWER_BYTES = 65_536;
/** The flag of a HEADERS frame that ends the stream. Source: RFC 9113, 6.2. */
const END_STREAM = 0x1;
/** Node's errors for a request that was not sent at all. Source: transports, HTTP/2 session class. */
const UNSENT = new Set(['ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION']);

/** A POST. Header names are in lower case; the values hold no control characters. */
export type Http2Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A whole answer; `body` is empty if it was longer than the limit. */
export type Http2Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** How a stream ended. */
export type StreamEnd =
  | { readonly kind: 'answered'; readonly answer: Http2Answer }
  /** The peer provably did not process the request, so it may be sent again at once. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost'; readonly code: string; readonly streamId: number | null };

/** The code of a Node error, or a default code. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

const unsent = (error: unknown): StreamEnd => {
  const code = errorCode(error);
  return UNSENT.has(code) ? { kind: 'refused' } : { kind: 'lost', code, streamId: null };
};

/**
 * Sends one request on an open session.
 *
 * @param ended called once, never before this function returned, when the stream no longer counts at the peer
 * @returns a function that cancels the request: it resets the stream, then `ended` is called. Throws nothing.
 */
export const exchange = (
  session: ClientHttp2Session,
  { path, headers, body }: Http2Request,
  ended: (end: StreamEnd) => void,
): (() => void) => {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  } catch (error) {
    queueMicrotask(contained(() => ended(unsent(error))));
    return () => undefined;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let status = 0;
  let received: IncomingHttpHeaders = {};
  let isWhole = false;
  let failure: unknown;

  stream.on(
    'response',
    contained((answer, flags) => {
      received = answer;
      status = answer[':status'] ?? 0;
      isWhole = (flags & END_STREAM) !== 0;
    }),
  );
  stream.on(
    'data',
    contained((chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) {
        chunks.push(chunk);
        return;
      }
      isWhole = true;
      chunks.length = 0;
      stream.close(constants.NGHTTP2_CANCEL);
    }),
  );
  // After a broken connection Node ends its streams as if their answers were complete; only the session has the error.
  stream.on(
    'end',
    contained(() => {
      isWhole ||= !session.destroyed && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    }),
  );
  stream.on(
    'error',
    contained((error) => {
      failure = error;
    }),
  );
  stream.on(
    'close',
    contained(() => {
      if (status !== 0 && isWhole) {
        ended({
          kind: 'answered',
          answer: { status, headers: received, body: Buffer.concat(chunks).toString('utf8') },
        });
      } else if (status === 0 && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) ended({ kind: 'refused' });
      else if (failure === undefined) ended({ kind: 'lost', code: 'unanswered', streamId: stream.id ?? null });
      else if (UNSENT.has(errorCode(failure))) ended({ kind: 'refused' });
      else ended({ kind: 'lost', code: errorCode(failure), streamId: stream.id ?? null });
    }),
  );
  stream.end(body);
  return () => stream.close(constants.NGHTTP2_CANCEL);
};
