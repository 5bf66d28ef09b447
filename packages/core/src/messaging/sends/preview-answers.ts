import { z } from 'zod';
import { outboxAnswers } from '../../delivery/transports/sandbox/answers.ts';
import type { Channel } from '../../foundation/channel.ts';
import { templateAnswers } from '../templates/answers.ts';
import { RENDER_FAILURES, SUPPRESSION_REASONS } from './schema.ts';

/** Answer schemas of template previews. */
export const previewAnswers = () => {
  const { TemplateWarning } = templateAnswers();
  const { PushContent, EmailContent, SmsContent } = outboxAnswers();
  const preview = {
    templateId: z.uuid().describe('Id of the template.'),
    version: z.int().describe('Version of the template.'),
    status: z.enum(['queued', 'suppressed', 'failed']).describe('Status that a message would have.'),
    reason: z
      .enum([...SUPPRESSION_REASONS, ...RENDER_FAILURES])
      .nullable()
      .describe('Why the message would not be sent; null if it would.'),
    unresolved: z.array(z.string()).describe('Variables without value or default; they render as empty text.'),
    warnings: z.array(TemplateWarning).describe('Problems of the template.'),
  };
  const of = <const C extends Channel, Content extends z.ZodType>(channel: C, content: Content) =>
    z.object({
      ...preview,
      channel: z.literal(channel).describe('Channel.'),
      content: content.nullable().describe('The rendered message; null if there is nothing to show.'),
    });
  return {
    PushPreview: of('push', PushContent).describe('A rendered push template.'),
    EmailPreview: of('email', EmailContent).describe('A rendered email template.'),
    SmsPreview: of('sms', SmsContent).describe('A rendered SMS template.'),
  };
};
