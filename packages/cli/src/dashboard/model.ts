// State of the dashboard and the effect of keys, without a terminal. All text that leaves this file is sanitized.

import { clean } from '../text.ts';
import type { Delivery, Reading } from './reading.ts';

export const PANELS = ['throughput', 'queues', 'providers', 'webhooks', 'failures', 'limits'] as const;
export type Panel = (typeof PANELS)[number];

/** Number of readings kept. Chosen: one minute at the default interval. */
const KEPT = 60;
const BARS = '▁▂▃▄▅▆▇█';

export type Model = {
  /** Oldest first. */
  readonly readings: readonly Reading[];
  readonly panel: Panel;
  readonly isPaused: boolean;
  /** The filter being typed; null: none, and `filter` applies. */
  readonly typing: string | null;
  readonly filter: string;
  readonly selected: number;
  readonly isDetailed: boolean;
  /** True while the list of keys replaces the panels. */
  readonly isHelping: boolean;
  /** Result of the last action; null: none. */
  readonly note: string | null;
};

export const emptyModel: Model = {
  readings: [],
  panel: 'throughput',
  isPaused: false,
  typing: null,
  filter: '',
  selected: 0,
  isDetailed: false,
  isHelping: false,
  note: null,
};

export type Key = 'tab' | 'enter' | 'escape' | 'backspace' | 'up' | 'down';
export type Action =
  | { readonly kind: 'read'; readonly reading: Reading }
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'note'; readonly note: string };

const KEYS: Readonly<Record<string, Key>> = { '\r': 'enter', '\t': 'tab', '\u007f': 'backspace' };

/** Splits text into key presses: a busy terminal delivers several at once. Throws nothing. */
export const typedAs = (text: string): Action[] =>
  [...text].map((one): Action => {
    const key = KEYS[one];
    return key === undefined ? { kind: 'text', text: one } : { kind: 'key', key };
  });

const typed = (model: Model, typing: string, action: Action): Model => {
  if (action.kind === 'text') return { ...model, typing: `${typing}${clean(action.text)}`, selected: 0 };
  if (action.kind !== 'key') return model;
  switch (action.key) {
    case 'enter':
      return { ...model, filter: typing, typing: null };
    case 'escape':
      return { ...model, filter: '', typing: null };
    case 'backspace':
      return { ...model, typing: typing.slice(0, -1) };
    default:
      return model;
  }
};

const pressed = (model: Model, key: Key): Model => {
  switch (key) {
    case 'tab':
      return {
        ...model,
        panel: PANELS[(PANELS.indexOf(model.panel) + 1) % PANELS.length] ?? 'throughput',
        selected: 0,
        isDetailed: false,
      };
    case 'up':
      return { ...model, selected: Math.max(0, model.selected - 1) };
    case 'down':
      return { ...model, selected: Math.min(Math.max(0, rowsOf(model, model.panel).length - 1), model.selected + 1) };
    case 'enter':
      return { ...model, isDetailed: !model.isDetailed };
    case 'escape':
      return { ...model, isDetailed: false, filter: '' };
    case 'backspace':
      return model;
  }
};

/** Every key of the dashboard and what it does. */
export const KEY_HELP: readonly (readonly [key: string, what: string])[] = [
  ['q', 'quit'],
  ['?', 'show or hide these keys'],
  ['tab', 'next panel'],
  ['↑ ↓', 'select a row'],
  ['enter', 'wrap or truncate long rows'],
  ['/', 'filter rows; enter keeps the filter, esc clears it'],
  ['esc', 'close this list, or clear filter and detail'],
  ['p', 'pause or resume'],
  ['r', 'replay the selected delivery (panel webhooks)'],
];

/** The model after an action. Throws nothing. */
export const after = (model: Model, action: Action): Model => {
  if (action.kind === 'note') return { ...model, note: clean(action.note) };
  if (action.kind === 'read')
    return model.isPaused ? model : { ...model, readings: [...model.readings, action.reading].slice(-KEPT) };
  if (model.typing !== null) return typed(model, model.typing, action);
  if (action.kind === 'text' && action.text === '?') return { ...model, isHelping: !model.isHelping };
  if (model.isHelping && action.kind === 'key' && action.key === 'escape') return { ...model, isHelping: false };
  if (action.kind === 'key') return pressed(model, action.key);
  if (action.text === 'p') return { ...model, isPaused: !model.isPaused };
  return action.text === '/' ? { ...model, typing: '' } : model;
};

/** Values as bars of eight heights; the maximum is a full bar. Throws nothing. */
export const sparkline = (figures: readonly number[]): string => {
  const most = Math.max(1, ...figures);
  return figures.map((one) => BARS[Math.round((Math.max(0, one) / most) * (BARS.length - 1))]).join('');
};

