// What is pointed out in the texts of configs, and in what is no text.

import { NOT_RENDERED, notRendered } from '../../../messaging/templates/content-warnings.ts';
import { type LintCode, lint } from '../../../messaging/templates/lint.ts';
import { renderedTexts, unrenderedTexts } from '../../../messaging/templates/texts.ts';
import type { RenderedGroup } from './rendered.ts';
import type { Finding, SavedNames } from './step.ts';

/** Says that a message to an address is nobody's. */
export const nobodys = (message: string): Finding => ({
  path: 'to',
  code: 'no_person',
  message: `A ${message} to an address is nobody's: it stands in no history and starts no workflow.`,
});

/** A workflow has one word for a variable that nothing gives, whether its scope or its field is unknown. */
const codeOf = (code: LintCode): Finding['code'] => (code === 'unknown_scope' ? 'unknown_variable' : code);

/**
 * What is pointed out in the config of a step: in each text that is rendered what lint says of it, and each string with
 * `{{` that is no template. Throws nothing.
 *
 * @param groups the fields that are rendered
 * @param isNested paths of the config that hold other steps
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
