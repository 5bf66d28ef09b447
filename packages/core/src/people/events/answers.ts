import { z } from 'zod';
import { answersOf, freeForm, scopeFields } from '../../foundation/answers.ts';
import { catalogue, type ErrorCode } from '../../foundation/errors.ts';
import type { Answers } from './answers.generated.ts';
import { EVENT_SOURCES } from './schema.ts';

const eventFields = () => ({
  id: z.uuid().describe('Id of the event.'),
  ...scopeFields('event'),
  userId: z.string().nullable().describe('User of the event; null if only the anonymous id is known.'),
  anonymousId: z.string().nullable().describe('Anonymous id of the visitor; null if there is none.'),
  module: z.string().describe('Part of the application that sent the event.'),
  eventType: z.string().describe('Name of the event.'),
  properties: freeForm().describe('Properties of the event.'),
  traits: freeForm()
    .nullable()
    .describe(
      'Traits that came with the event; a null unset a trait, `_truncated` marks more than 16 KB. Null: none came.',
    ),
  messageId: z.string().nullable().describe("The client's id of the event; null if it sent none."),
  sessionId: z.string().nullable().describe('Session of the event; null if the client sent none.'),
  context: freeForm().nullable().describe('Device, page and app of the event; null if the client sent none.'),
  source: z.enum(EVENT_SOURCES).describe('`customer`: sent to the API. `system`: raised by Beckon.'),
  timestamp: z.date().describe('When the event happened.'),
  receivedAt: z.date().describe('When Beckon received the event.'),
});

/** Schemas of the answers about events. */
export const eventAnswers = answersOf<Answers>()(() => {
  const FilterMismatch = z
    .object({
      path: z.string().describe('Path of the property, below `properties`.'),
      expected: z.string().describe('Value that the filter requires.'),
      actual: z.unknown().optional().describe('Value of the event; missing if the event has no such property.'),
    })
    .describe('A trigger filter that an event does not match.');
  const WorkflowVerdict = z
    .object({
      workflowId: z.uuid().describe('Id of the workflow.'),
      workflowName: z.string().describe('Name of the workflow.'),
      workflowVersion: z.int().describe('Version at the time of the event; for `added_later` the current one.'),
      verdict: z
        .enum([
          'started',
          'inactive',
          'filter',
          'audience',
          'depth',
          'fan_out',
          'waiting',
          'not_loaded',
          'added_later',
          'unknown',
        ])
        .describe(
          '`started` a run; `inactive`: disabled; `filter`: a filter did not match; `audience`: the user is not a member; `depth`: too many runs in a chain; `fan_out`: more than 10,000 runs from one event; `waiting`: a worker has not processed the event yet; `not_loaded`: the workflow had changed less than 2 s before; `added_later`: the workflow did not have this trigger yet; `unknown`: no run exists, and no reason was found.',
        ),
      runId: z.uuid().optional().describe('Run that started; only for `started`.'),
      filters: z.array(FilterMismatch).optional().describe('Filters that did not match; only for `filter`.'),
      audienceId: z.string().optional().describe('Audience without the user; only for `audience`.'),
    })
    .describe('Why a workflow did or did not start for an event.');
  const EventRecord = z.object(eventFields()).describe('A stored event.');
  return {
    Accepted: z
      .object({
        id: z.uuid().describe('Id of the event.'),
        accepted: z.literal(true).describe('Always true: the event is on disk.'),
      })
      .describe('An accepted event.'),
    BatchAnswer: z
      .object({
        accepted: z.int().describe('Events that were stored.'),
        duplicates: z.int().describe('Events whose `messageId` was stored before.'),
        rejected: z
          .array(
            z.object({
              index: z.int().describe('Position of the event in the batch, from 0.'),
              code: z
                // Safe: the names of the table.
                .enum(Object.keys(catalogue) as ErrorCode[])
                .describe(
                  'Error code. Retry events of `OVERLOADED` and `INTERNAL` with the same `messageId`, first after 1 s and then after twice as long each time, up to 60 s. Every other code is final.',
                ),
              fieldErrors: z
                .record(z.string(), z.array(z.string()))
                .describe('Errors by field; empty unless the code is `VALIDATION_ERROR`.'),
            }),
          )
          .describe('Events that were not stored.'),
      })
      .describe('Result of a batch of events.'),
    FilterMismatch,
    WorkflowVerdict,
    EventRecord,
    ExplainedEvent: EventRecord.extend({
      workflows: z.array(WorkflowVerdict).describe('Each workflow with this trigger, and why it did or did not start.'),
    }).describe('An event with the workflows that it could start.'),
  };
});
