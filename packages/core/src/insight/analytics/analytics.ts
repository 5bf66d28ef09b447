// Analytics. Events, active users and sends come from roll-ups; funnels read a bounded part of the log.

import type { FigurePoint } from '../../automation/runs/figures/api.ts';
import { timeRange } from '../../foundation/page.ts';
import { parse } from '../../foundation/parse.ts';
import { monthOf } from '../../platform/plans/month.ts';
import type { Plan } from '../../platform/plans/plan.ts';
import type { UsageOf } from '../../platform/plans/usage.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Overview, Usage } from './answers.generated.ts';
import type { AnalyticsApi, AnalyticsQuery } from './api.ts';
import { countEvents, eventCounts } from './events.ts';
import { type FunnelLog, funnelOf } from './funnel.ts';
import { countPeople } from './people.ts';
import { QUARTER_MS } from './quarters.ts';
import type { Ask, Question } from './question.ts';
import { type QueryRange, rangeOf } from './range.ts';
import { retentionOf } from './retention.ts';
import { funnelBody } from './schema.ts';
import { addUpSends, sendFigures } from './sends/figures.ts';
import { sendQuarterStore } from './sends/store.ts';
import { pointsOf, sumOf } from './series.ts';
import { analyticsStore } from './store.ts';
import type { AnalyticsTables } from './tables.ts';

export type AnalyticsSources = {
  readonly ask: Ask;
  readonly eventLog: FunnelLog;
  readonly planOf: (orgId: string) => Promise<Pick<Plan, 'name' | 'eventsPerMonth'>>;
  readonly usageOf: UsageOf;
};

/** Excludes events that Beckon raised. */
const CUSTOMER = { source: 'customer' } as const;

/** Public functions: see AnalyticsApi. */
export const analyticsEngine = (
  { storage, tables, clock }: Pick<Platform<AnalyticsTables>, 'storage' | 'tables' | 'clock'>,
  { ask, eventLog, planOf, usageOf }: AnalyticsSources,
): AnalyticsApi => {
  const store = analyticsStore({ db: storage.db, tables });
  const sends = sendQuarterStore({ db: storage.db, tables });

  const overview = async (question: Question): Promise<Overview> => {
    const { range, now } = question;
    const events = (await countEvents(store, question, CUSTOMER, null)).get('');
    const { points, people, level } = await countPeople(store, question);
    const { total, series } = await addUpSends(sends, question, {});
    return {
      series: [
        { key: 'events', points: pointsOf(events) },
        { key: 'people', points: pointsOf(points) },
        { key: 'sent', points: pointsOf(series.get('sent')) },
      ],
      totals: { events: sumOf(events), people, isEstimated: level > 0, ...total },
      range: rangeOf(range),
      computedAt: now,
    };
  };
  const usage = async ({ scope: { orgId }, range, now, rest }: Question): Promise<Usage> => {
    const points: FigurePoint[] = [];
    for (const month of monthsIn(range)) {
      const n = await usageOf(orgId, month);
      if (n > 0) points.push([`${month}-01`, n]);
      await rest();
    }
    const { name, eventsPerMonth } = await planOf(orgId);
    const events = await usageOf(orgId, monthOf(now));
    return {
      series: [{ key: 'events', points }],
      totals: { events, plan: name, eventsPerMonth },
      range: rangeOf(range),
      computedAt: now,
    };
  };

  return {
    overview: (scope, query = {}) => ask(scope, query, overview),
    events: (scope, query = {}) => ask(scope, query, (question) => eventCounts(store, question, query)),
    sends: (scope, query = {}) => ask(scope, query, (question) => sendFigures(sends, question, query)),
    funnel: async (scope, input) => {
      const body = parse(funnelBody, input);
      return ask(scope, body, (question) => funnelOf(eventLog, question, body), 'now');
    },
    retention: (scope, query = {}) =>
      ask(scope, { interval: 'week', ...query }, (question) => retentionOf(store, question), 'now'),
    usage: async (scope, query = {}) => ask(scope, monthsOf(query, clock.now()), usage, 'now'),
  };
};

/** Whole months in UTC; default: the current one. Throws as `timeRange`. */
const monthsOf = ({ from, to }: Pick<AnalyticsQuery, 'from' | 'to'>, now: Date): AnalyticsQuery => {
  timeRange({ from, to });
  const first = from ?? to ?? now;
  const begin = Date.UTC(first.getUTCFullYear(), first.getUTCMonth());
  return { interval: 'month', timezone: 'UTC', from: new Date(begin), to };
};

/** Months in UTC that overlap a range, in order. */
const monthsIn = ({ from, to }: QueryRange): string[] => {
  const months: string[] = [];
  if (from >= to) return months;
  const at = new Date(from * QUARTER_MS);
  for (at.setUTCDate(1), at.setUTCHours(0, 0); at.getTime() < to * QUARTER_MS; at.setUTCMonth(at.getUTCMonth() + 1))
    months.push(monthOf(at));
  return months;
};
