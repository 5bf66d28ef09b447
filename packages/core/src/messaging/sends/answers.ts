import { z } from 'zod';
import { sentAndFailed } from '../../delivery/providers/answers.ts';
import { answersOf, scopeFields } from '../../foundation/answers.ts';
import { CHANNELS, SEND_CLASSES } from '../../foundation/channel.ts';
import { PLATFORMS } from '../../foundation/device-platform.ts';
import type { Answers } from './answers.generated.ts';
import { dryRunAnswers } from './dry-run-answers.ts';
import { previewAnswers } from './preview-answers.ts';
import { MESSAGE_REASONS, MESSAGE_STATUSES, ROLES, SEND_SOURCES, SEND_STATUSES } from './schema.ts';

const counts = () =>
  z.object({
    targeted: z.int().describe('Messages of the send.'),
    queued: z.int().describe('Messages that wait to be sent.'),
    deferred: z.int().describe('Messages that wait for the end of quiet hours; `queued` does not include them.'),
    sent: z.int().describe('Messages that a provider accepted.'),
    delivered: z.int().describe('Messages that a provider reported as delivered.'),
    bounced: z.int().describe('Messages that bounced.'),
    failed: z.int().describe('Messages that failed.'),
    suppressed: z.int().describe('Messages that Beckon did not send, for example because of an opt-out.'),
    opened: z.int().describe('Opens by people, repeated ones included.'),
    clicked: z.int().describe('Clicks by people, repeated ones included.'),
    uniqueOpened: z.int().describe('Messages that were opened at least once.'),
    uniqueClicked: z.int().describe('Messages that were clicked at least once.'),
    machineOpened: z
      .int()
      .describe('Emails opened by programs such as privacy proxies; no other count includes these opens.'),
  });

const sendFields = () => ({
  id: z.uuid().describe('Id of the send.'),
  ...scopeFields('send'),
  status: z.enum(SEND_STATUSES).describe('Status; a scheduled send is `queued`.'),
  source: z
    .enum(SEND_SOURCES)
    .describe('Origin: an API request, a workflow step, a request for an audience, or sign-in of an end user.'),
  class: z.enum(SEND_CLASSES).describe('Class; frequency caps and quiet hours apply to `marketing`.'),
  category: z.string().nullable().describe('Subscription category; null if there is none.'),
  tags: z.record(z.string(), z.string()).describe('Labels that the caller set.'),
  abTestId: z.uuid().nullable().describe('A/B test of the send; null if there is none.'),
  audienceId: z
    .uuid()
    .nullable()
    .describe('Audience whose members receive the send; null if the request named its recipients.'),
  tokenCount: z.int().describe('Messages of the send: one for each address or device.'),
  workflowRunId: z.uuid().nullable().describe('Workflow run that sent it; null if no workflow did.'),
  stepPath: z.string().nullable().describe('Workflow step that sent it; null if no workflow did.'),
  templateId: z.uuid().nullable().describe('Stored template of the content; null if there is none.'),
  templateVersion: z.int().nullable().describe('Version of the template at acceptance; null without a template.'),
  scheduledFor: z.date().nullable().describe('Requested start; null if the send starts at once.'),
  createdAt: z.date().describe('When the send was accepted.'),
  startedAt: z.date().nullable().describe('When the first message was sent; null before that.'),
  finishedAt: z.date().nullable().describe('When the last message ended; null before that.'),
  cancelledAt: z.date().nullable().describe('When the send was cancelled; null if it was not.'),
  counts: counts().describe('Numbers of messages by result, and of opens and clicks.'),
  suppressedByReason: z
    .partialRecord(z.enum(MESSAGE_REASONS), z.int())
    .nullable()
    .describe('Suppressed messages by reason; null beyond 10,000 messages of a send or a page.'),
  byPlatform: z
    .partialRecord(z.enum(PLATFORMS), sentAndFailed())
    .nullable()
    .describe('Push messages by device platform, empty for other channels; null as in `suppressedByReason`.'),
  error: z.string().nullable().describe('What failed, in one sentence; null if nothing did.'),
  errorCode: z
    .string()
    .nullable()
    .describe(
      '`no_recipients`, or the code of the first failed message or of a retried attempt; null if nothing failed.',
    ),
  warnings: z
    .array(z.string())
    .optional()
    .describe('Ignored keys of the request and unresolved variables; only in the response to a send request.'),
});

const smsFacts = () => ({
  segments: z.int().nullable().describe('Segments of the SMS; null if the text has variables and is not rendered yet.'),
  encoding: z
    .enum(['GSM-7', 'UCS-2'])
    .nullable()
    .describe('Encoding of the SMS; null if the text has variables and is not rendered yet.'),
});

