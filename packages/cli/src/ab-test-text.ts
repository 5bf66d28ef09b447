// A/B tests and their results as text.

import type { Channel } from '@beckon/core';
import type { Answer } from './api.ts';
import type { Screen } from './cells.ts';
import { type Paint, toneOf } from './colour.ts';
import { type Column, type Line, tableText } from './output.ts';
import { fieldLines } from './scoped.ts';

type AbTest = Answer<`GET /${Channel}/ab-tests/{id}`>;
type AbTestStats = Answer<`GET /${Channel}/ab-tests/{id}/stats`>;

const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
const metricText = ({ type, eventType, windowHours }: AbTest['metric']): string =>
  `${type === 'event' ? `event ${eventType}` : type} within ${windowHours} h`;

/** Columns of a list of tests. */
export const abTestColumns = ({ id: short, time }: Screen): readonly Column<AbTest>[] => [
  ['NAME', ({ name }) => name],
  ['CHANNEL', ({ channel }) => channel],
  ['STATUS', ({ status }) => status, toneOf],
  ['VARIANTS', ({ variants }) => variants.map(({ key, weight }) => `${key} ${weight}`).join(', ')],
  ['WINNER', ({ winnerKey }) => winnerKey],
  ['STARTED', ({ startedAt }) => time(startedAt)],
  ['ID', ({ id }) => short(id)],
];

/** One test with its variants. */
export const abTestLines = (test: AbTest): string[] => [
  ...fieldLines([
    ['id', test.id],
    ['name', test.name],
    ['channel', test.channel],
    ['environment', test.environment],
    ['status', test.status],
    ['metric', metricText(test.metric)],
    ['winner', test.winnerKey],
    ['started', test.startedAt],
    ['first message', test.assignedAt],
    ['completed', test.completedAt],
  ]),
  `variants: ${test.variants.length}`,
  ...test.variants.map(({ key, weight, ...content }) => `  ${key}  ${weight} %  ${JSON.stringify(content)}`),
];

const columns: readonly Column<AbTestStats['variants'][number]>[] = [
  ['VARIANT', ({ key }) => key],
  ['USERS', ({ assigned }) => assigned],
  ['REACHED', ({ reached }) => reached],
  ['OPENED', ({ openRate }) => percent(openRate)],
  ['CLICKED', ({ clickRate }) => percent(clickRate)],
  ['CONVERTED', ({ converted, conversionRate }) => `${converted} (${percent(conversionRate)})`],
  ['95 % CI', ({ ci95: [low, high] }) => `${percent(low)} to ${percent(high)}`],
  ['LIFT', ({ lift }) => (lift === null ? null : percent(lift))],
  ['P(BEST)', ({ probabilityToBeBest }) => percent(probabilityToBeBest)],
];

const verdict = ({ leader, significant }: AbTestStats): string => {
  if (leader === null) return 'No variant leads.';
  return significant
    ? `${leader} leads; the difference is significant (5 %).`
    : `${leader} leads; the difference is not significant.`;
};

/** The results of a test. */
export const abTestStatsLines = (stats: AbTestStats, { isTTY }: Screen): Line[] => [
  ...fieldLines([
    ['status', stats.status],
    ['metric', metricText(stats.metric)],
  ]),
  '',
  (paint: Paint) => tableText(stats.variants, columns, isTTY, paint).trimEnd(),
  '',
  verdict(stats),
  ...(stats.srm.warning
    ? ['! Sample ratio mismatch: users are not split by the weights. The results are unreliable.']
    : []),
  ...(stats.isPartial ? ['! Partial result: the test has more messages than were counted.'] : []),
];
