// A test and its figures as text.

import type { AbTest, AbTestStats, AbTestVariantStats } from '@beckon/core';
import { relativeTime, shortId } from './cells.ts';
import { type Paint, toneOf } from './colour.ts';
import type { Io } from './io.ts';
import { type Column, type Line, tableText } from './output.ts';
import { fieldLines } from './scoped.ts';

type Screen = Pick<Io, 'stdout' | 'now'>;

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
const metricText = ({ type, eventType, windowHours }: AbTest['metric']): string =>
  `${type === 'event' ? `event ${eventType}` : type} within ${windowHours} h`;

/** Columns of a list of tests. */
export const abTestColumns = ({ stdout, now }: Screen): readonly Column<AbTest>[] => [
  ['NAME', ({ name }) => name],
  ['CHANNEL', ({ channel }) => channel],
  ['STATUS', ({ status }) => status, toneOf],
  ['VARIANTS', ({ variants }) => variants.map(({ key, weight }) => `${key} ${weight}`).join(', ')],
  ['WINNER', ({ winnerKey }) => winnerKey],
  ['STARTED', ({ startedAt }) => (stdout.isTTY ? relativeTime(startedAt, now()) : startedAt.toISOString())],
  ['ID', ({ id }) => (stdout.isTTY ? shortId(id) : id)],
];

/** One test, with what its variants say. */
export const abTestLines = (test: AbTest): string[] => [
  ...fieldLines([
    ['id', test.id],
    ['name', test.name],
    ['channel', test.channel],
    ['environment', test.environment],
    ['status', test.status],
    ['metric', metricText(test.metric)],
    ['winner', test.winnerKey],
    ['started', test.startedAt.toISOString()],
    ['first message', test.assignedAt?.toISOString() ?? null],
    ['completed', test.completedAt?.toISOString() ?? null],
  ]),
  `variants: ${test.variants.length}`,
  ...test.variants.map(({ key, weight, ...said }) => `  ${key}  ${weight} %  ${JSON.stringify(said)}`),
];

const columns: readonly Column<AbTestVariantStats>[] = [
  ['VARIANT', ({ key }) => key],
  ['PEOPLE', ({ assigned }) => assigned],
  ['REACHED', ({ reached }) => reached],
  ['OPENED', ({ openRate }) => percent(openRate)],
  ['CLICKED', ({ clickRate }) => percent(clickRate)],
  ['CONVERTED', ({ converted, conversionRate }) => `${converted} (${percent(conversionRate)})`],
  ['95 %', ({ ci95: [low, high] }) => `${percent(low)} to ${percent(high)}`],
  ['LIFT', ({ lift }) => (lift === null ? null : percent(lift))],
  ['BEST', ({ probabilityToBeBest }) => percent(probabilityToBeBest)],
];

const verdict = ({ leader, significant }: AbTestStats): string => {
  if (leader === null) return 'No variant leads.';
  return significant ? `${leader} leads, and differs from the others at 5 %.` : `${leader} leads; it may be chance.`;
};

/** The figures of a test. */
export const abTestStatsLines = (stats: AbTestStats, { stdout }: Screen): Line[] => [
  ...fieldLines([
    ['status', stats.status],
    ['metric', metricText(stats.metric)],
  ]),
  '',
  (paint: Paint) => tableText(stats.variants, columns, stdout.isTTY, paint).trimEnd(),
  '',
  verdict(stats),
  ...(stats.srm.warning
    ? ['! People are not spread as the weights say: something favours a variant, and the figures mislead.']
    : []),
  ...(stats.isPartial ? ['! The test has more messages than were looked at.'] : []),
];
