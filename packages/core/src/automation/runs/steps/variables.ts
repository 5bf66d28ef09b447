// Import warnings for templates and for placeholders outside templates.

import { NOT_RENDERED, notRendered } from '../../../messaging/templates/content-warnings.ts';
import { type LintCode, lint } from '../../../messaging/templates/lint.ts';
import { renderedTexts, unrenderedTexts } from '../../../messaging/templates/texts.ts';
import type { RenderedGroup } from './rendered.ts';
import type { Finding, SavedNames } from './step.ts';

/** Warning for a message to an address, which belongs to no user. */
export const noUserWarning: Finding = {
  path: 'to',
  code: 'no_person',
  message: "A message to an address belongs to no user: it is in no user's history and starts no workflow.",
};

/** Workflows use one code for unknown scopes and unknown fields. */
const codeOf = (code: LintCode): Finding['code'] => (code === 'unknown_scope' ? 'unknown_variable' : code);

/**
 * Warnings for the config of a step: lint results of rendered texts, and strings with `{{` that are not templates.
 * Throws nothing.
 *
 * @param groups the rendered fields
 * @param isNested paths of the config that contain other steps
 */
export function* placeholderFindings(
  config: Readonly<Record<string, unknown>>,
  groups: readonly RenderedGroup[],
  saved: SavedNames,
  isNested: (path: string) => boolean,
): Generator<Finding> {
  for (const { fields, reads } of groups)
    for (const { path, text } of renderedTexts(config, fields))
      for (const { code, message } of lint(text, { ...reads, saved })) yield { path, code: codeOf(code), message };
  const fields = groups.flatMap((group) => group.fields);
  for (const { path, text } of unrenderedTexts(config, fields, isNested))
    yield { path, code: NOT_RENDERED, message: notRendered(text, fields) };
}
