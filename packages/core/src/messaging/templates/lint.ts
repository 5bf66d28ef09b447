// Checks a rendered text for likely mistakes of its author, at save time.

import { closestMatch } from 'leven';
import { type Placeholder, scanTemplate } from './compile.ts';
import { foreignTags } from './foreign-tags.ts';

/** A finding. `error`: it never renders as intended; `warning`: it may be intended. */
export type LintFinding = {
  readonly level: 'error' | 'warning';
  readonly code: LintCode;
  readonly message: string;
};
/** Codes of all findings. */
export const LINT_CODES = [
  'unclosed_tag',
  'empty_path',
  'unknown_scope',
  'unknown_filter',
  'unknown_variable',
  'only_in_workflows',
  'stray_brace',
  'foreign_tag',
] as const;
export type LintCode = (typeof LINT_CODES)[number];

/** What a text may read besides events, traits and the built-in fields of a user. */
export type Readable = {
  /** Fields of a user that the channel provides. */
  readonly userFields?: readonly string[] | undefined;
  /** Names saved by earlier workflow steps; absent: not a workflow text. */
  readonly saved?: { has(name: string): boolean } | undefined;
  /** True if `{{secret.NAME}}` is available, as in headers of a webhook step. */
  readonly hasSecrets?: boolean | undefined;
};

/** Built-in fields of a user. Source: interface, Template variables. */
const USER_FIELDS = ['userId', 'email', 'createdAt', 'lastSeenAt', 'locale', 'timezone'] as const;
/** Scopes of every text. Source: interface, Template variables. */
const SCOPES = ['event', 'user', 'trait'] as const;
/** Names of these scopes in other systems and languages. */
const OTHER_NAMES: Readonly<Record<string, (typeof SCOPES)[number]>> = {
  attribute: 'trait',
  attributes: 'trait',
  contact: 'trait',
  customer: 'trait',
  person: 'trait',
  profile: 'trait',
  recipient: 'trait',
  subscriber: 'trait',
  data: 'event',
  properties: 'event',
  props: 'event',
  trigger: 'event',
  variables: 'event',
  vars: 'event',
};
/** Characters of a tag that a finding quotes. Chosen: one line. */
const MAX_QUOTED = 60;
/** Maximum findings of a text. Chosen: more are not readable. */
const MAX_FINDINGS = 50;
/** Maximum characters of a name to suggest for. Chosen: no scope or field is longer. */
const MAX_GUESSED = 20;
/** Maximum edit distance of a typo. Chosen: as in the command line. */
const MAX_DISTANCE = 2;

const quoted = (text: string): string => text.slice(0, MAX_QUOTED).toWellFormed();

const warning = (code: LintCode, message: string): LintFinding => ({ level: 'warning', code, message });
const error = (code: LintCode, message: string): LintFinding => ({ level: 'error', code, message });

const nearest = (name: string, candidates: readonly string[]): string | undefined => {
  if (name.length > MAX_GUESSED) return undefined;
  const small = name.toLowerCase();
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(name.length / 2));
  const found = closestMatch(
    small,
    candidates.map((one) => one.toLowerCase()),
    { maxDistance },
  );
  return candidates.find((one) => one.toLowerCase() === found);
};

const suggestion = (path: string | undefined): string => (path === undefined ? '' : ` Did you mean {{${path}}}?`);

/** Finding for a tag that stays text: without an end, without a path, or with a brace inside. */
const openingOf = (literal: string, at: number): LintFinding => {
  const rest = literal.slice(at + 2);
  const end = rest.indexOf('}}');
  const next = rest.indexOf('{{');
  const isClosed = end !== -1 && (next === -1 || end < next);
  const shown = quoted(`{{${isClosed ? rest.slice(0, end + 2) : rest}`);
  if (!isClosed) return error('unclosed_tag', `The tag ${shown} is not closed by }}.`);
  if (rest.slice(0, end).includes('{') || rest.slice(0, end).includes('}'))
    return error('unclosed_tag', `The tag ${shown} holds a brace, so it is no tag.`);
  return error('empty_path', `The tag ${shown} names nothing, or has an empty name between dots.`);
};

const openingsIn = (literal: string, most: number): LintFinding[] => {
  const found: LintFinding[] = [];
  for (let at = literal.indexOf('{{'); at !== -1 && found.length < most; at = literal.indexOf('{{', at + 2))
    found.push(openingOf(literal, at));
  return found;
};

