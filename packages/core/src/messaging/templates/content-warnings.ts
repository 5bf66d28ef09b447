// Warnings about the fields of a template or send body: rendered texts, and fields that are not rendered.

import { isObject } from '../../foundation/json.ts';
import type { TemplateWarning } from './answers.generated.ts';
import type { TemplateContent, TemplateKind } from './kind.ts';
import { type LintFinding, lint } from './lint.ts';
import { renderedTexts, unrenderedTexts } from './texts.ts';

/** Maximum warnings of a template or send. Chosen: more are not readable. */
const MAX_WARNINGS = 100;
/** Characters of a text that a warning quotes. Chosen: one line. */
const MAX_QUOTED = 60;

/** Code of a text with double braces in a field that is not rendered. */
export const NOT_RENDERED = 'not_rendered' as const;

const tagIn = (text: string): string => {
  const at = text.indexOf('{{');
  const end = text.indexOf('}}', at);
  return text.slice(at, Math.min(at + MAX_QUOTED, end === -1 ? text.length : end + 2)).toWellFormed();
};

/**
 * Warning for a placeholder in a field that is not rendered.
 *
 * @param rendered rendered fields beside it
 */
export const notRendered = (text: string, rendered: readonly string[]): string =>
  `This is no template: ${tagIn(text)} is taken as it is written. ${
    rendered.length === 0 ? 'Nothing is rendered here.' : `Rendered are ${rendered.join(', ')}.`
  }`;

/** A lint finding with its field. */
export type TextFinding = LintFinding & { readonly path: string };

/** Lint findings of rendered texts, in order. Throws nothing. */
export function* textFindings(
  { texts, userFields }: Pick<TemplateKind, 'texts' | 'userFields'>,
  content: TemplateContent,
): Generator<TextFinding> {
  for (const { path, text } of renderedTexts(content, texts))
    for (const finding of lint(text, { userFields })) yield { path, ...finding };
}

/** Findings of other strings with double braces. Throws nothing. */
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
  for (const warning of warnings) {
    if (first.length === MAX_WARNINGS) break;
    first.push(warning);
  }
  return first;
};

/** Maximum warnings in the answer to a send. Chosen: as for ignored keys. */
const MAX_SENTENCES = 20;

/**
 * Warnings about a send body, as sentences that begin with the field. They never reject the send. At most 20. Throws
 * nothing.
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
