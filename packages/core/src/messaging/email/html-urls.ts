import type { MarkedText } from '../templates/render.ts';
import { type Edit, firstTouching } from './html-edits.ts';
import { type Attribute, resolved, type Tag, tagsOf } from './html-tags.ts';

/** Attributes with a URL that is followed or loaded. */
const URL_ATTRIBUTES = new Set([
  'action',
  'background',
  'cite',
  'codebase',
  'formaction',
  'href',
  'longdesc',
  'ping',
  'poster',
  'src',
  'xlink:href',
]);
/** Text before the URL of a refresh. Source: HTML, 4.2.5.3 (shared declarative refresh steps). */
const BEFORE_REFRESH = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?["']?/i;
/** URL schemes that a value may choose. */
const SCHEMES = new Set(['http', 'https', 'mailto', 'tel']);
/**
 * Text between a value and the colon of a scheme that begins in the value. Chosen: longer than any scheme that browsers
 * act on.
 */
const UP_TO_COLON = /[a-z\d+.\-\0- ]{0,64}[:&]/iy;

/** False if no value can be part of a scheme: nearly always, and cheap to check. */
const mayHoldScheme = ({ text, values }: MarkedText): boolean =>
  values.some(({ start, end }) => {
    UP_TO_COLON.lastIndex = end;
    return end > start && (text.slice(start, end).includes(':') || UP_TO_COLON.test(text));
  });

/** Start of an attribute's text, after its quote if it has one. */
export const textStartOf = ({ start, end, text }: Attribute): number => start + (end - start - text.length) / 2;

/** Characters that browsers ignore in a URL: tabs and line breaks anywhere, and control characters before it. */
const PASSED_OVER = /[\t\n\r]/g;

/** The scheme that browsers find in an attribute that is a URL, or a refresh with one. */
const schemeOf = (text: string, isRefresh: boolean): string | null => {
  const whole = resolved(text);
  const url = isRefresh ? whole.replace(BEFORE_REFRESH, '') : whole;
  const plain = url.replace(PASSED_OVER, '').replace(/^[\0- ]+/, '');
  return /^([a-z][a-z\d+.-]*):/i.exec(plain)?.[1]?.toLowerCase() ?? null;
};

/** How an attribute contains a URL; null: it does not. */
const urlKindOf = ({ name, attributes }: Tag, attribute: Attribute): 'url' | 'refresh' | null => {
  if (URL_ATTRIBUTES.has(attribute.name) || (name === 'object' && attribute.name === 'data')) return 'url';
  if (name !== 'meta' || attribute.name !== 'content') return null;
  const isRefresh = attributes.some(
    (other) => other.name === 'http-equiv' && resolved(other.text).trim().toLowerCase() === 'refresh',
  );
  return isRefresh ? 'refresh' : null;
};

/**
 * Edits that remove URLs whose scheme comes wholly or partly from a value and is not http, https, mailto or tel, for
 * example a `javascript:` or `data:` link that a device wrote into a trait. A scheme in the template itself stays.
 * Linear in the length of the text. Throws nothing after `loadHtml`.
 */
export const blankedUrls = ({ text, values }: MarkedText): Edit[] => {
  if (!mayHoldScheme({ text, values })) return [];
  const written = values.filter(({ start, end }) => end > start);
  return tagsOf(text, null).tags.flatMap((tag) =>
    tag.attributes.flatMap((attribute): Edit[] => {
      const kind = urlKindOf(tag, attribute);
      if (kind === null) return [];
      const isRefresh = kind === 'refresh';
      const from = textStartOf(attribute);
      const value = firstTouching(written, from + 1, from + attribute.text.length - 1);
      if (value === undefined) return [];
      const scheme = schemeOf(attribute.text, isRefresh);
      const isOwn = schemeOf(attribute.text.slice(0, Math.max(value.start - from, 0)), isRefresh) !== null;
      if (scheme === null || SCHEMES.has(scheme) || isOwn) return [];
      return [{ start: attribute.start, end: attribute.end, text: '""' }];
    }),
  );
};
