// What the dashboard shows and what keys do, without a terminal. Every text that leaves this file is clean.

import { clean } from '../text.ts';
import type { Delivery, Reading } from './reading.ts';

export const PANELS = ['throughput', 'queues', 'providers', 'webhooks', 'failures', 'limits'] as const;
export type Panel = (typeof PANELS)[number];

/** Readings that are kept; ours: a minute of them. */
const KEPT = 60;
const BARS = '▁▂▃▄▅▆▇█';

export type Model = {
  /** Oldest first. */
  readonly readings: readonly Reading[];
  readonly panel: Panel;
  readonly isPaused: boolean;
  /** Null: none is being typed, and `filter` counts. */
  readonly typing: string | null;
  readonly filter: string;
  readonly selected: number;
  readonly isDetailed: boolean;
  /** The keys are shown in place of the panels. */
  readonly isHelping: boolean;
  /** What was done last; null: nothing. */
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

/** What keys were pressed that came as one text, as a busy terminal hands them over. Throws nothing. */
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
  ['enter', 'show long rows whole; again: cut them'],
  ['/', 'filter rows; enter keeps the filter, esc clears it'],
  ['esc', 'close these keys, or clear filter and detail'],
  ['p', 'pause; again: go on'],
  ['r', 'replay the selected delivery, in panel webhooks'],
];

/** The model after something happened. Throws nothing. */
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

/** Figures as bars of eight heights; the highest is full. Throws nothing. */
export const sparkline = (figures: readonly number[]): string => {
  const most = Math.max(1, ...figures);
  return figures.map((one) => BARS[Math.round((Math.max(0, one) / most) * (BARS.length - 1))]).join('');
};

/** Messages a second of each channel that the newest reading has, over all projects. */
const paceLines = (readings: readonly Reading[]): string[] => {
  const channels = [...new Set(readings.at(-1)?.sends.map(({ channel }) => channel))];
  return channels.map((channel) => {
    const paces = readings.map(({ sends }) =>
      sends.reduce((sum, one) => sum + (one.channel === channel ? one.perSecond : 0), 0),
    );
    return `${channel}/s  ${(paces.at(-1) ?? 0).toFixed(1)}  ${sparkline(paces)}`;
  });
};

const milliseconds = (ms: number): string => (ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1_000)} s`);

const attemptOf = ({ nextAttemptAt }: Delivery, now: Date): string =>
  nextAttemptAt === null
    ? 'given up'
    : `again in ${Math.max(0, Math.ceil((nextAttemptAt.getTime() - now.getTime()) / 1_000))} s`;

/** By how much a count grew a second between one reading and the next. */
const rates = (readings: readonly Reading[], countOf: (reading: Reading) => number): number[] =>
  readings.slice(1).map((reading, index) => {
    const before = readings[index];
    const seconds = before ? (reading.at.getTime() - before.at.getTime()) / 1_000 : 0;
    // Of a new month, or a service that was started again, it begins at 0.
    return before && seconds > 0 ? Math.max(0, countOf(reading) - countOf(before)) / seconds : 0;
  });

const refusedOf = ({ refusals }: Reading): number => (refusals ?? []).reduce((sum, { count }) => sum + count, 0);

const refusedLines = (readings: readonly Reading[], now: Reading): string[] => {
  if (now.refusals === null) return ['refused calls are told where metrics.port is set and the service is up'];
  const all = rates(readings, refusedOf);
  return [
    `refused/s  ${(all.at(-1) ?? 0).toFixed(1)}  ${sparkline(all)}  ${refusedOf(now)} calls since the service began`,
    ...now.refusals.map(({ route, count }) => `${route}  ${count} refused`),
  ];
};

const linesOf = (model: Model, panel: Panel, now: Reading): string[] => {
  switch (panel) {
    case 'throughput': {
      const all = rates(model.readings, ({ events }) => events);
      return [
        `events/s  ${(all.at(-1) ?? 0).toFixed(1)}  ${sparkline(all)}`,
        ...paceLines(model.readings),
        ...now.sends.map(
          ({ project, channel, sent, windowMinutes }) => `${project} ${channel}  ${sent} sent in ${windowMinutes} min`,
        ),
      ];
    }
    case 'queues':
      return now.queues.map(
        ({ name, due, oldestSeconds, claimed, scheduled, expired }) =>
          `${name}  ${due} due, the first for ${oldestSeconds} s, ${claimed} in hand, ${scheduled} later` +
          (expired > 0 ? `, ${expired} left by workers` : ''),
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

/** The lines of a panel that fit the filter. Throws nothing. */
export const rowsOf = (model: Model, panel: Panel): string[] => {
  const now = model.readings.at(-1);
  const wanted = (model.typing ?? model.filter).toLowerCase();
  return now
    ? linesOf(model, panel, now)
        .map(clean)
        .filter((line) => line.toLowerCase().includes(wanted))
    : [];
};

/** The delivery that is selected, to be told again; null: none is. */
export const selectedDelivery = (model: Model): Delivery | null => {
  const line = model.panel === 'webhooks' ? rowsOf(model, 'webhooks')[model.selected] : undefined;
  const now = model.readings.at(-1);
  if (line === undefined || !now) return null;
  const all = linesOf(model, 'webhooks', now).map(clean);
  const wanted = (model.typing ?? model.filter).toLowerCase();
  const fitting = now.deliveries.filter((_, at) => all[at]?.toLowerCase().includes(wanted));
  return fitting[model.selected] ?? null;
};
