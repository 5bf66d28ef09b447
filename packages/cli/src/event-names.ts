// Names of webhook events where a command asks for them: their list in --help, and the nearest one to a misspelt name.

import type { Page, PageQuery, WebhookInput } from '@beckon/core';
import { type Argument, InvalidArgumentError, type Option } from 'commander';
import { CliError, EXIT } from './exit-codes.ts';
import { isId } from './ids.ts';
import { collect } from './listing.ts';
import { EVENT_NAMES } from './names.ts';
import { didYouMean, nearest } from './suggest.ts';

type EventName = WebhookInput['events'][number];
type ListEvents = (query: PageQuery) => Promise<Page<{ readonly eventType: string }>>;

/** Type of what `webhooks test` posts. */
const TEST_EVENT = 'webhook.test';
/** Events whose names a wrong name is compared with. Chosen: one full page. */
const MAX_LOOKED_AT = 200;
const LINE_WIDTH = 78;
/** Heading of the names where names of programs are taken, too. */
export const OWN_EVENTS = 'Events of Beckon itself, beside those of your programs';

const isEventName = (name: string): name is EventName => EVENT_NAMES.some((one) => one === name);

const TAKERS = new WeakSet<Option | Argument>();

/** Marks an option or an argument whose value is an event name, or several between commas. Completion offers the names. */
export const namesEvents = <Taker extends Option | Argument>(taker: Taker): Taker => {
  TAKERS.add(taker);
  return taker;
};

/** True for what `namesEvents` marked. Throws nothing. */
export const takesEventNames = (taker: Option | Argument): boolean => TAKERS.has(taker);

/** Words as lines that fit a terminal, with commas between them. */
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

/** What `--help` of a command that takes event names shows below its options. */
export const eventNamesHelp = (heading = 'Event names'): string => `\n${heading}:\n${wrapped(EVENT_NAMES)}`;

const refused = (name: string, also: readonly string[] = []): CliError => {
  const known = [...EVENT_NAMES, ...also];
  return new CliError(EXIT.invalid, `Unknown event "${name}"${didYouMean(name, known)}. Allowed: ${known.join(', ')}.`);
};

/** The value of `--events`: names between commas. Throws CliError invalid, or InvalidArgumentError. */
export const eventNamesOf = (text: string): WebhookInput['events'] =>
  text.split(',').map((part) => {
    const name = part.trim();
    if (name === '') throw new InvalidArgumentError('It is event names with commas between them.');
    if (!isEventName(name)) throw refused(name);
    return name;
  });

/** The value of an option that takes one name of a delivery. Throws CliError invalid. */
export const deliveredEventOf = (name: string): string => {
  if (!isEventName(name) && name !== TEST_EVENT) throw refused(name, [TEST_EVENT]);
  return name;
};

/**
 * A sentence about a name that no event has, such as `No event "push.openned" (did you mean push.opened?).`; null where no
 * known name is near. Names of programs are free, so such a name is no error.
 */
export const unknownEventNote = (name: string, seen: readonly string[] = []): string | null => {
  const known = [...EVENT_NAMES, ...seen];
  const near = known.includes(name) || name.includes('*') ? undefined : nearest(name, known);
  return near === undefined ? null : `No event "${name}" (did you mean ${near}?).`;
};

const quoted = (name: string): string => (/^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

/** What is said where a command that takes the id of an event was given something else; null: it looks like an id. */
export const notEventId = async (given: string, environment: string, list: ListEvents): Promise<CliError | null> => {
  if (isId(given)) return null;
  const { rows } = await collect(MAX_LOOKED_AT, list);
  const names = [...new Set([...rows.map(({ eventType }) => eventType), ...EVENT_NAMES])];
  const name = names.includes(given) ? given : nearest(given, names);
  const near = name === undefined || name === given ? '' : ` (did you mean the event ${name}?)`;
  return new CliError(EXIT.negative, `"${given}" is not the id of an event${near}.`, {
    code: 'NOT_FOUND',
    hint:
      name === undefined
        ? `List events: beckon events list --env ${environment}`
        : `List events of this name: beckon events tail --type ${quoted(name)} --since 1d --env ${environment}`,
  });
};
