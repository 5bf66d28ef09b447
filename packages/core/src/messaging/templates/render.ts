import { memberAt } from '../../foundation/json.ts';
import type { Placeholder, Root, Template } from './compile.ts';

/**
 * Values that a template may read, by root: plain objects of JSON values. An omitted root has none, so `steps` exists
 * only in workflows and `secret` only in headers of a webhook step.
 */
export type RenderScopes = { readonly [Name in Root]?: Readonly<Record<string, unknown>> };

/**
 * Default maximum bytes of UTF-8 in a rendered text. Source: the security rules of templates; a value can be repeated
 * without limit.
 */
export const MAX_RENDERED_BYTES = 65_536;

/** The rendered text is too large. It is not cut, because half a page of HTML is worse than none. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
  readonly reason = 'too_large';

  constructor(maxBytes = MAX_RENDERED_BYTES) {
    super(`The rendered text is larger than ${maxBytes} bytes.`);
  }
}

/** A part of a text in UTF-16 units; `end` is exclusive. An empty part marks an empty value. */
export type Span = { readonly start: number; readonly end: number };

/** A text with the positions of its values, in order; the text between them is the template's own. */
export type MarkedText = { readonly text: string; readonly values: readonly Span[] };

/**
 * Value of a placeholder; undefined if its path does not resolve. Reads own properties of plain objects and elements of
 * arrays. Throws nothing.
 */
export const valueAt = ({ root, keys }: Placeholder, scopes: RenderScopes): unknown => {
  if (root === null) return undefined;
  let value: unknown = Object.hasOwn(scopes, root) ? scopes[root] : undefined;
  for (const key of keys) value = memberAt(value, key);
  return value;
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
};

/** Entity of a UTF-16 unit in HTML; null: none. */
const entityOf = (code: number): string | null => {
  switch (code) {
    case 0x22:
      return '&quot;';
    case 0x26:
      return '&amp;';
    case 0x27:
      return '&#39;';
    case 0x3c:
      return '&lt;';
    case 0x3e:
      return '&gt;';
    case 0x60:
      return '&#96;';
    default:
      return null;
  }
};

/** Characters up to which a loop beats a regular expression. Measured. */
const SHORT = 12;

/**
 * Escapes a text for HTML elements and quoted attributes. Not for unquoted attributes, which a space ends, nor for
 * scripts and CSS, which have their own rules. Throws nothing.
 */
export const escapeHtml = (text: string): string => {
  const start = text.length > SHORT ? text.search(/[&<>"'`]/) : 0;
  if (start === -1) return text;
  let escaped = '';
  let end = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // All escaped characters are at most this code, and most letters are above it.
    const entity = code > 0x60 ? null : entityOf(code);
    if (entity === null) continue;
    escaped += text.slice(end, at) + entity;
    end = at + 1;
  }
  return end === 0 ? text : escaped + text.slice(end);
};

// A UTF-16 unit has at most three bytes of UTF-8, so most texts need no count.
const isTooLarge = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && (text.length > maxBytes || Buffer.byteLength(text) > maxBytes);

export type RenderOptions = {
  /** Escapes each value for HTML (not the template's own text); set for every HTML field except `bodyHtml`. */
  readonly escapeHtml: boolean;
  /** Maximum bytes of UTF-8 of the result; absent: 65,536. */
  readonly maxBytes?: number | undefined;
};

const filled = (
  { literals, placeholders }: Template,
  scopes: RenderScopes,
  { escapeHtml: isEscaped, maxBytes = MAX_RENDERED_BYTES }: RenderOptions,
  put?: (start: number, end: number) => void,
): string => {
  let text = literals[0] ?? '';
  for (let index = 0; index < placeholders.length; index++) {
    const placeholder = placeholders[index];
    const value = placeholder ? textOf(valueAt(placeholder, scopes)) : '';
    if (value === '' && placeholder?.fallback) text += placeholder.fallback;
    else {
      const start = text.length;
      text += isEscaped ? escapeHtml(value) : value;
      put?.(start, text.length);
    }
    text += literals[index + 1] ?? '';
    if (text.length > maxBytes) throw new RenderError(maxBytes);
  }
  if (isTooLarge(text, maxBytes)) throw new RenderError(maxBytes);
  return text;
};

/**
 * Renders a template.
 *
 * Strings are inserted literally, numbers and booleans as JSON; null, objects, arrays and unresolved paths render
 * empty. Only own properties of plain objects and elements of arrays are read. Values are not scanned for placeholders.
 * The default of a placeholder without a value is the template's own text: not escaped, and not marked as a value.
 *
 * @throws RenderError (`reason: 'too_large'`) when the result would exceed `maxBytes`
 */
export const render = (template: Template, scopes: RenderScopes, options: RenderOptions): string =>
  filled(template, scopes, options);

/** Like `render`, with the positions of values. Throws the same. */
export const renderMarked = (template: Template, scopes: RenderScopes, options: RenderOptions): MarkedText => {
  const values: Span[] = [];
  const text = filled(template, scopes, options, (start, end) => values.push({ start, end }));
  return { text, values };
};
