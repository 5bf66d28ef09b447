// Readers of untrusted JSON in callbacks. Every value is checked before use, and nothing throws.

import type { CallbackRequest } from '../../callbacks/reader.ts';
import { readUntrusted } from '../../callbacks/untrusted-json.ts';

export type Fields = { readonly [key: string]: unknown };

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object; empty for any other value. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** Null for an empty text and other types. Characters that a database cannot store become U+FFFD. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replaceAll('\0', '\ufffd').toWellFormed() : null;

/** Possible times of a message; other times are ignored. */
const FIRST_MS = Date.UTC(2000, 0);
const LAST_MS = Date.UTC(2200, 0);

const within = (ms: number): Date | null => (ms >= FIRST_MS && ms <= LAST_MS ? new Date(ms) : null);

/** Parses ISO 8601; null: no time. */
export const momentOf = (value: unknown): Date | null => {
  const text = textOf(value);
  return text === null ? null : within(Date.parse(text));
};

/** Parses Unix seconds, as number or text; null: no time. */
export const momentOfSeconds = (value: unknown): Date | null => {
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' ? within(Math.floor(seconds * 1_000)) : null;
};

/** Beckon's message id in a custom argument, which some providers return as a list of one. */
export const messageIdOf = (value: unknown): string | null => textOf(Array.isArray(value) ? value[0] : value);

/**
 * Makes a reader that parses the JSON body of a request once.
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