/** Messages per second of each channel over all projects. */
const sendRateLines = (readings: readonly Reading[]): string[] => {
  const channels = [...new Set(readings.at(-1)?.sends.map(({ channel }) => channel))];
  return channels.map((channel) => {
    const sendRates = readings.map(({ sends }) =>
      sends.reduce((sum, one) => sum + (one.channel === channel ? one.perSecond : 0), 0),
    );
    return `${channel}/s  ${(sendRates.at(-1) ?? 0).toFixed(1)}  ${sparkline(sendRates)}`;
  });
};

const milliseconds = (ms: number): string => (ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`);

const attemptOf = ({ nextAttemptAt }: Delivery, now: Date): string =>
  nextAttemptAt === null
    ? 'no more attempts'
    : `retry in ${Math.max(0, Math.ceil((nextAttemptAt.getTime() - now.getTime()) / 1_000))} s`;

/** Growth of a count per second between consecutive readings. */
const rates = (readings: readonly Reading[], countOf: (reading: Reading) => number): number[] =>
  readings.slice(1).map((reading, index) => {
    const before = readings[index];
    const seconds = before ? (reading.at.getTime() - before.at.getTime()) / 1_000 : 0;
    // Counts restart at 0 with a new month or a restarted server.
    return before && seconds > 0 ? Math.max(0, countOf(reading) - countOf(before)) / seconds : 0;
  });

const refusedOf = ({ refusals }: Reading): number => (refusals ?? []).reduce((sum, { count }) => sum + count, 0);

const refusedLines = (readings: readonly Reading[], now: Reading): string[] => {
  if (now.refusals === null) return ['rate-limited requests: unknown; set metrics.port and start the server'];
  const all = rates(readings, refusedOf);
  return [
    `rate-limited/s  ${(all.at(-1) ?? 0).toFixed(1)}  ${sparkline(all)}  ${refusedOf(now)} requests since the server started`,
    ...now.refusals.map(({ route, count }) => `${route}  ${count} rate-limited`),
  ];
};

const linesOf = (model: Model, panel: Panel, now: Reading): string[] => {
  switch (panel) {
    case 'throughput': {
      const all = rates(model.readings, ({ events }) => events);
      return [
        `events/s  ${(all.at(-1) ?? 0).toFixed(1)}  ${sparkline(all)}`,
        ...sendRateLines(model.readings),
        ...now.sends.map(
          ({ project, channel, sent, windowMinutes }) => `${project} ${channel}  ${sent} sent in ${windowMinutes} min`,
        ),
      ];
    }
    case 'queues':
      return now.queues.map(
        ({ name, due, oldestSeconds, claimed, scheduled, expired }) =>
          `${name}  ${due} due (oldest ${oldestSeconds} s), ${claimed} claimed, ${scheduled} scheduled` +
          (expired > 0 ? `, ${expired} with an expired lease` : ''),
      );
    case 'providers':
      return now.providers.map(
        ({ project, provider, sent, failed, p95Ms }) =>
          `${project} ${provider}  ${sent} sent, ${failed} failed` +
          (p95Ms === null ? '' : `, p95 ${milliseconds(p95Ms)}`),
      );
    case 'webhooks':
      return now.deliveries.map(
        (one) => `${one.host}  ${one.eventType}  ${one.reason ?? 'failed'}  ${attemptOf(one, now.at)}`,
      );
    case 'failures':
      return now.failures.map(({ project, reason, count }) => `${project}  ${reason}  ${count}`);
    case 'limits':
      return [
        ...now.usage.map(({ org, plan, events }) => `${org}  ${plan}  ${events} events this month`),
        ...refusedLines(model.readings, now),
      ];
  }
};

/** The lines of a panel that match the filter. Throws nothing. */
export const rowsOf = (model: Model, panel: Panel): string[] => {
  const now = model.readings.at(-1);
  const filter = (model.typing ?? model.filter).toLowerCase();
  return now
    ? linesOf(model, panel, now)
        .map(clean)
        .filter((line) => line.toLowerCase().includes(filter))
    : [];
};

/** The selected webhook delivery, for a replay; null: none. */
export const selectedDelivery = (model: Model): Delivery | null => {
  const line = model.panel === 'webhooks' ? rowsOf(model, 'webhooks')[model.selected] : undefined;
  const now = model.readings.at(-1);
  if (line === undefined || !now) return null;
  const all = linesOf(model, 'webhooks', now).map(clean);
  const filter = (model.typing ?? model.filter).toLowerCase();
  const matching = now.deliveries.filter((_, at) => all[at]?.toLowerCase().includes(filter));
  return matching[model.selected] ?? null;
};
