// Names of webhook events for commands: their list in --help, and suggestions for misspelled names.

import type { Page, PageQuery, WebhookInput } from '@beckon/core';
import { type Argument, InvalidArgumentError, type Option } from 'commander';
import { CliError, EXIT } from './exit-codes.ts';
import { isId } from './ids.ts';
import { collect } from './listing.ts';
import { EVENT_NAMES } from './names.ts';
import { didYouMean, nearest } from './suggest.ts';

type EventName = WebhookInput['events'][number];
type ListEvents = (query: PageQuery) => Promise<Page<{ readonly eventType: string }>>;

/** Event type of `webhooks test`. */
const TEST_EVENT = 'webhook.test';
/** Recent events that suggestions consider. Chosen: one full page. */
const MAX_SUGGESTED_FROM = 200;
const LINE_WIDTH = 78;
/** Heading of the names for commands that also accept custom event names. */
export const OWN_EVENTS = 'Event names of Beckon, besides your own';

const isEventName = (name: string): name is EventName => EVENT_NAMES.some((one) => one === name);

const MARKED = new WeakSet<Option | Argument>();

/** Marks an option or argument whose value is one or several comma-separated event names, for completion. */
export const namesEvents = <Parameter extends Option | Argument>(parameter: Parameter): Parameter => {
  MARKED.add(parameter);
  return parameter;
};

/** True if `namesEvents` marked the option or argument. Throws nothing. */
export const takesEventNames = (parameter: Option | Argument): boolean => MARKED.has(parameter);

/** Comma-separated words in lines that fit a terminal. */
const wrapped = (words: readonly string[]): string => {
  const lines: string[] = [];
  let line = ' ';
  for (const [at, word] of words.entries()) {
    const piece = at === words.length - 1 ? word : `${word},`;
    if (line.length + piece.length + 1 > LINE_WIDTH) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${piece}`;
  }
  return [...lines, line].join('\n');
};

/** The list of event names below the options in `--help`. */
export const eventNamesHelp = (heading = 'Event names'): string => `\n${heading}:\n${wrapped(EVENT_NAMES)}`;

const refused = (name: string, also: readonly string[] = []): CliError => {
  const known = [...EVENT_NAMES, ...also];
  return new CliError(EXIT.invalid, `Unknown event "${name}"${didYouMean(name, known)}. Allowed: ${known.join(', ')}.`);
};

/** Parses `--events`, comma-separated names. Throws CliError invalid, or InvalidArgumentError. */
export const eventNamesOf = (text: string): WebhookInput['events'] =>
  text.split(',').map((part) => {
    const name = part.trim();
    if (name === '') throw new InvalidArgumentError('Pass comma-separated event names.');
    if (!isEventName(name)) throw refused(name);
    return name;
  });

/** Parses the event type of a delivery. Throws CliError invalid. */
export const deliveredEventOf = (name: string): string => {
  if (!isEventName(name) && name !== TEST_EVENT) throw refused(name, [TEST_EVENT]);
  return name;
};

/**
 * A note about an unknown event name, such as `No event "push.openned" (did you mean push.opened?).`; null without a
 * similar name. Custom event names are free, so an unknown name is no error.
 */
export const unknownEventNote = (name: string, seen: readonly string[] = []): string | null => {
  const known = [...EVENT_NAMES, ...seen];
  const near = known.includes(name) || name.includes('*') ? undefined : nearest(name, known);
  return near === undefined ? null : `No event "${name}" (did you mean ${near}?).`;
};

const quoted = (name: string): string => (/^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

/** The error for text that is not an event id; null: it looks like one. */
export const notEventId = async (text: string, environment: string, list: ListEvents): Promise<CliError | null> => {
  if (isId(text)) return null;
  const { rows } = await collect(MAX_SUGGESTED_FROM, list);
  const names = [...new Set([...rows.map(({ eventType }) => eventType), ...EVENT_NAMES])];
  const name = names.includes(text) ? text : nearest(text, names);
  const near = name === undefined || name === text ? '' : ` (did you mean the event ${name}?)`;
  return new CliError(EXIT.negative, `"${text}" is not an event id${near}.`, {
    code: 'NOT_FOUND',
    hint:
      name === undefined
        ? `List events: beckon events list --env ${environment}`
        : `List events of this name: beckon events tail --type ${quoted(name)} --since 1d --env ${environment}`,
  });
};
