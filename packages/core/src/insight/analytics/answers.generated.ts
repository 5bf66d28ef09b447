// Made of the schemas in answers.ts by `npm run openapi`.

import type { FigureSeries, FiguresRange } from '../../automation/runs/figures/answers.generated.ts';

/** Messages by their current status, counted at the acceptance of their send. */
export interface SendCounts {
  /** Messages of all sends. */
  readonly targeted: number;
  /** Messages that a provider accepted. */
  readonly sent: number;
  /** Messages that a provider reported as delivered. */
  readonly delivered: number;
  /** Messages that were opened at least once. */
  readonly opened: number;
  /** Messages that were clicked at least once. */
  readonly clicked: number;
  /** Messages that bounced. */
  readonly bounced: number;
  /** Messages that failed, bounced ones included. */
  readonly failed: number;
  /** Messages that Beckon did not send. */
  readonly suppressed: number;
}

/** Activity of one environment over time. */
export interface Overview {
  /** Series `events`, `people` and `sent`. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: {
    /** Events that clients sent. */
    readonly events: number;
    /** Distinct users that did something. */
    readonly people: number;
    /** Whether the number of users is an estimate, within a few percent. */
    readonly isEstimated: boolean;
    /** Messages of all sends. */
    readonly targeted: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that were opened at least once. */
    readonly opened: number;
    /** Messages that were clicked at least once. */
    readonly clicked: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed, bounced ones included. */
    readonly failed: number;
    /** Messages that Beckon did not send. */
    readonly suppressed: number;
  };
}

/** Events over time. */
export interface EventCounts {
  /** Series `events`, or one for each of the largest groups. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: {
    /** Events in the range. */
    readonly events: number;
    /** Events of groups without a series. */
    readonly others: number;
  };
}

/** Messages over time. */
export interface SendFigures {
  /** One series for each count; grouped by template or workflow, the sent messages of each. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: {
    /** Messages of all sends. */
    readonly targeted: number;
    /** Messages that a provider accepted. */
    readonly sent: number;
    /** Messages that a provider reported as delivered. */
    readonly delivered: number;
    /** Messages that were opened at least once. */
    readonly opened: number;
    /** Messages that were clicked at least once. */
    readonly clicked: number;
    /** Messages that bounced. */
    readonly bounced: number;
    /** Messages that failed, bounced ones included. */
    readonly failed: number;
    /** Messages that Beckon did not send. */
    readonly suppressed: number;
    /** Counts by template or workflow, largest first; empty without grouping. */
    readonly groups: readonly {
      /** Messages of all sends. */
      readonly targeted: number;
      /** Messages that a provider accepted. */
      readonly sent: number;
      /** Messages that a provider reported as delivered. */
      readonly delivered: number;
      /** Messages that were opened at least once. */
      readonly opened: number;
      /** Messages that were clicked at least once. */
      readonly clicked: number;
      /** Messages that bounced. */
      readonly bounced: number;
      /** Messages that failed, bounced ones included. */
      readonly failed: number;
      /** Messages that Beckon did not send. */
      readonly suppressed: number;
      /** Id of the template or workflow; `none` for sends without one. */
      readonly key: string;
    }[];
  };
}

/** How many users did a sequence of events. */
export interface Funnel {
  /** One series for each step, such as `1:name`: users that reached it, at the time of their first step. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: {
    /** Steps, in their order. */
    readonly steps: readonly {
      /** Name of the event. */
      readonly eventType: string;
      /** Users that reached the step. */
      readonly people: number;
    }[];
    /** Share of the users of the first step that reached the last one, 0 to 1. */
    readonly conversion: number;
    /** Whether the figures come from a sample of the users. */
    readonly isEstimated: boolean;
  };
}

/** How many users return. */
export interface Retention {
  /** One series for each interval: its new users, and how many of them were active later. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Totals of the range. */
  readonly totals: {
    /** Users that were first active in the range. */
    readonly people: number;
    /** Whether the number of users is an estimate, within a few percent. */
    readonly isEstimated: boolean;
  };
}

/** An organization's use of its plan. */
export interface Usage {
  /** Series `events`, by month in UTC. */
  readonly series: readonly FigureSeries[];
  /** Counted range. */
  readonly range: FiguresRange;
  /** When the figures were computed. */
  readonly computedAt: Date;
  /** Use of the current month. */
  readonly totals: {
    /** Events of the current month, over all projects and environments. */
    readonly events: number;
    /** Name of the organization's plan. */
    readonly plan: string;
    /** Events per month that the plan includes; null for no limit. */
    readonly eventsPerMonth: number | null;
  };
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly SendCounts: SendCounts;
  readonly Overview: Overview;
  readonly EventCounts: EventCounts;
  readonly SendFigures: SendFigures;
  readonly Funnel: Funnel;
  readonly Retention: Retention;
  readonly Usage: Usage;
}
