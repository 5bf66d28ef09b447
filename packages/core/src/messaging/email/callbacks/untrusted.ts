// What a provider posts is JSON of whoever can post: everything is looked at before it is used, and nothing here throws.

import type { CallbackRequest } from '../../callbacks/reader.ts';
import { readUntrusted } from '../../callbacks/untrusted-json.ts';

export type Fields = { readonly [key: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Null for what is no text, and for an empty one. What a database cannot hold of it is U+FFFD. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replaceAll('\0', '\ufffd').toWellFormed() : null;

/** Times that a message of ours can have: no other is believed. */
const FIRST_MS = Date.UTC(2000, 0);
const LAST_MS = Date.UTC(2200, 0);

const within = (ms: number): Date | null => (ms >= FIRST_MS && ms <= LAST_MS ? new Date(ms) : null);

/** Of ISO 8601; null: no time. */
export const momentOf = (value: unknown): Date | null => {
  const text = textOf(value);
  return text === null ? null : within(Date.parse(text));
};

/** Of seconds since 1970, as a number or as text; null: no time. */
export const momentOfSeconds = (value: unknown): Date | null => {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' ? within(Math.floor(seconds * 1_000)) : null;
};

/** Our id as it came back in a custom argument, which some providers give as a list of one. */
export const messageIdOf = (value: unknown): string | null => textOf(Array.isArray(value) ? value[0] : value);

/**
 * The JSON of a request's body, read once however often it is asked for.
 *
 * @param maxValues see `readUntrusted`
 */
export const bodyReader = (maxValues?: number): ((request: CallbackRequest) => unknown) => {
  const read = new WeakMap<CallbackRequest, { readonly body: unknown }>();
  return (request) => {
    const cached = read.get(request);
    if (cached) return cached.body;
    const body = readUntrusted(request.rawBody, maxValues);
    read.set(request, { body });
    return body;
  };
};
