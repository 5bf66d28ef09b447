import { z } from 'zod';
import { answersOf, projectFields } from '../../foundation/answers.ts';
import { CHANNELS } from '../../foundation/channel.ts';
import type { Answers } from './answers.generated.ts';

/** Answer schemas of templates. Content fields are those of the request. */
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
  return {
    TemplateWarning,
    TemplateSummary,
    TemplateRow,
    TemplateRowSaved: TemplateRow.extend({
      warnings: z.array(TemplateWarning).describe('Problems of the template.'),
    }).describe('A saved template without its content.'),
  };
});
