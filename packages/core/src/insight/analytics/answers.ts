import { z } from 'zod';
import { figureAnswers } from '../../automation/runs/figures/answers.ts';
import { answersOf } from '../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers of analytics. */
export const analyticsAnswers = answersOf<Answers>()(() => {
  const { FigureSeries, FiguresRange } = figureAnswers();
  const figures = (series: string) => ({
    series: z.array(FigureSeries).describe(series),
    range: FiguresRange.describe('Counted range.'),
    computedAt: z.date().describe('When the figures were computed.'),
  });
  const totals = 'Totals of the range.';
  const isEstimated = z.boolean().describe('Whether the number of users is an estimate, within a few percent.');
  const SendCounts = z
    .object({
      targeted: z.int().describe('Messages of all sends.'),
      sent: z.int().describe('Messages that a provider accepted.'),
      delivered: z.int().describe('Messages that a provider reported as delivered.'),
      opened: z.int().describe('Messages that were opened at least once.'),
      clicked: z.int().describe('Messages that were clicked at least once.'),
      bounced: z.int().describe('Messages that bounced.'),
      failed: z.int().describe('Messages that failed, bounced ones included.'),
      suppressed: z.int().describe('Messages that Beckon did not send.'),
    })
    .describe('Messages by their current status, counted at the acceptance of their send.');
  return {
    SendCounts,
    Overview: z
      .object({
        ...figures('Series `events`, `people` and `sent`.'),
        totals: z
          .object({
            events: z.int().describe('Events that clients sent.'),
            people: z.int().describe('Distinct users that did something.'),
            isEstimated,
            ...SendCounts.shape,
          })
          .describe(totals),
      })
      .describe('Activity of one environment over time.'),
    EventCounts: z
      .object({
        ...figures('Series `events`, or one for each of the largest groups.'),
        totals: z
          .object({
            events: z.int().describe('Events in the range.'),
            others: z.int().describe('Events of groups without a series.'),
          })
          .describe(totals),
      })
      .describe('Events over time.'),
    SendFigures: z
      .object({
        ...figures('One series for each count; grouped by template or workflow, the sent messages of each.'),
        totals: SendCounts.extend({
          groups: z
            .array(
              SendCounts.extend({
                key: z.string().describe('Id of the template or workflow; `none` for sends without one.'),
              }),
            )
            .describe('Counts by template or workflow, largest first; empty without grouping.'),
        }).describe(totals),
      })
      .describe('Messages over time.'),
    Funnel: z
      .object({
        ...figures(
          'One series for each step, such as `1:name`: users that reached it, at the time of their first step.',
        ),
        totals: z
          .object({
            steps: z
              .array(
                z.object({
                  eventType: z.string().describe('Name of the event.'),
                  people: z.int().describe('Users that reached the step.'),
                }),
              )
              .describe('Steps, in their order.'),
            conversion: z.number().describe('Share of the users of the first step that reached the last one, 0 to 1.'),
            isEstimated: z.boolean().describe('Whether the figures come from a sample of the users.'),
          })
          .describe(totals),
      })
      .describe('How many users did a sequence of events.'),
    Retention: z
      .object({
        ...figures('One series for each interval: its new users, and how many of them were active later.'),
        totals: z
          .object({ people: z.int().describe('Users that were first active in the range.'), isEstimated })
          .describe(totals),
      })
      .describe('How many users return.'),
    Usage: z
      .object({
        ...figures('Series `events`, by month in UTC.'),
        totals: z
          .object({
            events: z.int().describe('Events of the current month, over all projects and environments.'),
            plan: z.string().describe("Name of the organization's plan."),
            eventsPerMonth: z.int().nullable().describe('Events per month that the plan includes; null for no limit.'),
          })
          .describe('Use of the current month.'),
      })
      .describe("An organization's use of its plan."),
  };
});
