import type { FigureInterval, FigureSeries, FiguresRange } from '../../automation/runs/figures/api.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';

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

/** What answers have in common. The range grows to whole quarters of an hour; one that begins before what is kept is cut. */
export type Figures<Totals> = {
  readonly series: readonly FigureSeries[];
  readonly totals: Totals;
  readonly range: FiguresRange;
  readonly computedAt: Date;
};

/** Messages by what has become of them until now, counted when their sends were accepted. */
export type SendCounts = {
  readonly targeted: number;
  readonly sent: number;
  readonly delivered: number;
  readonly opened: number;
  readonly clicked: number;
  readonly bounced: number;
  /** Bounced ones among them. */
  readonly failed: number;
  readonly suppressed: number;
};

/** Series: `events`, `people`, `sent`. */
export type Overview = Figures<
  SendCounts & {
    /** What customers told of; what the service raised itself is not among them. */
    readonly events: number;
    /** Who did something, each once. */
    readonly people: number;
    /** There are so many people that their number is estimated, within some per cent. */
    readonly isEstimated: boolean;
  }
>;

/** What events can be told apart by. `source`: `customer`, or `system` for what the service raised. */
export const EVENT_GROUPS = ['eventType', 'module', 'source'] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

export type EventCountQuery = AnalyticsQuery & {
  /** Those of this name alone. */
  readonly eventType?: string | undefined;
  readonly groupBy?: EventGroup | undefined;
};

/** Series: `events`, or one for each of the greatest groups. */
export type EventCounts = Figures<{
  readonly events: number;
  /** Of events that are in none of the series. */
  readonly others: number;
}>;

/** What sends can be told apart by. `day`: by nothing but time. */
export const SEND_GROUPS = ['template', 'workflow', 'day'] as const;
export type SendGroup = (typeof SEND_GROUPS)[number];

export type SendCountQuery = AnalyticsQuery & {
  readonly channel?: Channel | undefined;
  readonly groupBy?: SendGroup | undefined;
};

/** Series: one for each of the counts; or, of each template or workflow, what was sent. */
export type SendFigures = Figures<
  SendCounts & {
    /** Of each template's or workflow's id, greatest first; `none` has those without one. Empty where it is not asked for. */
    readonly groups: readonly (SendCounts & { readonly key: string })[];
  }
>;

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

/** Series: one for each step, named `1:name`: people who got so far, at the time of their first step. */
export type Funnel = Figures<{
  readonly steps: readonly { readonly eventType: string; readonly people: number }[];
  /** Of those who did the first step how many did the last one; 0 to 1. */
  readonly conversion: number;
  /** There are so many that they are counted by a sample. */
  readonly isEstimated: boolean;
}>;

/** Series: one for each interval in which people were there for the first time, with those of them who were in later ones. */
export type Retention = Figures<{
  /** Who was there for the first time within the range. */
  readonly people: number;
  readonly isEstimated: boolean;
}>;

/** Series: `events`, by months in UTC. */
export type Usage = Figures<{
  /** Of this month, over all projects and environments of the org, as its plan counts them. */
  readonly events: number;
  readonly plan: string;
  /** Events of a month that the plan takes; null: any number. */
  readonly eventsPerMonth: number | null;
}>;

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
