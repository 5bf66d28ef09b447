import { z } from 'zod';
import { answersOf, scopeFields } from '../../foundation/answers.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import type { Answers } from './answers.generated.ts';
import { AB_TEST_STATUSES, METRIC_TYPES } from './schema.ts';

const variantStats = () =>
  z
    .object({
      key: z.string().describe('Key of the variant.'),
      weight: z.number().describe('Share of the recipients, in percent.'),
      assigned: z.int().describe('Users that were assigned the variant; devices or addresses if they have no user.'),
      reached: z.int().describe('Assigned users who were sent a message.'),
      sent: z.int().describe('Messages that a provider accepted.'),
      delivered: z.int().describe('Messages that a provider reported as delivered.'),
      failed: z.int().describe('Messages that failed.'),
      suppressed: z.int().describe('Messages that Beckon did not send.'),
      uniqueOpened: z.int().describe('Messages that were opened at least once.'),
      uniqueClicked: z.int().describe('Messages that were clicked at least once.'),
      opened: z.int().describe('Opens by people, repeated ones included.'),
      clicked: z.int().describe('Clicks by people, repeated ones included.'),
      converted: z.int().describe('Reached users that met the metric.'),
      openRate: z.number().describe('`uniqueOpened` divided by `sent`; 0 if nothing was sent.'),
      clickRate: z.number().describe('`uniqueClicked` divided by `sent`; 0 if nothing was sent.'),
      conversionRate: z.number().describe('`converted` divided by `reached`; 0 if nobody was reached.'),
      lift: z
        .number()
        .nullable()
        .describe(
          'Conversion rate relative to the first variant, 0.1 is 10 % more; null for the first, and if its rate is 0.',
        ),
      ci95: z
        .tuple([z.number(), z.number()])
        .describe('95 % confidence interval of the conversion rate (Wilson), low and high.'),
      probabilityToBeBest: z
        .number()
        .describe('Probability that the conversion rate is the highest, 0 to 1 (Bayesian, uniform priors).'),
    })
    .describe('Results of one variant. Rates are 0 to 1.');

/** Answer schemas of A/B tests. */
export const abTestAnswers = answersOf<Answers>()(() => {
  const status = z.enum(AB_TEST_STATUSES).describe('Status; sends ignore a test that is `paused` or `completed`.');
  const AbTestMetric = z
    .object({
      type: z.enum(METRIC_TYPES).describe('What counts as success: an open, a click or an event.'),
      eventType: z.string().optional().describe('Name of the event; only with the type `event`.'),
      windowHours: z.number().describe('How long after the message success counts, in hours.'),
    })
    .describe('What counts as success of a message.');
  const AbTestVariant = z
    .looseObject({
      key: z.string().describe('Key of the variant.'),
      weight: z.number().describe('Share of the recipients, in percent; all variants sum to 100.'),
    })
    .describe('One variant, with the content fields that replace those of the send, such as `title` and `body`.');
  const AbTestVariantStats = variantStats();
  const metric = AbTestMetric.describe('What counts as success.');
  return {
    AbTestMetric,
    AbTestVariant,
    AbTestVariantStats,
    AbTest: z
      .object({
        id: z.uuid().describe('Id of the test.'),
        ...scopeFields('test'),
        name: z.string().describe('Name of the test.'),
        channel: z.enum(CHANNELS).describe('Channel of the test.'),
        status,
        variants: z.array(AbTestVariant).describe('Variants, in their order.'),
        metric,
        winnerKey: z.string().nullable().describe('Key of the winning variant; null if none was chosen.'),
        assignedAt: z
          .date()
          .nullable()
          .describe('When the first message was assigned a variant; from then on variants and metric are immutable.'),
        startedAt: z.date().describe('When the test was created.'),
        completedAt: z.date().nullable().describe('When the test was completed; null before that.'),
        updatedAt: z.date().describe('When the test was last changed.'),
      })
      .describe('An A/B test: each recipient of a send that names it receives one variant, always the same.'),
    AbTestStats: z
      .object({
        id: z.uuid().describe('Id of the test.'),
        status,
        metric,
        variants: z.array(AbTestVariantStats).describe('Results by variant, in their order.'),
        srm: z
          .object({
            chi2: z.number().describe('Chi-squared statistic of assignments against weights.'),
            pValue: z.number().describe('Probability of such a difference by chance, 0 to 1.'),
            warning: z.boolean().describe('Whether `pValue` is below 0.001, so the results are not reliable.'),
          })
          .describe('Sample ratio mismatch: whether recipients were distributed as the weights require.'),
        leader: z
          .string()
          .nullable()
          .describe('Variant with the highest conversion rate; null if there is none or several share it.'),
        significant: z
          .boolean()
          .describe("Whether the leader's rate differs from every other rate at a level of 5 %; false with a warning."),
        isPartial: z.boolean().describe('Whether the test has more messages than were counted.'),
        updatedAt: z.date().describe('When the results were computed.'),
      })
      .describe('Results of an A/B test.'),
  };
});
