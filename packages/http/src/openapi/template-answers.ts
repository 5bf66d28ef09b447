// What answers hold about templates.

import {
  CHANNELS,
  type TemplatePreview,
  type TemplateRow,
  type TemplateSummary,
  type TemplateWarning,
  words,
} from '@beckon/core';
import { z } from 'zod';
import { sandboxContents } from './delivery-answers.ts';
import { answerOf, id, moment, word } from './wire.ts';

const warning = answerOf<TemplateWarning>()(
  z.object({ path: z.string().nullable(), code: z.string(), message: z.string() }),
);
const row = answerOf<TemplateRow>()(
  z.object({
    id,
    orgId: id,
    projectId: id,
    channel: word(CHANNELS),
    name: z.string(),
    version: z.int(),
    createdAt: moment,
    updatedAt: moment,
  }),
);
const saved = row.extend({ warnings: z.array(warning) });

const preview = {
  templateId: id,
  version: z.int(),
  status: z.enum(['queued', 'suppressed', 'failed']),
  reason: z.enum([...words.suppressionReasons, ...words.renderFailures]).nullable(),
  unresolved: z.array(z.string()),
  warnings: z.array(warning),
};
const { push, email, sms } = sandboxContents;

/** Schemas of this file, by the names that the document gives them. */
export const templateAnswers = {
  TemplateRow: row,
  TemplateSummary: answerOf<TemplateSummary>()(z.object({ id, name: z.string() })),
  // Each with what it holds as well: `holding` says which.
  PushTemplate: row.extend({}),
  EmailTemplate: row.extend({}),
  SmsTemplate: row.extend({}),
  PushTemplateSaved: saved.extend({}),
  EmailTemplateSaved: saved.extend({}),
  SmsTemplateSaved: saved.extend({}),
  PushPreview: answerOf<TemplatePreview<'push'>>()(
    z.object({ ...preview, channel: z.literal('push'), content: push.nullable() }),
  ),
  EmailPreview: answerOf<TemplatePreview<'email'>>()(
    z.object({ ...preview, channel: z.literal('email'), content: email.nullable() }),
  ),
  SmsPreview: answerOf<TemplatePreview<'sms'>>()(
    z.object({ ...preview, channel: z.literal('sms'), content: sms.nullable() }),
  ),
};

/** The answers that also hold fields as a caller gave them, and the name of the schema of these. */
export const holding: Readonly<Record<string, string>> = {
  PushTemplate: 'PushTemplateFields',
  EmailTemplate: 'EmailTemplateFields',
  SmsTemplate: 'SmsTemplateFields',
  PushTemplateSaved: 'PushTemplateFields',
  EmailTemplateSaved: 'EmailTemplateFields',
  SmsTemplateSaved: 'SmsTemplateFields',
};
