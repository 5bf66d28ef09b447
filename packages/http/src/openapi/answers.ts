// What answers hold: the schemas of the library, and templates with the fields of their content. Loaded with the first
// description of the interface, never by what serves requests.

import { answerSchemas, definitionSchemas, type AnswerName as LibraryAnswer, webhookEventSchema } from '@beckon/core';
import type { z } from 'zod';

/** Answers that hold the content of a template as well: the schema of the rest, and that of the content. */
export const templateAnswers = {
  PushTemplate: ['TemplateRow', 'PushTemplateFields'],
  EmailTemplate: ['TemplateRow', 'EmailTemplateFields'],
  SmsTemplate: ['TemplateRow', 'SmsTemplateFields'],
  PushTemplateSaved: ['TemplateRowSaved', 'PushTemplateFields'],
  EmailTemplateSaved: ['TemplateRowSaved', 'EmailTemplateFields'],
  SmsTemplateSaved: ['TemplateRowSaved', 'SmsTemplateFields'],
} as const satisfies Readonly<Record<string, readonly [LibraryAnswer, string]>>;

/** What `data` of an answer can be. */
export type AnswerName = LibraryAnswer | keyof typeof templateAnswers;

/** Answers of which only parts of other schemas are made: no operation has them. */
const PARTS = new Set<string>(['TemplateRowSaved', 'SendCounts'] satisfies LibraryAnswer[]);

/** The schemas of what answers hold, by the names that the document gives them. Throws nothing. */
export const answers = (): Readonly<Record<string, z.ZodType>> => ({
  ...answerSchemas(),
  Step: definitionSchemas.step,
  Trigger: definitionSchemas.trigger,
  Predicate: definitionSchemas.predicate,
  WebhookEvent: webhookEventSchema(),
});

/** Whether the document has a schema of this name. Throws nothing. */
export const isDocumented = (name: string): boolean => !PARTS.has(name);
