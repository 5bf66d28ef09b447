// What is wrong, and what is odd, in a text that will be rendered for people: told while its author looks at it.

import { compileTemplate, type Placeholder } from './compile.ts';

/** What lint says of one text. `error` is never rendered as its author meant it; `warning` may be meant. */
export type LintFinding = {
  readonly level: 'error' | 'warning';
  readonly code: LintCode;
  readonly message: string;
};
export type LintCode =
  | 'unclosed_tag'
  | 'empty_path'
  | 'unknown_scope'
  | 'unknown_filter'
  | 'unknown_variable'
  | 'only_in_workflows'
  | 'stray_brace';

/** Built-in fields of a user that templates may read. Source: interface, Template variables. */
const USER_FIELDS: ReadonlySet<string> = new Set(['userId', 'email', 'createdAt', 'lastSeenAt', 'locale', 'timezone']);
/** Characters of a template that a finding quotes; ours. */
const MAX_QUOTED = 60;
/** Findings of one text; ours: a text of many mistakes has more of them than anybody reads. */
const MAX_FINDINGS = 50;

const quoted = (text: string): string => text.slice(0, MAX_QUOTED).toWellFormed();

const warning = (code: LintCode, message: string): LintFinding => ({ level: 'warning', code, message });
const error = (code: LintCode, message: string): LintFinding => ({ level: 'error', code, message });

/** A tag that opened and is text all the same: without its end, without a path, or with a brace in it. */
const openingOf = (literal: string, at: number): LintFinding => {
  const behind = literal.slice(at + 2);
  const end = behind.indexOf('}}');
  const next = behind.indexOf('{{');
  const isClosed = end !== -1 && (next === -1 || end < next);
  const shown = quoted(`{{${isClosed ? behind.slice(0, end + 2) : behind}`);
  if (!isClosed) return error('unclosed_tag', `The tag ${shown} is not closed by }}.`);
  if (behind.slice(0, end).includes('{') || behind.slice(0, end).includes('}'))
    return error('unclosed_tag', `The tag ${shown} holds a brace, so it is no tag.`);
  return error('empty_path', `The tag ${shown} names nothing, or has an empty name between dots.`);
};

const openingsIn = (literal: string, most: number): LintFinding[] => {
  const found: LintFinding[] = [];
  for (let at = literal.indexOf('{{'); at !== -1 && found.length < most; at = literal.indexOf('{{', at + 2))
    found.push(openingOf(literal, at));
  return found;
};

const ofPlaceholder = ({ root, keys, path }: Placeholder, given: readonly string[]): LintFinding | null => {
  const tag = `{{${quoted(path)}}}`;
  if (path.includes('|'))
    return error('unknown_filter', `Behind the bar of ${tag} only a default is known, such as | default: "there".`);
  if (root === null || root === 'secret')
    return error('unknown_scope', `No scope has ${tag}; there are event, user and trait.`);
  if (keys.length === 0) return error('empty_path', `${tag} names a scope and nothing in it.`);
  const isField = (name: string): boolean => USER_FIELDS.has(name) || given.includes(name);
  if (root === 'user' && !(keys.length === 1 && isField(keys[0] ?? '')))
    return warning('unknown_variable', `A user has no built-in field of ${tag}; it renders empty. Traits are trait.*.`);
  if (root === 'steps') return warning('only_in_workflows', `${tag} renders empty in whatever no workflow sends.`);
  return null;
};

/**
 * Looks through one text, in its order: tags that are not closed or name nothing, scopes and filters that there are not,
 * and what is legal but odd. Whether an event or a trait will be there nobody knows. At most 50 findings. Throws nothing.
 *
 * @param given fields of a user that the channel gives besides the built-in ones
 */
export const lint = (text: string, given: readonly string[] = []): readonly LintFinding[] => {
  const { literals, placeholders } = compileTemplate(text);
  const findings: LintFinding[] = [];
  for (const [index, literal] of literals.entries()) {
    findings.push(...openingsIn(literal, MAX_FINDINGS - findings.length));
    const placeholder = placeholders[index];
    const found = placeholder ? ofPlaceholder(placeholder, given) : null;
    if (found) findings.push(found);
    else if (placeholder && literal.endsWith('{'))
      findings.push(warning('stray_brace', `A brace stands before {{${quoted(placeholder.path)}}} and is shown.`));
    if (findings.length >= MAX_FINDINGS) break;
  }
  return findings.slice(0, MAX_FINDINGS);
};
