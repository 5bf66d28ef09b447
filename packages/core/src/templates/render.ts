import { isPlainObject } from '../primitives/json.ts';
import type { Placeholder, Root, Template } from './compile.ts';

/**
 * The values a template may read, by root. A root that is left out has none; so `steps` exists only where a workflow
 * passes it, and `secret` only in the headers of its webhook step. Plain objects of JSON values.
 */
export type RenderScopes = { readonly [Name in Root]?: Readonly<Record<string, unknown>> };

/** Bytes of UTF-8 in a rendered text. Source: the security rules of templates; a value can repeat without bound. */
export const MAX_RENDERED_BYTES = 65_536;

/** A template whose text would pass `MAX_RENDERED_BYTES`. It is not cut: half a page of HTML is worse than none. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
  readonly reason = 'too_large';

  constructor() {
    super(`The rendered text is larger than ${MAX_RENDERED_BYTES} bytes.`);
  }
}

const lookUp = (placeholder: Placeholder, scopes: RenderScopes): unknown => {
  if (placeholder.root === null) return undefined;
  let value: unknown = Object.hasOwn(scopes, placeholder.root) ? scopes[placeholder.root] : undefined;
  for (const key of placeholder.keys) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Makes text safe inside HTML elements and quoted attributes. Throws nothing. */
export const escapeHtml = (text: string): string =>
  /[&<>"'`]/.test(text) ? text.replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '') : text;

// A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
const isTooLarge = (text: string): boolean =>
  text.length * 3 > MAX_RENDERED_BYTES &&
  (text.length > MAX_RENDERED_BYTES || Buffer.byteLength(text) > MAX_RENDERED_BYTES);

/**
 * Fills a template.
 *
 * Strings are taken as they are, numbers and booleans as JSON; null, objects, arrays and whatever does not resolve
 * give nothing. Only own properties of plain objects are read. Values are not scanned for placeholders.
 *
 * @param options `escapeHtml`: escape each value for HTML (not the template's own text); every HTML field but
 * `bodyHtml` wants it
 * @throws RenderError (`reason: 'too_large'`) when the result would pass 65,536 bytes
 */
export const render = (template: Template, scopes: RenderScopes, options: { readonly escapeHtml: boolean }): string => {
  const { literals, placeholders } = template;
  let text = literals[0] ?? '';
  for (let index = 0; index < placeholders.length; index++) {
    const placeholder = placeholders[index];
    const value = placeholder ? textOf(lookUp(placeholder, scopes)) : '';
    text += (options.escapeHtml ? escapeHtml(value) : value) + (literals[index + 1] ?? '');
    if (text.length > MAX_RENDERED_BYTES) throw new RenderError();
  }
  if (isTooLarge(text)) throw new RenderError();
  return text;
};
