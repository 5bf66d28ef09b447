// Claims that a project adds to its access tokens: a JSON object whose texts may hold placeholders. A text that is one
// placeholder takes the value with its type; placeholders within a text become text.

import { validationError } from '../../foundation/errors.ts';
import { isObject, memberAt, utf8Bytes } from '../../foundation/json.ts';
import { isJsonValue, type JsonValue } from '../../foundation/json-value.ts';
import { RESERVED_CLAIMS } from './claims.ts';

/** Bytes of a template as JSON. Source of these limits: authentication design, Claim templates. */
export const MAX_TEMPLATE_BYTES = 8_192;
/** Bytes of rendered claims as JSON. */
export const MAX_RENDERED_BYTES = 4_096;
/** Levels of objects and lists; the template itself is level 1. */
export const MAX_TEMPLATE_DEPTH = 3;
/** Claims of a template, not counting members of their objects. */
export const MAX_TEMPLATE_CLAIMS = 32;
/** Names that `{{scim.groups}}` renders. */
export const MAX_GROUPS = 50;

/** A validated template. */
export type ClaimsTemplate = { readonly [claim: string]: JsonValue };

/** Values of the placeholders. */
export type ClaimSources = {
  /** `{{user.*}}`: the account as the API shows it. */
  readonly user: Readonly<Record<string, unknown>>;
  /** `{{trait.*}}`: traits of the profile. */
  readonly trait: Readonly<Record<string, unknown>>;
  readonly orgId: string;
  readonly sessionId: string;
  /** Display names of the user's SCIM groups. */
  readonly groups: readonly string[];
};

export type RenderedClaims =
  | { readonly outcome: 'rendered'; readonly claims: ClaimsTemplate }
  /** The token is issued without them, and the audit log has the reason. */
  | { readonly outcome: 'skipped'; readonly reason: 'too_large' | 'profile_unreadable' };

/** Members that a later merge of objects could take for a prototype. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** A placeholder and its path, without braces within. */
const PLACEHOLDER = /\{\{\s*([^{}\s]+)\s*\}\}/g;
const WHOLE_PLACEHOLDER = /^\{\{\s*([^{}\s]+)\s*\}\}$/;
const ANY_BRACES = /\{\{[^{}]*\}\}/g;
/** Paths that hold one value each. */
const SINGLE_PATHS: ReadonlySet<string> = new Set(['org.id', 'session.id', 'scim.groups']);
const ROOT_PATH = /^(?:user|trait)(?:\.[^.]+)+$/;

const isPath = (path: string): boolean => SINGLE_PATHS.has(path) || ROOT_PATH.test(path);

const wrongPlaceholderOf = (text: string): string | null => {
  for (const [tag] of text.matchAll(ANY_BRACES)) {
    const path = WHOLE_PLACEHOLDER.exec(tag)?.[1];
    if (path === undefined || !isPath(path)) return tag;
  }
  return null;
};

type Fault = { readonly path: string; readonly text: string };

const faultOf = (value: JsonValue, path: string): Fault | null => {
  if (typeof value === 'string') {
    const tag = wrongPlaceholderOf(value);
    return tag === null
      ? null
      : {
          path,
          text: `has the unknown placeholder ${tag.slice(0, 100)}: use user.*, trait.*, org.id, session.id or scim.groups`,
        };
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    const itemPath = path === '' ? name : `${path}.${name}`;
    if (UNSAFE_NAMES.has(name)) return { path: itemPath, text: 'is not an allowed name' };
    const fault = faultOf(item, itemPath);
    if (fault) return fault;
  }
  return null;
};

/**
 * Validates a template.
 *
 * @returns the same object
 * @throws BeckonError VALIDATION_ERROR with the path of the wrong claim; `details.reason` is `reserved_claim` for a name
 * that Beckon or a standard defines
 */
