// Schemas of responses: those of the library, and templates with the fields of their content. Loaded with the first API
// description, never to serve requests.

import { answerSchemas, definitionSchemas, type AnswerName as LibraryAnswer, webhookEventSchema } from '@beckon/core';
import type { z } from 'zod';

/** Responses that also contain the content of a template: the schema of the rest, and that of the content. */
export const templateAnswers = {
  PushTemplate: ['TemplateRow', 'PushTemplateFields'],
  EmailTemplate: ['TemplateRow', 'EmailTemplateFields'],
  SmsTemplate: ['TemplateRow', 'SmsTemplateFields'],
  PushTemplateSaved: ['TemplateRowSaved', 'PushTemplateFields'],
  EmailTemplateSaved: ['TemplateRowSaved', 'EmailTemplateFields'],
  SmsTemplateSaved: ['TemplateRowSaved', 'SmsTemplateFields'],
} as const satisfies Readonly<Record<string, readonly [LibraryAnswer, string]>>;

/** Schema names for `data` of a response. */
export type AnswerName = LibraryAnswer | keyof typeof templateAnswers;

/** Schemas that are only parts of others: no operation returns them directly. */
const PARTS = new Set<string>(['TemplateRowSaved', 'SendCounts'] satisfies LibraryAnswer[]);

/** Response schemas by their names in the document. Throws nothing. */
export const answers = (): Readonly<Record<string, z.ZodType>> => ({
  ...answerSchemas(),
  Step: definitionSchemas.step,
  Trigger: definitionSchemas.trigger,
  Predicate: definitionSchemas.predicate,
  WebhookEvent: webhookEventSchema(),
});

/** True if the document has a schema with this name. Throws nothing. */
export const isDocumented = (name: string): boolean => !PARTS.has(name);