const messageFields = () => ({
  id: z.uuid().describe('Id of the message.'),
  sendId: z.uuid().describe('Send of the message.'),
  channel: z.enum(CHANNELS).describe('Channel.'),
  userId: z.string().nullable().describe('User who receives the message; null if the address has no user.'),
  address: z.string().nullable().describe('Email address, phone number or device token; null if there is none.'),
  platform: z.enum(PLATFORMS).nullable().describe('Platform of the device; null unless the channel is `push`.'),
  role: z.enum(ROLES).describe('Recipient, or recipient of a copy of an email.'),
  status: z.enum(MESSAGE_STATUSES).describe('Delivery status.'),
  reason: z
    .enum(MESSAGE_REASONS)
    .nullable()
    .describe('Why the message is suppressed or waits, or what the provider reported about its address; else null.'),
  errorCode: z
    .string()
    .nullable()
    .describe(
      'Error code of the provider, such as `Unregistered`, or of Beckon, such as `too_large`; null without error.',
    ),
  error: z.string().nullable().describe('What failed, in one sentence; null without error.'),
  providerId: z.string().nullable().describe("The provider's id of the message; null until it accepted the message."),
  attempt: z.int().describe('Attempts so far.'),
  createdAt: z.date().describe('When the message was created.'),
  deferredUntil: z
    .date()
    .nullable()
    .describe('When a deferred message is evaluated again; null if it is not deferred.'),
  sentAt: z.date().nullable().describe('When a provider accepted the message; null before that.'),
  deliveredAt: z.date().nullable().describe('When the provider reported delivery; null if it did not.'),
  openedAt: z.date().nullable().describe('First open by a person; null if there is none.'),
  clickedAt: z.date().nullable().describe('First click by a person; null if there is none.'),
  clickAction: z
    .string()
    .nullable()
    .describe('First click: the button of a push, or the URL of a link in an email; null if there is none.'),
  machine: z
    .boolean()
    .describe('Whether a program opened the email or followed a link; `openedAt` and `clickedAt` ignore programs.'),
  complainedAt: z.date().nullable().describe('When the recipient reported the email as spam; null if they did not.'),
  unsubscribedAt: z
    .date()
    .nullable()
    .describe('When the recipient unsubscribed through this email; null if they did not.'),
  variant: z.string().nullable().describe('Variant of the A/B test; null if there is none.'),
});

const gateVerdict = () =>
  z
    .object({
      gate: z.string().describe('Name of the check, such as `address_usable`, `quiet_hours` or `rendering`.'),
      verdict: z
        .enum(['pass', 'suppressed', 'deferred', 'cancelled', 'failed', 'not_reached', 'unknown'])
        .describe('`not_reached`: an earlier check stopped the message. `unknown`: its result was not stored.'),
      reason: z.enum(MESSAGE_REASONS).nullable().optional().describe('Reason for which the check stopped the message.'),
      errorCode: z.string().nullable().optional().describe('Error code with which the check failed the message.'),
      error: z.string().nullable().optional().describe('What failed, in one sentence.'),
      deferredUntil: z.date().optional().describe('Until when the check deferred the message.'),
      evidence: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .describe('Values that the check read, by name; of an ended message those that are still stored.'),
    })
    .describe('Result of one check of a message.');

const explanationFields = () => ({
  evaluated: z
    .enum(['at_acceptance', 'from_record', 'now'])
    .describe(
      '`at_acceptance`: suppressed when the send was accepted. `from_record`: ended, read from its stored row. `now`: open, so a worker may find otherwise.',
    ),
  stoppedBy: z
    .string()
    .nullable()
    .describe(
      'Check that stopped the message; `provider` if it refused or could not be reached, `worker` if the retries ended; null if nothing did.',
    ),
  waitingFor: z
    .object({
      kind: z
        .enum(['worker', 'response', 'retry', 'credentials', 'provider', 'capacity', 'deferral'])
        .describe(
          'A worker, the response of the provider, the next attempt, valid credentials, a provider that responds, capacity of the provider, or the end of a deferral.',
        ),
      until: z.date().nullable().describe('When the message is due; null if a worker takes it as soon as possible.'),
    })
    .nullable()
    .describe('What an open message waits for; null if it ended.'),
});

/** Answer schemas of sends and messages. */
export const sendAnswers = answersOf<Answers>()(() => {
  const fields = sendFields();
  const EmailSend = z
    .object({
      ...fields,
      channel: z.literal('email').describe('Channel.'),
      subject: z.string().nullable().describe('Subject before variables are replaced; null if a template provides it.'),
    })
    .describe('A send of channel `email`.');
  const PushOrSmsSend = z
    .object({
      ...fields,
      channel: z.enum(['push', 'sms']).describe('Channel.'),
      title: z.string().nullable().describe('Title before variables are replaced; null if there is none.'),
    })
    .describe('A send of channel `push` or `sms`.');
  const Message = z.object(messageFields()).describe('One send to one address or device.');
  const GateVerdict = gateVerdict();
  const MessageExplanation = z
    .object({
      ...explanationFields(),
      gates: z.array(GateVerdict).describe('Checks in the order in which they run.'),
    })
    .describe('Why a message was sent, waits or was not sent; computed on request.');
  return {
    EmailSend,
    PushOrSmsSend,
    Send: z
      .discriminatedUnion('channel', [EmailSend, PushOrSmsSend])
      .describe('One accepted request to reach recipients on one channel.'),
    SmsSend: PushOrSmsSend.extend(smsFacts()).describe('A send of channel `sms`, with the length of its text.'),
    Message,
    GateVerdict,
    MessageExplanation,
    ExplainedMessage: Message.extend({
      explanation: MessageExplanation.describe('Why the message was sent, waits or was not sent.'),
    }).describe('A message with an explanation of its status.'),
    Reported: z.object({ accepted: z.literal(true).describe('Always true.') }).describe('A report that was accepted.'),
    ...previewAnswers(),
    ...dryRunAnswers(smsFacts()),
  };
});
