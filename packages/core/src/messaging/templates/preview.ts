import { z } from 'zod';
import { withoutNulls } from '../../foundation/absent-null.ts';
import { longArrayIn, TOO_MANY_ITEMS } from '../../foundation/array-items.ts';
import type { Channel } from '../../foundation/channel.ts';
import { cleanId, isObject } from '../../foundation/json.ts';
import { jsonKeywords } from '../../foundation/json-keywords.ts';
import { parse } from '../../foundation/parse.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { TemplateTypes } from './api.ts';
import { compileTemplate } from './compile.ts';
import type { TemplateContent, TemplateKind } from './kind.ts';
import { type RenderScopes, render } from './render.ts';
import { renderedTexts } from './texts.ts';

/** Maximum characters of a userId. Source: contract, Ingest and profiles. */
const MAX_ID_CHARACTERS = 256;
/** Maximum characters of a language tag. Chosen: RFC 5646 recommends 35. */
const MAX_TAG_CHARACTERS = 64;
/** Maximum unresolved variables listed. Chosen: more are not readable. */
const MAX_UNRESOLVED = 100;

const storable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => cleanId(text) !== null, 'must not contain the character U+0000');

/** Values of `event.*` of the caller. */
export const variables = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
  .superRefine((input, context) => {
    const long = longArrayIn(input);
    if (long !== null) context.addIssue({ code: 'custom', path: [long], message: TOO_MANY_ITEMS });
  })
  .register(jsonKeywords, { type: 'object' });

/** Body of a preview. */
export const previewBody = z.strictObject({
  userId: storable(MAX_ID_CHARACTERS)
    .optional()
    .describe('Id of the user whose profile fills {{user.*}} and {{trait.*}}. Default: a sample user.'),
  variables: variables.optional().describe('Values of {{event.*}}. Default: none.'),
  locale: storable(MAX_TAG_CHARACTERS)
    .optional()
    .describe("Language to render, such as nl-BE. At most 64 characters. Default: the user's."),
});
export type PreviewBody = z.output<typeof previewBody>;
/** Parses it. Throws VALIDATION_ERROR. */
export const parsePreview = (body: unknown): PreviewBody => parse(previewBody, withoutNulls(previewBody, body));

/** Renders a template for a user as a send would, without sending. Throws VALIDATION_ERROR for invalid content. */
export type RenderPreview<T extends TemplateTypes> = <C extends Channel>(
  scope: Scope,
  kind: TemplateKind<C>,
  template: TemplateContent,
  request: PreviewBody,
) => Promise<T[C]['preview']>;

/** A sample user: built-in fields only, with made-up values. */
export const SAMPLE_USER: Readonly<Record<string, unknown>> = {
  userId: 'sample-user',
  email: 'sample@example.com',
  createdAt: '2026-01-01T12:00:00.000Z',
  lastSeenAt: '2026-01-02T12:00:00.000Z',
  locale: 'en',
  timezone: 'UTC',
};

/** Variables of the texts without a value and without a default, each once; at most 100. Throws nothing. */
export const unresolvedIn = (
  { texts }: Pick<TemplateKind, 'texts'>,
  content: TemplateContent,
  scopes: RenderScopes,
): readonly string[] => {
  const paths = new Set<string>();
  for (const { text } of renderedTexts(content, texts))
    for (const placeholder of compileTemplate(text).placeholders) {
      if (placeholder.fallback || paths.has(placeholder.path)) continue;
      if (paths.size === MAX_UNRESOLVED) return [...paths];
      const alone = { literals: ['', ''], placeholders: [placeholder] };
      if (render(alone, scopes, { escapeHtml: false, maxBytes: Number.POSITIVE_INFINITY }) === '')
        paths.add(placeholder.path);
    }
  return [...paths];
};
