import { memberAt } from '../../foundation/json.ts';
import type { Placeholder, Root, Template } from './compile.ts';

/**
 * The values a template may read, by root. A root that is left out has none; so `steps` exists only where a workflow
 * passes it, and `secret` only in the headers of its webhook step. Plain objects of JSON values.
 */
export type RenderScopes = { readonly [Name in Root]?: Readonly<Record<string, unknown>> };

/**
 * Bytes of UTF-8 in a rendered text, where whoever renders says nothing else. Source: the security rules of templates; a
 * value can repeat without bound.
 */
export const MAX_RENDERED_BYTES = 65_536;

/** A template whose text would be too large. It is not cut: half a page of HTML is worse than none. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
  readonly reason = 'too_large';

  constructor(maxBytes = MAX_RENDERED_BYTES) {
    super(`The rendered text is larger than ${maxBytes} bytes.`);
  }
}

/** A part of a text, as UTF-16 units: `end` is behind it. One of no length is where an empty value stands. */
export type Span = { readonly start: number; readonly end: number };

/** A text that remembers which parts of it are values, in their order; what is between them is the template's own. */
export type MarkedText = { readonly text: string; readonly values: readonly Span[] };

/**
 * What a placeholder stands for; undefined where its path leads nowhere. Reads own properties of plain objects, and
 * elements of arrays where a name is an index. Throws nothing.
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

/** What stands for a UTF-16 unit in HTML; null: itself. */
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

/** Up to how many characters a loop is over sooner than a search has begun; measured. */
const SHORT = 12;

/**
 * Makes text safe inside HTML elements and quoted attributes. Not in unquoted ones, which a space ends, and not in
 * scripts and CSS, which have rules of their own. Throws nothing.
 */
export const escapeHtml = (text: string): string => {
  const start = text.length > SHORT ? text.search(/[&<>"'`]/) : 0;
  if (start === -1) return text;
  let escaped = '';
  let end = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // All that are escaped are at most this, and most letters are not.
    const entity = code > 0x60 ? null : entityOf(code);
    if (entity === null) continue;
    escaped += text.slice(end, at) + entity;
    end = at + 1;
  }
  return end === 0 ? text : escaped + text.slice(end);
};

// A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
const isTooLarge = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && (text.length > maxBytes || Buffer.byteLength(text) > maxBytes);

export type RenderOptions = {
  /** Escape each value for HTML (not the template's own text); every HTML field but `bodyHtml` wants it. */
  readonly escapeHtml: boolean;
  /** Bytes of UTF-8 that the result may have; absent: 65,536. */
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
 * Fills a template.
 *
 * Strings are taken as they are, numbers and booleans as JSON; null, objects, arrays and whatever does not resolve
 * give nothing. Only own properties of plain objects and elements of arrays are read. Values are not scanned for placeholders. Where a value
 * gives nothing, the default of its placeholder stands there: the template's own text like what is around it, so it is
 * not escaped, and no value.
 *
 * @throws RenderError (`reason: 'too_large'`) when the result would pass `maxBytes`
 */
export const render = (template: Template, scopes: RenderScopes, options: RenderOptions): string =>
  filled(template, scopes, options);

/** `render`, and what of the text came from values. Throws the same. */
export const renderMarked = (template: Template, scopes: RenderScopes, options: RenderOptions): MarkedText => {
  const values: Span[] = [];
  const text = filled(template, scopes, options, (start, end) => values.push({ start, end }));
  return { text, values };
};
