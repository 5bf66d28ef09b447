import type { FigureInterval } from '../../automation/runs/figures/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { EventCounts, Funnel, Overview, Retention, SendFigures, Usage } from './answers.generated.ts';

export type AnalyticsQuery = {
  /** What happened from here on; by default 30 days before `to`. */
  readonly from?: Date | undefined;
  /** What happened before; by default now. */
  readonly to?: Date | undefined;
  /** By default `day`. */
  readonly interval?: FigureInterval | undefined;
  /** An IANA zone, in which days, weeks and months begin; by default `UTC`. */
  readonly timezone?: string | undefined;
};

/** What events can be told apart by. `source`: `customer`, or `system` for what the service raised. */
export const EVENT_GROUPS = ['eventType', 'module', 'source'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

export type EventCountQuery = AnalyticsQuery & {
  /** Those of this name alone. */
  readonly eventType?: string | undefined;
  readonly groupBy?: EventGroup | undefined;
};

/** What sends can be told apart by. `day`: by nothing but time. */
export const SEND_GROUPS = ['template', 'workflow', 'day'] as const;
export type SendGroup = (typeof SEND_GROUPS)[number];

export type SendCountQuery = AnalyticsQuery & {
  readonly channel?: Channel | undefined;
  readonly groupBy?: SendGroup | undefined;
};

export type FunnelInput = {
  /** Names of events, in the order in which people have to do them; 2 to 10. */
  readonly steps: readonly string[];
  /** How long after the first step the last one counts; by default 168, at most 9,600. */
  readonly windowHours?: number | undefined;
  /** When the first step has to be; ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly interval?: FigureInterval | undefined;
  readonly timezone?: string | undefined;
};

/**
 * What happened over time, of one environment. Events are counted by their own times, about a minute after they came in,
 * and stay counted when their people are erased; people who are merged later count as they were.
 *
 * Throws VALIDATION_ERROR for an interval, a zone or a time that there is not, INVALID_RANGE for an end before its
 * beginning, RATE_LIMITED where two questions of the org are being answered and neither ends within 2 s, QUERY_TIMEOUT
 * after 20 s.
 */
export type AnalyticsApi = {
  overview(scope: Scope, query?: AnalyticsQuery): Promise<Overview>;
  events(scope: Scope, query?: EventCountQuery): Promise<EventCounts>;
  sends(scope: Scope, query?: SendCountQuery): Promise<SendFigures>;
  /** People who did one thing after another, within a time from the first. */
  funnel(scope: Scope, body: FunnelInput): Promise<Funnel>;
  /** People who come back. Not by the hour. */
  retention(scope: Scope, query?: AnalyticsQuery): Promise<Retention>;
  /** Of the org, whatever the scope's project and environment; a range is cut to whole months. */
  usage(scope: Scope, query?: Pick<AnalyticsQuery, 'from' | 'to'>): Promise<Usage>;
};
