import { z } from 'zod';
import { outboxAnswers } from '../../delivery/transports/sandbox/answers.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import { RENDER_FAILURES, SUPPRESSION_REASONS } from './schema.ts';

const dryRunMessage = () => {
  const recipient = {
    userId: z.string().nullable().describe('Recipient user; null if the address has no user.'),
    address: z.string().nullable().describe('Email address, phone number or device token; null if there is none.'),
  };
  const { EmailContent, PushContent, SmsContent } = outboxAnswers();
  const content = z
    .union([EmailContent, PushContent, SmsContent])
    .describe('The message as its provider would receive it.');
  const noContent = z.null().describe('Always null: nothing would be sent.');
  const status = <const Status extends string>(value: Status) => z.literal(value).describe('Status of the message.');
  return z.discriminatedUnion('status', [
    z.object({ ...recipient, status: status('queued'), reason: z.null().describe('Always null.'), content }),
    z.object({
      ...recipient,
      status: status('deferred'),
      reason: z.literal('quiet_hours').describe('Why the message would wait.'),
      deferredUntil: z.date().describe('End of the quiet hours, when the message is evaluated again.'),
      content,
    }),
    z.object({
      ...recipient,
      status: status('suppressed'),
      reason: z.enum(SUPPRESSION_REASONS).describe('Why the message would not be sent.'),
      content: noContent,
    }),
    z.object({
      ...recipient,
      status: status('failed'),
      reason: z.enum([...RENDER_FAILURES, 'provider_not_configured']).describe('Why the message would fail.'),
      content: noContent,
    }),
  ]);
};

/** Answer schemas of dry runs. */
export const dryRunAnswers = <Facts extends z.ZodRawShape>(smsFacts: Facts) => {
  const DryRunMessage = dryRunMessage().describe('One message of a dry run.');
  const DryRun = z
    .object({
      dryRun: z.literal(true).describe('Always true.'),
      channel: z.enum(CHANNELS).describe('Channel.'),
      recipients: z.int().describe('Recipients of the request.'),
      tokenCount: z.int().describe('Messages that would be created, including suppressed ones.'),
      suppressed: z.partialRecord(z.enum(SUPPRESSION_REASONS), z.int()).describe('Suppressed messages by reason.'),
      messages: z.array(DryRunMessage).describe('The first messages, rendered; at most 100.'),
      warnings: z.array(z.string()).optional().describe('Ignored keys of the request and unresolved variables.'),
    })
    .describe('What a send would do; nothing was written.');
  return { DryRunMessage, DryRun, SmsDryRun: DryRun.extend(smsFacts).describe('A dry run of an SMS.') };
};
