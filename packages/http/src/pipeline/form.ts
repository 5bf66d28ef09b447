import { payloadTooLarge } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { Form } from '../route.ts';

const URLENCODED = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data[ \t]*;/i;

/** Maximum fields of a form. Chosen: a page shows a few hundred categories. A form with more counts as empty. */
const MAX_FIELDS = 1_000;
const FIELD_END = Buffer.from('&');
const PART_START = Buffer.from('\n--');

/** Counts separators before a form is parsed: 64 KB of `a&` hold 32,000 fields. */
const hasTooManyFields = (bytes: Uint8Array, separator: Uint8Array): boolean => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1))
    if (++count >= MAX_FIELDS) return true;
  return false;
};

const ofParts = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Form> => {
  const form = new URLSearchParams();
  try {
    const parts = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    for (const [name, value] of parts) if (typeof value === 'string') form.append(name, value);
  } catch {
    // A malformed form counts as empty.
    return new URLSearchParams();
  }
  return form;
};

/**
 * The fields of a form, as a browser or a mail client sends it (RFC 8058 allows both encodings). Empty for any other
 * body, and for a form of more than 1,000 fields.
 *
 * @throws BeckonError PAYLOAD_TOO_LARGE, DEADLINE_EXCEEDED
 */
export const readForm = async (request: RequestView, maxBytes: number, withinMs: number): Promise<Form> => {
  if (Number(request.header('content-length')) > maxBytes) throw payloadTooLarge(maxBytes);
  const type = request.header('content-type') ?? '';
  const isParts = MULTIPART.test(type);
  if (!isParts && !URLENCODED.test(type)) return new URLSearchParams();
  const bytes = new Uint8Array(await request.readBody(maxBytes, withinMs));
  if (hasTooManyFields(bytes, isParts ? PART_START : FIELD_END)) return new URLSearchParams();
  return isParts ? ofParts(bytes, type) : new URLSearchParams(new TextDecoder().decode(bytes));
};
