// Made of the schemas in answers.ts by `npm run openapi`.

/** What counts as success of a message. */
export interface AbTestMetric {
  /** What counts as success: an open, a click or an event. */
  readonly type: 'open' | 'click' | 'event';
  /** Name of the event; only with the type `event`. */
  readonly eventType?: string | undefined;
  /** How long after the message success counts, in hours. */
  readonly windowHours: number;
}

/** One variant, with the content fields that replace those of the send, such as `title` and `body`. */
export type AbTestVariant = {
  /** Key of the variant. */
  readonly key: string;
  /** Share of the recipients, in percent; all variants sum to 100. */
  readonly weight: number;
  readonly [name: string]: unknown;
};

/** Results of one variant. Rates are 0 to 1. */
export interface AbTestVariantStats {
  /** Key of the variant. */
  readonly key: string;
  /** Share of the recipients, in percent. */
  readonly weight: number;
  /** Users that were assigned the variant; devices or addresses if they have no user. */
  readonly assigned: number;
  /** Assigned users who were sent a message. */
  readonly reached: number;
  /** Messages that a provider accepted. */
  readonly sent: number;
  /** Messages that a provider reported as delivered. */
  readonly delivered: number;
  /** Messages that failed. */
  readonly failed: number;
  /** Messages that Beckon did not send. */
  readonly suppressed: number;
  /** Messages that were opened at least once. */
  readonly uniqueOpened: number;
  /** Messages that were clicked at least once. */
  readonly uniqueClicked: number;
  /** Opens by people, repeated ones included. */
  readonly opened: number;
  /** Clicks by people, repeated ones included. */
  readonly clicked: number;
  /** Reached users that met the metric. */
  readonly converted: number;
  /** `uniqueOpened` divided by `sent`; 0 if nothing was sent. */
  readonly openRate: number;
  /** `uniqueClicked` divided by `sent`; 0 if nothing was sent. */
  readonly clickRate: number;
  /** `converted` divided by `reached`; 0 if nobody was reached. */
  readonly conversionRate: number;
  /** Conversion rate relative to the first variant, 0.1 is 10 % more; null for the first, and if its rate is 0. */
  readonly lift: number | null;
  /** 95 % confidence interval of the conversion rate (Wilson), low and high. */
  readonly ci95: readonly [number, number];
  /** Probability that the conversion rate is the highest, 0 to 1 (Bayesian, uniform priors). */
  readonly probabilityToBeBest: number;
}

/** An A/B test: each recipient of a send that names it receives one variant, always the same. */
export interface AbTest {
  /** Id of the test. */
  readonly id: string;
  /** Organization of the test. */
  readonly orgId: string;
  /** Project of the test. */
  readonly projectId: string;
  /** Environment of the test. */
  readonly environment: 'prod' | 'test';
  /** Name of the test. */
  readonly name: string;
  /** Channel of the test. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Status; sends ignore a test that is `paused` or `completed`. */
  readonly status: 'running' | 'paused' | 'completed';
  /** Variants, in their order. */
  readonly variants: readonly AbTestVariant[];
  /** What counts as success. */
  readonly metric: AbTestMetric;
  /** Key of the winning variant; null if none was chosen. */
  readonly winnerKey: string | null;
  /** When the first message was assigned a variant; from then on variants and metric are immutable. */
  readonly assignedAt: Date | null;
  /** When the test was created. */
  readonly startedAt: Date;
  /** When the test was completed; null before that. */
  readonly completedAt: Date | null;
  /** When the test was last changed. */
  readonly updatedAt: Date;
}

/** Results of an A/B test. */
export interface AbTestStats {
  /** Id of the test. */
  readonly id: string;
  /** Status; sends ignore a test that is `paused` or `completed`. */
  readonly status: 'running' | 'paused' | 'completed';
  /** What counts as success. */
  readonly metric: AbTestMetric;
  /** Results by variant, in their order. */
  readonly variants: readonly AbTestVariantStats[];
  /** Sample ratio mismatch: whether recipients were distributed as the weights require. */
  readonly srm: {
    /** Chi-squared statistic of assignments against weights. */
    readonly chi2: number;
    /** Probability of such a difference by chance, 0 to 1. */
    readonly pValue: number;
    /** Whether `pValue` is below 0.001, so the results are not reliable. */
    readonly warning: boolean;
  };
  /** Variant with the highest conversion rate; null if there is none or several share it. */
  readonly leader: string | null;
  /** Whether the leader's rate differs from every other rate at a level of 5 %; false with a warning. */
  readonly significant: boolean;
  /** Whether the test has more messages than were counted. */
  readonly isPartial: boolean;
  /** When the results were computed. */
  readonly updatedAt: Date;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly AbTestMetric: AbTestMetric;
  readonly AbTestVariant: AbTestVariant;
  readonly AbTestVariantStats: AbTestVariantStats;
  readonly AbTest: AbTest;
  readonly AbTestStats: AbTestStats;
}