export const parseClaimsTemplate = (input: unknown): ClaimsTemplate => {
  if (!isObject(input)) throw validationError({ template: ['must be an object'] });
  if (!isJsonValue(input, MAX_TEMPLATE_DEPTH))
    throw validationError({ template: [`must be JSON of at most ${MAX_TEMPLATE_DEPTH} levels`] });
  // Safe: an object that is a JSON value.
  const template = input as ClaimsTemplate;
  if (utf8Bytes(template) > MAX_TEMPLATE_BYTES)
    throw validationError({ template: [`must have at most ${MAX_TEMPLATE_BYTES} bytes`] });
  const names = Object.keys(template);
  if (names.length > MAX_TEMPLATE_CLAIMS)
    throw validationError({ template: [`must have at most ${MAX_TEMPLATE_CLAIMS} claims`] });
  const reserved = names.filter((name) => RESERVED_CLAIMS.has(name));
  if (reserved.length > 0) {
    const fieldErrors = Object.fromEntries(reserved.map((name) => [`template.${name}`, ['is a reserved claim']]));
    throw validationError(fieldErrors, undefined, { reason: 'reserved_claim' });
  }
  const fault = faultOf(template, '');
  if (fault) throw validationError({ [`template.${fault.path}`]: [fault.text] });
  return template;
};

// The value of a path; undefined if there is none. A trait may have dots in its name, so the whole name goes first.
const valueAt = (path: string, sources: ClaimSources): unknown => {
  switch (path) {
    case 'org.id':
      return sources.orgId;
    case 'session.id':
      return sources.sessionId;
    case 'scim.groups':
      return sources.groups.slice(0, MAX_GROUPS);
  }
  const [root, ...names] = path.split('.');
  const source = root === 'user' ? sources.user : root === 'trait' ? sources.trait : {};
  return memberAt(source, names.join('.')) ?? names.reduce<unknown>(memberAt, source);
};

/** Deepest value of a trait that is rendered. Source: semantics, JSON depth (a body has 32 levels). */
const MAX_VALUE_DEPTH = 32;

const resolved = (path: string, sources: ClaimSources): JsonValue => {
  const value = valueAt(path, sources) ?? '';
  return isJsonValue(value, MAX_VALUE_DEPTH) ? value : '';
};

const asText = (value: JsonValue): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** Thrown inside `renderClaims` only, as soon as the result cannot fit. */
const TOO_LARGE = new Error('The rendered claims are too large.');

type Budget = { bytesLeft: number };

// Counts before anything is joined: 900 placeholders for a trait of 16 KB would otherwise build 14 MB.
const spend = <Value extends JsonValue>(budget: Budget, value: Value): Value => {
  budget.bytesLeft -= typeof value === 'string' ? value.length : utf8Bytes(value);
  if (budget.bytesLeft < 0) throw TOO_LARGE;
  return value;
};

const renderText = (text: string, sources: ClaimSources, budget: Budget): JsonValue => {
  const whole = WHOLE_PLACEHOLDER.exec(text)?.[1];
  if (whole !== undefined) return spend(budget, resolved(whole, sources));
  return spend(
    budget,
    text.replace(PLACEHOLDER, (_, path: string) => spend(budget, asText(resolved(path, sources)))),
  );
};

const renderValue = (value: JsonValue, sources: ClaimSources, budget: Budget): JsonValue => {
  if (typeof value === 'string') return renderText(value, sources, budget);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => renderValue(item, sources, budget));
  const entries = Object.entries(value).filter(([name]) => !UNSAFE_NAMES.has(name));
  return Object.fromEntries(entries.map(([name, item]) => [name, renderValue(item, sources, budget)]));
};

// Array.isArray does not narrow readonly arrays.
const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

/**
 * Renders a template. Only own members of plain objects are read; a path without a value renders as an empty text. Values
 * are never searched for placeholders.
 *
 * @param sources null if the profile could not be read
 * @returns claims of at most `MAX_RENDERED_BYTES`, without reserved names; or why they are skipped. Throws nothing.
 */
export const renderClaims = (template: ClaimsTemplate, sources: ClaimSources | null): RenderedClaims => {
  if (!sources) return { outcome: 'skipped', reason: 'profile_unreadable' };
  // A stored template may be older than a reserved name.
  const entries = Object.entries(template).filter(([name]) => !RESERVED_CLAIMS.has(name) && !UNSAFE_NAMES.has(name));
  const budget = { bytesLeft: MAX_RENDERED_BYTES };
  try {
    const claims = Object.fromEntries(entries.map(([name, value]) => [name, renderValue(value, sources, budget)]));
    if (utf8Bytes(claims) <= MAX_RENDERED_BYTES) return { outcome: 'rendered', claims };
  } catch (error) {
    if (error !== TOO_LARGE) throw error;
  }
  return { outcome: 'skipped', reason: 'too_large' };
};
