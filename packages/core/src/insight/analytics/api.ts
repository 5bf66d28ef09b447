import type { FigureInterval } from '../../automation/runs/figures/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { EventCounts, Funnel, Overview, Retention, SendFigures, Usage } from './answers.generated.ts';

export type AnalyticsQuery = {
  /** Start of the range, inclusive. Default: 30 days before `to`. */
  readonly from?: Date | undefined;
  /** End of the range, exclusive. Default: now. */
  readonly to?: Date | undefined;
  /** Default: `day`. */
  readonly interval?: FigureInterval | undefined;
  /** IANA time zone in which days, weeks and months begin. Default: `UTC`. */
  readonly timezone?: string | undefined;
};

/** How events can be grouped. `source`: `customer`, or `system` for events that Beckon raised. */
export const EVENT_GROUPS = ['eventType', 'module', 'source'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

export type EventCountQuery = AnalyticsQuery & {
  /** Only events of this name. */
  readonly eventType?: string | undefined;
  readonly groupBy?: EventGroup | undefined;
};

/** How sends can be grouped. `day`: by time only. */
export const SEND_GROUPS = ['template', 'workflow', 'day'] as const;
export type SendGroup = (typeof SEND_GROUPS)[number];

export type SendCountQuery = AnalyticsQuery & {
  readonly channel?: Channel | undefined;
  readonly groupBy?: SendGroup | undefined;
};

export type FunnelInput = {
  /** 2 to 10 event names, in the order of the funnel. */
  readonly steps: readonly string[];
  /** Maximum hours between the first and the last step. Default: 168; at most 9,600. */
  readonly windowHours?: number | undefined;
  /** Range of the first step. ISO 8601. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly interval?: FigureInterval | undefined;
  readonly timezone?: string | undefined;
};

/**
 * Analytics of one environment. Events are counted by their timestamps, about a minute after reception. Counts stay
 * when users are erased; profiles that are merged later count as they were.
 *
 * Throws VALIDATION_ERROR for an invalid interval, time zone or time, INVALID_RANGE for an end before the start,
 * RATE_LIMITED if two queries of the organization are running and neither ends within 2 s, QUERY_TIMEOUT after 20 s.
 */
export type AnalyticsApi = {
  overview(scope: Scope, query?: AnalyticsQuery): Promise<Overview>;
  events(scope: Scope, query?: EventCountQuery): Promise<EventCounts>;
  sends(scope: Scope, query?: SendCountQuery): Promise<SendFigures>;
  /** Users who performed the steps in order within a time window. */
  funnel(scope: Scope, body: FunnelInput): Promise<Funnel>;
  /** Users who return. Not available by hour. */
  retention(scope: Scope, query?: AnalyticsQuery): Promise<Retention>;
  /** Usage of the organization, in whole months. Project and environment of the scope do not matter. */
  usage(scope: Scope, query?: Pick<AnalyticsQuery, 'from' | 'to'>): Promise<Usage>;
};
