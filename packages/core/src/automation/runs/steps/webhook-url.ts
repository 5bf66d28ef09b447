// URLs of webhook steps: their author says the host, values only parts of path and query.

import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, type RenderScopes, render } from '../../../messaging/templates/render.ts';

/** Scheme, host and port, and the end of them. */
const ORIGIN = /^https?:\/\/[^\s/?#\\@{}]+(?=[/?#]|$)/i;
/** Characters of a URL with its values; ours: that many servers take no more, and each of them would be stored. */
const MAX_FILLED = 8_192;
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

const pathOf = (text: string): string => /^https?:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] ?? '';
const hasDotSegment = (text: string): boolean =>
  pathOf(text)
    .split(/[/\\]/)
    .some((part) => DOT_SEGMENT.test(part));

/** What is wrong with a URL as its author writes it: one sentence, or null. Throws nothing. */
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
 * The URL with its values, each escaped as one part of a path or of a query; null: a value would make it another URL than
 * its author wrote. Throws RenderError, also for one that no server takes.
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
