import { escapeHtml } from '../templates/render.ts';
import { type Tag, tagsOf } from './html-tags.ts';

/** Links of one mail that are rewritten; ours: a mail has far fewer, and each grows by hundreds of characters. */
export const MAX_LINKS = 200;
/** Characters of a link that is rewritten; ours: longer ones are cut by browsers and proxies. */
export const MAX_URL_CHARACTERS = 2_048;
/** A link with this attribute set to `off` is left alone. */
const OPT_OUT = 'data-beckon-track';

const TAGS = new Set(['a', 'body']);
/** Those that a URL in an attribute may need. Of any other name nobody here knows what it stands for. */
const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{0,31}));/gi;
const MAX_CODE_POINT = 0x10ffff;

const characterOf = (decimal: string | undefined, hex = ''): string | undefined => {
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : undefined;
};

/** The text with its character references resolved; null: one of them is not known. */
const resolved = (text: string): string | null => {
  let isKnown = true;
  const plain = text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    const character = name === undefined ? characterOf(decimal, hex) : NAMED.get(name);
    if (character === undefined) isKnown = false;
    return character ?? '';
  });
  return isKnown ? plain : null;
};

/** As a browser reads the link; null: it is not one that leads to a page, or it is to be left alone. */
const targetOf = ({
  attributes,
}: Tag): { readonly url: string; readonly start: number; readonly end: number } | null => {
  const href = attributes.find(({ name }) => name === 'href');
  const optOut = attributes.find(({ name }) => name === OPT_OUT);
  if (!href || optOut?.text.toLowerCase() === 'off') return null;
  const text = resolved(href.text);
  const url = text === null || text.includes('{{') ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href.length > MAX_URL_CHARACTERS ? null : { url: url.href, start: href.start, end: href.end };
};

const imageOf = (url: string): string =>
  `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;border:0">`;

type Edit = { readonly start: number; readonly end: number; readonly text: string };

/**
 * The mail with its links led elsewhere and an image at the end of its body. Links are those of `<a href>` with an
 * absolute http or https URL; of more than 200 the first ones. Everything else is kept byte for byte. Linear in the
 * length of the text. Throws nothing.
 *
 * @param how `link`: where a link is to lead, given the URL as browsers normalise it; null leaves it alone. `pixel`:
 * URL of the image. Null: no links, no image.
 */
export const trackedHtml = (
  html: string,
  how: { readonly link: ((url: string) => string | null) | null; readonly pixel: string | null },
): string => {
  const { tags, end } = tagsOf(html, TAGS);
  const edits: Edit[] = [];
  for (const tag of tags) {
    if (!how.link || edits.length === MAX_LINKS) break;
    const target = tag.name === 'a' && !tag.isEnd ? targetOf(tag) : null;
    const link = target && how.link(target.url);
    if (link) edits.push({ start: target.start, end: target.end, text: `"${escapeHtml(link)}"` });
  }
  if (how.pixel !== null) {
    const at = tags.findLast(({ name, isEnd }) => name === 'body' && isEnd)?.start ?? end;
    edits.push({ start: at, end: at, text: imageOf(how.pixel) });
  }
  let text = '';
  let at = 0;
  for (const edit of edits.sort((a, b) => a.start - b.start)) {
    text += html.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + html.slice(at);
};
