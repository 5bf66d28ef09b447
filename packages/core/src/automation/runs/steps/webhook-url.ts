// URLs of webhook steps: the author sets the host; variables only fill parts of path and query.

import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, type RenderScopes, render } from '../../../messaging/templates/render.ts';

/** Scheme, host and port, up to their end. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@{}]+(?=[/?#]|$)/i;
/** Maximum characters of a filled URL. Chosen: many servers accept no more, and each URL is stored. */
const MAX_FILLED = 8_192;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

const pathOf = (text: string): string => /^https?:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] ?? '';
const hasDotSegment = (text: string): boolean =>
  pathOf(text)
    .split(/[/\\]/)
    .some((part) => DOT_SEGMENT.test(part));

/** Problem of a URL as written: one sentence, or null. Throws nothing. */
export const originProblem = (text: string): string | null => {
  const { literals, placeholders } = compileTemplate(text);
  const origin = ORIGIN.exec(literals[0] ?? '')?.[0];
  if (origin === undefined) return 'must begin with http:// or https:// and a host';
  if (placeholders.length > 0 && origin.length === literals[0]?.length)
    return 'must name its host without variables, and a path behind it';
  if (!URL.canParse(literals.join(''))) return 'must be a URL';
  return hasDotSegment(literals.join('x')) ? 'must have no segment of dots in its path' : null;
};

/**
 * The URL with its values, each escaped as one part of path or query; null: a value would change the URL's structure.
 * Throws RenderError, also if the URL is too long.
 */
export const filledUrl = (text: string, scopes: RenderScopes): string | null => {
  const { literals, placeholders } = compileTemplate(text);
  const filled = literals.reduce((filledText, literal, index) => {
    const placeholder = placeholders[index - 1];
    if (!placeholder) return filledText + literal;
    const value = render({ literals: ['', ''], placeholders: [placeholder] }, scopes, { escapeHtml: false });
    const longer = filledText + encodeURIComponent(value.toWellFormed()) + literal;
    if (longer.length > MAX_FILLED) throw new RenderError(MAX_FILLED);
    return longer;
  }, '');
  return hasDotSegment(filled) || !URL.canParse(filled) ? null : filled;
};
