import {
  BeckonError,
  type BodyShape,
  CALLBACK_START_BYTES,
  type CallbackBody,
  parseJson,
  payloadTooLarge,
  validationError,
} from '@beckon/core';
import type { RequestView } from '../request.ts';

/** `application/json` and types such as `application/cloudevents+json`, with any parameters. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(?:;|$)/i;
const TEXT_TYPE = /^text\/plain[ \t]*(?:;|$)/i;

const unsupported = (message: string): BeckonError => new BeckonError('UNSUPPORTED_MEDIA_TYPE', message);

const checkEncoding = (encoding: string | undefined): void => {
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return;
  throw unsupported(
    'Unsupported Content-Encoding. Send the body uncompressed (identity), without gzip, br or deflate.',
  );
};

const checkType = (type: string | undefined, allowsText: boolean): void => {
  if (type !== undefined && (JSON_TYPE.test(type) || (allowsText && TEXT_TYPE.test(type)))) return;
  throw unsupported(`Content-Type must be application/json${allowsText ? ' or text/plain' : ''}.`);
};

/**
 * Refuses a request whose body is not JSON as it stands.
 *
 * @throws BeckonError UNSUPPORTED_MEDIA_TYPE
 */
export const requireJson = ({ header }: Pick<RequestView, 'header'>): void => {
  checkEncoding(header('content-encoding'));
  checkType(header('content-type'), false);
};

/**
 * A body read in two steps, for routes that check its beginning before they need the rest.
 *
 * @param leftMs time left for reading, at each step
 * @throws (rejects with) BeckonError PAYLOAD_TOO_LARGE, DEADLINE_EXCEEDED, VALIDATION_ERROR if the client aborted it
 */
export const stagedBody = (request: RequestView, maxBytes: number, leftMs: () => number): CallbackBody => ({
  start: async () => {
    if (Number(request.header('content-length')) > maxBytes) throw payloadTooLarge(maxBytes);
    return request.readBody(maxBytes, leftMs(), CALLBACK_START_BYTES);
  },
  whole: () => request.readBody(maxBytes, leftMs()),
});

/**
 * The parsed body and its bytes.
 *
 * @param maxBytes a larger Content-Length is refused before anything is read
 * @param allowsText also takes `text/plain` that contains JSON
 * @param withinMs time for reading
 * @param shape see `parseJson`
 * @throws BeckonError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR for an empty body and what
 * `parseJson` refuses, DEADLINE_EXCEEDED
 */
export const readJson = async (
  request: RequestView,
  maxBytes: number,
  allowsText: boolean,
  withinMs: number,
  shape?: BodyShape,
): Promise<{ readonly value: unknown; readonly bytes: Uint8Array }> => {
  if (Number(request.header('content-length')) > maxBytes) throw payloadTooLarge(maxBytes);
  checkEncoding(request.header('content-encoding'));
  checkType(request.header('content-type'), allowsText);
  const bytes = await request.readBody(maxBytes, withinMs);
  if (bytes.byteLength === 0) throw validationError({ body: ['is required'] });
  return { value: parseJson(bytes, shape), bytes };
};
