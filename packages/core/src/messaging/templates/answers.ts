import { z } from 'zod';
import { outboxAnswers } from '../../delivery/transports/sandbox/answers.ts';
import { answersOf, projectFields } from '../../foundation/answers.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import { RENDER_FAILURES, SUPPRESSION_REASONS } from '../sends/schema.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about templates. Content fields are those of the request. */
export const templateAnswers = answersOf<Answers>()(() => {
  const TemplateWarning = z
    .object({
      path: z.string().nullable().describe('Field of the warning, such as `data.url`; null for the whole content.'),
      code: z.string().describe('Stable code, such as `unknown_variable` or `payload_too_large`.'),
      message: z.string().describe('The warning, in one sentence.'),
    })
    .describe('A problem of a template that does not prevent saving it.');
  const TemplateSummary = z
    .object({ id: z.uuid().describe('Id of the template.'), name: z.string().describe('Name of the template.') })
    .describe('Id and name of a template.');
  const TemplateRow = z
    .object({
      ...TemplateSummary.shape,
      ...projectFields('template'),
      channel: z.enum(CHANNELS).describe('Channel of the template.'),
      version: z.int().describe('Increases with every change, from 1; a send keeps the version of its acceptance.'),
      createdAt: z.date().describe('When the template was created.'),
      updatedAt: z.date().describe('When this version was saved.'),
    })
    .describe('A template without its content.');
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
  const { PushContent, EmailContent, SmsContent } = outboxAnswers();
  const content = 'The rendered message; null if there is nothing to show.';
  return {
    TemplateWarning,
    TemplateSummary,
    TemplateRow,
    TemplateRowSaved: TemplateRow.extend({
      warnings: z.array(TemplateWarning).describe('Problems of the template.'),
    }).describe('A saved template without its content.'),
    PushPreview: z
      .object({
        ...preview,
        channel: z.literal('push').describe('Channel.'),
        content: PushContent.nullable().describe(content),
      })
      .describe('A rendered push template.'),
    EmailPreview: z
      .object({
        ...preview,
        channel: z.literal('email').describe('Channel.'),
        content: EmailContent.nullable().describe(content),
      })
      .describe('A rendered email template.'),
    SmsPreview: z
      .object({
        ...preview,
        channel: z.literal('sms').describe('Channel.'),
        content: SmsContent.nullable().describe(content),
      })
      .describe('A rendered SMS template.'),
  };
});
