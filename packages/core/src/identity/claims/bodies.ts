import { z } from 'zod';
import { MAX_RENDERED_BYTES, MAX_TEMPLATE_BYTES, MAX_TEMPLATE_CLAIMS } from '../tokens/claims-template.ts';

const template = z
  .record(z.string(), z.unknown())
  .describe(
    `Claims by name: at most ${MAX_TEMPLATE_CLAIMS}, 3 levels and ${MAX_TEMPLATE_BYTES / 1_024} KB. Texts may hold {{user.*}}, {{trait.*}}, {{org.id}}, {{session.id}} and {{scim.groups}}.`,
  );

export const claimsTemplateBody = z.strictObject({ template });
export const previewClaimsBody = z.strictObject({
  template: template.optional().describe('Template to render. Default: the stored one.'),
  id: z
    .string()
    .max(64)
    .optional()
    .describe(
      `Account id of a user whose values are rendered, to at most ${MAX_RENDERED_BYTES / 1_024} KB. Default: none, and placeholders of the user are empty.`,
    ),
});
