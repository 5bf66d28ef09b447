import { escapeHtml, type MarkedText } from '../templates/render.ts';
import { type Edit, edited, firstTouching } from './html-edits.ts';
import { type Attribute, resolved, type Tag, tagsOf } from './html-tags.ts';
import { textStartOf } from './html-urls.ts';

/**
 * Maximum rewritten links of one email. Chosen: real emails have far fewer, and each grows by hundreds of characters.
 */
export const MAX_LINKS = 200;
/** Maximum characters of a rewritten link. Chosen: browsers and proxies cut longer ones. */
export const MAX_URL_CHARACTERS = 2_048;
/** A link with this attribute set to `off` is not rewritten. */
const OPT_OUT = 'data-beckon-track';

const TAGS = new Set(['a', 'body']);
/**
 * A URL up to the end of its host, as browsers parse it: in web addresses a backslash is a slash, and a slash may be
 * missing.
 */
const WHOLE_HOST = /^[\0- ]*https?:[/\\]*[^/\\?#]+[/\\?#]/i;

/**
 * True if the template itself has the complete host: values may come from a device, so a host from a value would make
 * this service an open redirect.
 */
const isOwnHost = ({ text, values }: MarkedText, href: Attribute): boolean => {
  const start = textStartOf(href);
  const value = firstTouching(values, start, start + href.text.length);
  if (value === undefined) return true;
  const own = resolved(text.slice(start, Math.max(value.start, start)));
  // A value may complete a character reference that the template begins: `&#4` and `7`.
  return resolved(href.text).startsWith(own) && WHOLE_HOST.test(own.replace(/[\t\n\r]/g, ''));
};

/** The link as a browser reads it; null: not rewritten, or no web page. */
const targetOf = (
  html: MarkedText,
  { attributes }: Tag,
): { readonly url: string; readonly start: number; readonly end: number } | null => {
  const href = attributes.find(({ name }) => name === 'href');
  const optOut = attributes.find(({ name }) => name === OPT_OUT);
  if (!href || optOut?.text.toLowerCase() === 'off') return null;
  const text = resolved(href.text);
  const url = text.includes('{{') ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || !isOwnHost(html, href)) return null;
  return url.href.length > MAX_URL_CHARACTERS ? null : { url: url.href, start: href.start, end: href.end };
};

const imageOf = (url: string): string =>
  `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;border:0">`;

/**
 * Rewrites the links of an email and adds a pixel at the end of its body. Rewritten are `<a href>` links with an
 * absolute http or https URL whose host contains no value; only the first 200. Everything else is kept byte for byte.
 * Linear in the length of the text. Throws nothing after `loadHtml`.
 *
 * @param how `link`: the new URL for a normalised one; null keeps the link. `pixel`: URL of the image. Null: no links,
 * no image.
 */
export const trackedHtml = (
  html: MarkedText,
  how: { readonly link: ((url: string) => string | null) | null; readonly pixel: string | null },
): string => {
  const { tags, end } = tagsOf(html.text, TAGS);
  const edits: Edit[] = [];
  for (const tag of tags) {
    if (!how.link || edits.length === MAX_LINKS) break;
    const target = tag.name === 'a' && !tag.isEnd ? targetOf(html, tag) : null;
    const link = target && how.link(target.url);
    if (link) edits.push({ start: target.start, end: target.end, text: `"${escapeHtml(link)}"` });
  }
  if (how.pixel !== null) {
    const at = tags.findLast(({ name, isEnd }) => name === 'body' && isEnd)?.start ?? end;
    edits.push({ start: at, end: at, text: imageOf(how.pixel) });
  }
  return edited(html, edits).text;
};
