// Messages of any channel as text. The content is the input of the transport without internal ids.

import type { Channel } from '@beckon/core';
import { isObject } from './is-object.ts';
import { clean } from './text.ts';

/** A rendered message of the outbox or of a dry run. */
export type Content = Readonly<Record<string, unknown>>;

/** Maximum characters of text in a table on a terminal. Chosen: fits a wide screen beside id and address. */
const MAX_SHOWN = 60;
/** Characters of a short token. Chosen: enough to distinguish devices. */
const TOKEN_END = 8;

/** The first of these fields with text; null: none. */
const textIn = (content: Content, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = content[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
};

/** The text that represents a message in a list: subject, title or body; null: it has no text. */
export const titleOf = (content: Content): string | null => textIn(content, ['subject', 'title', 'body', 'text']);

/** Text for a table on a terminal: one line, truncated. */
export const shortText = (text: string): string => {
  const line = clean(text);
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
};

const endpointOf = (token: string): URL | null => {
  const [, endpoint = ''] = /"endpoint"\s*:\s*"([^"]+)"/.exec(token) ?? [];
  return URL.parse(endpoint);
};

/**
 * An address for a table on a terminal. Email addresses and numbers stay whole. A device token becomes its end, a browser
 * subscription the push service and the end of its endpoint.
 */
export const shortAddress = (channel: Channel, address: string | null): string | null => {
  if (address === null || channel !== 'push') return address;
  const endpoint = endpointOf(address);
  if (endpoint) return `${endpoint.host} …${endpoint.href.slice(-TOKEN_END)}`;
  return address.length > TOKEN_END ? `…${address.slice(-TOKEN_END)}` : address;
};

/** Body fields; the first one with text is shown below the other fields. */
const BODIES = ['text', 'body', 'html', 'bodyHtml'];
/** Fields that are shown elsewhere: bodies, the address, and headers one by one. */
const NOT_FIELDS = new Set([...BODIES, 'envelope', 'headers', 'token']);
/** `to` is a mailbox in an email, with a name, and a plain address in an SMS, which is already shown. */
const isAddress = (name: string, value: unknown): boolean => name === 'to' && typeof value === 'string';

const isMailbox = (value: unknown): value is { email: string; name: string | null } =>
  isObject(value) && typeof value['email'] === 'string' && 'name' in value;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

const fieldText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (!isMailbox(value)) return JSON.stringify(value);
  return value.name === null ? value.email : `${value.name} <${value.email}>`;
};

const actionText = (action: unknown): string => {
  if (!isObject(action)) return fieldText(action);
  const { id, title, url } = action;
  return `[${fieldText(title)}] ${fieldText(id)}${typeof url === 'string' ? ` ${url}` : ''}`;
};

const linesOf = (name: string, value: unknown): string[] => {
  if (name === 'actions' && Array.isArray(value)) return value.map((action) => `action: ${actionText(action)}`);
  if (name === 'data' && isObject(value))
    return Object.entries(value).map(([key, item]) => `data.${key}: ${fieldText(item)}`);
  if (name === 'mediaUrls' && Array.isArray(value)) return value.map((url) => `media: ${fieldText(url)}`);
  return [`${name}: ${fieldText(value)}`];
};

const hasVisibleText = (content: Content): boolean => textIn(content, [...BODIES, 'title']) !== null;

/** The fields of a message, a blank line and its body. Not sanitized. */
export const contentLines = (content: Content): string[] => {
  const { headers } = content;
  const fields = Object.entries(content).filter(
    ([name, value]) => !NOT_FIELDS.has(name) && !isAddress(name, value) && !isEmpty(value),
  );
  const placeholder = hasVisibleText(content) ? '(no body)' : '(no visible text, only data for the app)';
  return [
    ...fields.flatMap(([name, value]) => linesOf(name, value)),
    ...(isObject(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${fieldText(value)}`) : []),
    '',
    textIn(content, BODIES) ?? placeholder,
  ];
};

/** The HTML body of a message; null: it has none. */
export const htmlOf = (content: Content): string | null => textIn(content, ['html', 'bodyHtml']);
