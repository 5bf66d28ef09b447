// Messages of any channel as text for people. Content is what a transport was given, without the message's own ids.

import type { Channel } from '@beckon/core';
import { isObject } from './is-object.ts';
import { clean } from './text.ts';

/** A rendered message, as the sandbox kept it or as a dry run shows it. */
export type Content = Readonly<Record<string, unknown>>;

/** Characters of a text that a table shows to a person. Ours: beside an id and an address it fits a wide screen. */
const MAX_SHOWN = 60;
/** Characters that tell devices apart; the rest of a token helps nobody. Ours. */
const TOKEN_END = 8;

/** The first of these members that is a text with something in it. */
const textIn = (content: Content, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = content[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
};

/** What of a message stands for it in a list: its subject, its title, or else its text; null: it shows nothing. */
export const titleOf = (content: Content): string | null => textIn(content, ['subject', 'title', 'body', 'text']);

/** A text as a person's table shows it: one line, and a long one cut. */
export const shortText = (text: string): string => {
  const line = clean(text);
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
};

const endpointOf = (token: string): URL | null => {
  const [, endpoint = ''] = /"endpoint"\s*:\s*"([^"]+)"/.exec(token) ?? [];
  return URL.parse(endpoint);
};

/**
 * An address as a person's table shows it. Mail addresses and numbers stay; of a device's token the end is left, and of
 * a browser's subscription the push service and the end of its endpoint.
 */
export const shortAddress = (channel: Channel, address: string | null): string | null => {
  if (address === null || channel !== 'push') return address;
  const endpoint = endpointOf(address);
  if (endpoint) return `${endpoint.host} …${endpoint.href.slice(-TOKEN_END)}`;
  return address.length > TOKEN_END ? `…${address.slice(-TOKEN_END)}` : address;
};

/** Bodies, of which the first that a message has is shown below its fields. */
const BODIES = ['text', 'body', 'html', 'bodyHtml'];
/** Shown elsewhere: bodies below, where it goes as its address, headers one by one. */
const NOT_FIELDS = new Set([...BODIES, 'envelope', 'headers', 'token']);
/** Of mail this is a mailbox, and may name more than the address; of a text message it is the address. */
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

const hasSomethingToShow = (content: Content): boolean => textIn(content, [...BODIES, 'title']) !== null;

/** The fields of a message one by one, a blank line, and its body. Not cleaned: it may hold anything. */
export const contentLines = (content: Content): string[] => {
  const { headers } = content;
  const fields = Object.entries(content).filter(
    ([name, value]) => !NOT_FIELDS.has(name) && !isAddress(name, value) && !isEmpty(value),
  );
  const nothing = hasSomethingToShow(content) ? '(no body)' : '(nothing to show: data for the app alone)';
  return [
    ...fields.flatMap(([name, value]) => linesOf(name, value)),
    ...(isObject(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${fieldText(value)}`) : []),
    '',
    textIn(content, BODIES) ?? nothing,
  ];
};

/** The HTML body of a message; null where it has none. */
export const htmlOf = (content: Content): string | null => textIn(content, ['html', 'bodyHtml']);
