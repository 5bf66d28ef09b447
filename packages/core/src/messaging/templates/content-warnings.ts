// What is pointed out in the fields of a template or a send body: in texts that are rendered, and in fields that are not.

import { isObject } from '../../foundation/json.ts';
import type { TemplateWarning } from './answers.generated.ts';
import type { TemplateContent, TemplateKind } from './kind.ts';
import { type LintFinding, lint } from './lint.ts';
import { renderedTexts, unrenderedTexts } from './texts.ts';

/** Warnings of one template or send. Chosen: nobody reads more. */
const MAX_WARNINGS = 100;
/** Characters of a text that a warning quotes. Chosen: one line. */
const MAX_QUOTED = 60;

/** The code of a string with two braces in a field that is no template. */
export const NOT_RENDERED = 'not_rendered' as const;

const tagIn = (text: string): string => {
  const at = text.indexOf('{{');
  const end = text.indexOf('}}', at);
  return text.slice(at, Math.min(at + MAX_QUOTED, end === -1 ? text.length : end + 2)).toWellFormed();
};

/**
 * Says that a placeholder stands where nothing is rendered.
 *
 * @param rendered the fields beside it that are templates
 */
export const notRendered = (text: string, rendered: readonly string[]): string =>
  `This is no template: ${tagIn(text)} is taken as it is written. ${
    rendered.length === 0 ? 'Nothing is rendered here.' : `Rendered are ${rendered.join(', ')}.`
  }`;

/** A finding of lint, and the field that it is about. */
export type TextFinding = LintFinding & { readonly path: string };

/** What lint says of the texts of a content that are rendered, in their order. Throws nothing. */
export function* textFindings(
  { texts, userFields }: Pick<TemplateKind, 'texts' | 'userFields'>,
  content: TemplateContent,
): Generator<TextFinding> {
  for (const { path, text } of renderedTexts(content, texts))
    for (const finding of lint(text, { userFields })) yield { path, ...finding };
}

/** A warning for each other string of a content that holds two braces. Throws nothing. */
export function* unrenderedFields(
  { texts }: Pick<TemplateKind, 'texts'>,
  content: TemplateContent,
): Generator<TemplateWarning> {
  for (const { path, text } of unrenderedTexts(content, texts))
    yield { path, code: NOT_RENDERED, message: notRendered(text, texts) };
}

/** The first warnings of a sequence; at most 100. */
export const firstWarnings = (warnings: Iterable<TemplateWarning>): TemplateWarning[] => {
  const first: TemplateWarning[] = [];
  for (const one of warnings) {
    if (first.length === MAX_WARNINGS) break;
    first.push(one);
  }
  return first;
};

/** Warnings in the answer to a send. Chosen, as of keys that are ignored. */
const MAX_SENTENCES = 20;

/**
 * What is pointed out in the texts of a send body and in its other fields, as sentences that begin with the field. Never a
 * reason to refuse the send. At most 20. Throws nothing.
 */
export const bodyWarnings = (kind: Pick<TemplateKind, 'texts' | 'userFields'>, body: unknown): string[] => {
  if (!isObject(body)) return [];
  const sentences: string[] = [];
  for (const found of [textFindings(kind, body), unrenderedFields(kind, body)])
    for (const { path, message } of found) {
      if (sentences.length === MAX_SENTENCES) return sentences;
      sentences.push(`${path}: ${message}`);
    }
  return sentences;
};