/** Helpers and sections of other template languages, which begin with a sign. */
const SECTION = /^[#/^>&!*]|^else$/;

/** The likely intended path of an unknown scope; undefined: none. */
const likelyPath = ([first = '', ...rest]: readonly string[], scopes: readonly string[]): string | undefined => {
  if (rest.length > 0) {
    const small = first.toLowerCase();
    const scope = Object.hasOwn(OTHER_NAMES, small) ? OTHER_NAMES[small] : nearest(first, scopes);
    return scope && [scope, ...rest].join('.');
  }
  if (!/^[\w-]+$/.test(first)) return undefined;
  return USER_FIELDS.some((field) => field === first) ? `user.${first}` : `trait.${first}`;
};

const scopeFinding = (path: string, { saved, hasSecrets }: Readable): LintFinding => {
  const tag = `{{${quoted(path)}}}`;
  if (SECTION.test(path)) return error('unknown_scope', `${tag} is no variable: there are no sections or helpers.`);
  const names = path.split('.');
  const scopes = [...SCOPES, ...(saved ? ['steps'] : []), ...(hasSecrets ? ['secret'] : [])];
  const listed = `${scopes.slice(0, -1).join(', ')} and ${scopes.at(-1)}`;
  const likely = likelyPath(names, scopes);
  return error(
    'unknown_scope',
    `No scope has ${tag}; it renders empty. There are ${listed}.${suggestion(likely && quoted(likely))}`,
  );
};

const fieldFinding = (keys: readonly string[], tag: string, userFields: readonly string[]): LintFinding | null => {
  const fields = [...USER_FIELDS, ...userFields];
  const [field = '', ...below] = keys;
  if (fields.includes(field) && below.length === 0) return null;
  const near = below.length === 0 ? nearest(field, fields) : undefined;
  const likely = near === undefined ? ['trait', ...keys].join('.') : `user.${near}`;
  return warning(
    'unknown_variable',
    `A user has no built-in field of ${tag}; it renders empty.${suggestion(quoted(likely))}`,
  );
};

const ofPlaceholder = ({ root, keys, path }: Placeholder, readable: Readable): LintFinding | null => {
  const { saved, hasSecrets, userFields = [] } = readable;
  const tag = `{{${quoted(path)}}}`;
  if (path.includes('|'))
    return error('unknown_filter', `Behind the bar of ${tag} only a default is known, such as | default: "there".`);
  if (root === 'secret' && !hasSecrets)
    return error('unknown_scope', `${tag} renders empty: secrets are filled in within headers of webhook steps only.`);
  if (root === null) return scopeFinding(path, readable);
  if (keys.length === 0) return error('empty_path', `${tag} names a scope and nothing in it.`);
  if (root === 'user') return fieldFinding(keys, tag, userFields);
  if (root !== 'steps') return null;
  if (!saved) return warning('only_in_workflows', `${tag} renders empty in messages that no workflow sends.`);
  const [name = ''] = keys;
  return saved.has(name)
    ? null
    : warning('unknown_variable', `No step before this one saves steps.${quoted(name)}, so ${tag} renders empty.`);
};

/**
 * Checks a text in order: unclosed or empty tags, unknown scopes, fields and filters, and tags of other systems, which
 * are sent literally. Whether an event property or trait will exist is unknown. Each finding is reported once, at most
 * 50. Linear time. Throws nothing.
 */
export const lint = (text: string, readable: Readable = {}): readonly LintFinding[] => {
  const findings: LintFinding[] = [];
  const messages = new Set<string>();
  let examined = 0;
  const add = ({ level, code, message }: LintFinding): void => {
    examined += 1;
    if (messages.has(message)) return;
    messages.add(message);
    findings.push({ level, code, message });
  };
  const paths = new Set<string>();
  const left = (): number => MAX_FINDINGS - examined;
  if (text.includes('{{')) {
    let last = '';
    scanTemplate(text, {
      text: (part) => {
        for (const found of openingsIn(part, left())) add(found);
        last = part;
      },
      braces: () => {
        last = '';
      },
      placeholder: (placeholder) => {
        if (left() === 0) return;
        const isStray = last.endsWith('{');
        const name = `${isStray ? '{' : ''}${placeholder.path}`;
        if (paths.has(name)) return;
        paths.add(name);
        const found = ofPlaceholder(placeholder, readable);
        if (found) add(found);
        else if (isStray)
          add(warning('stray_brace', `A brace stands before {{${quoted(placeholder.path)}}} and is shown.`));
      },
    });
  }
  for (const tag of foreignTags(text, left()))
    add(
      warning(
        'foreign_tag',
        `${quoted(tag)} is a tag of another system and is shown as it is. Ours are {{trait.name}}.`,
      ),
    );
  return findings;
};
