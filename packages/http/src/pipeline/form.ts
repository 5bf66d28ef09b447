import { payloadTooLarge } from '@beckon/core';
import type { RequestView } from '../request.ts';
import type { Form } from '../route.ts';

const URLENCODED = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data[ \t]*;/i;

const ofParts = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Form> => {
  const form = new URLSearchParams();
  try {
    const parts = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    for (const [name, value] of parts) if (typeof value === 'string') form.append(name, value);
  } catch {
    // What is no form asks for nothing.
    return new URLSearchParams();
  }
  return form;
};

/**
 * The fields of a form, as a browser or a mail program sends it (RFC 8058 allows both ways); empty for anything else, as
 * whoever sends that wants nothing of us.
 *
 * @throws BeckonError PAYLOAD_TOO_LARGE, DEADLINE_EXCEEDED
 */
export const readForm = async (request: RequestView, maxBytes: number, withinMs: number): Promise<Form> => {
  if (Number(request.header('content-length')) > maxBytes) throw payloadTooLarge(maxBytes);
  const type = request.header('content-type') ?? '';
  const isParts = MULTIPART.test(type);
  if (!isParts && !URLENCODED.test(type)) return new URLSearchParams();
  const bytes = new Uint8Array(await request.readBody(maxBytes, withinMs));
  return isParts ? ofParts(bytes, type) : new URLSearchParams(new TextDecoder().decode(bytes));
};
