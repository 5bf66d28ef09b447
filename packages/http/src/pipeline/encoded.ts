// Static texts, compressed once for each encoding and served with an ETag.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Answer } from './envelope.ts';

/** Content encodings, the smallest first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** Chosen: the last levels of Brotli take ten times as long for a few percent. */
const BROTLI_QUALITY = 9;
/** Characters of an ETag. */
const ETAG_LENGTH = 22;

/** An encoding and its weight as a client writes it, `gzip;q=0.5`. Source: RFC 9110, 12.4.2 and 12.5.3. */
const CODING = /^\s*([\w*!#$%&'+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/**
 * The encoding with the highest weight, among equals the smallest; `identity` if none is acceptable.
 *
 * @param header Accept-Encoding; absent: the plain text, although any encoding would be allowed
 */
export const encodingFor = (header: string | undefined): Encoding => {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').split(',')) {
    const [, name, weight = '1'] = CODING.exec(part) ?? [];
    if (name !== undefined) weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight));
  }
  // The plain text comes last unless the client names it.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0 : (weights.get('*') ?? -1));
  const [best = 'identity'] = ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return weightOf(best) > 0 ? best : 'identity';
};

/** A strong ETag of a text. Throws nothing. */
export const etagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, ETAG_LENGTH)}"`;

/** True if the client has this version. Source: RFC 9110, 13.1.2: a weak comparison. */
export const isKnownEtag = (header = '', etag = ''): boolean =>
  header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

const compressors: Readonly<Record<Encoding, (text: string) => Promise<Uint8Array<ArrayBuffer>>>> = {
  br: async (text) =>
    new Uint8Array(
      await promisify(brotliCompress)(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      }),
    ),
  gzip: async (text) => new Uint8Array(await promisify(gzip)(text, { level: 9 })),
  identity: async (text) => new Uint8Array(Buffer.from(text)),
};

/**
 * Serves one text to all clients; the first request for an encoding creates it. Each encoding has its own ETag, because
 * its bytes differ.
 *
 * @returns a function of the request's headers
 */
export const encodedText = (text: string, contentType: string) => {
  const made = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  const bytesOf = (encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = made.get(encoding) ?? compressors[encoding](text);
    made.set(encoding, bytes);
    return bytes;
  };
  const etag = etagOf(text);
  return async (header: (name: string) => string | undefined): Promise<Answer> => {
    const encoding = encodingFor(header('accept-encoding'));
    const own = encoding === 'identity' ? etag : etag.replace(/"$/, `-${encoding}"`);
    const headers = { ETag: own, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache' };
    if (isKnownEtag(header('if-none-match'), own)) return { status: 304, headers, body: '' };
    return {
      status: 200,
      headers: {
        ...headers,
        'Content-Type': contentType,
        ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
      },
      body: await bytesOf(encoding),
    };
  };
};
