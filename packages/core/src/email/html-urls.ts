import type { MarkedText } from '../templates/render.ts';
import { type Edit, firstTouching } from './html-edits.ts';
import { type Attribute, tagsOf } from './html-tags.ts';

/** Attributes whose URL a reader may be led to, or that is loaded. */
const URL_ATTRIBUTES = new Set(['href', 'src', 'action', 'formaction', 'xlink:href']);
/** What a value may choose as the scheme of a URL. */
const SCHEMES = new Set(['http', 'https', 'mailto', 'tel']);
/** What may stand between a value and the colon of a scheme that begins in it; ours: no scheme that is acted on is longer. */
const UP_TO_COLON = /[a-z\d+.\-\0- ]{0,64}[:&]/iy;

/** False where none of the values can have a part in a scheme, which is nearly always and costs little to tell. */
const mayHoldScheme = ({ text, values }: MarkedText): boolean =>
  values.some(({ start, end }) => {
    UP_TO_COLON.lastIndex = end;
    return end > start && (text.slice(start, end).includes(':') || UP_TO_COLON.test(text));
  });

/** Those that a URL in an attribute may need. Of any other name nobody here knows what it stands for. */
const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
// A number needs no semicolon. Source: HTML, 13.2.5.80.
const REFERENCE = /&(?:#(\d+);?|#x([\da-f]+);?|([a-z][a-z\d]{0,31});)/gi;
const MAX_CODE_POINT = 0x10ffff;

const characterOf = (decimal: string | undefined, hex = ''): string | undefined => {
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : undefined;
};

/** The text of an attribute with its character references resolved; null: one of them is not known. */
export const resolved = (text: string): string | null => {
  let isKnown = true;
  const plain = text.replace(REFERENCE, (_, decimal?: string, hex?: string, name?: string) => {
    const character = name === undefined ? characterOf(decimal, hex) : NAMED.get(name);
    if (character === undefined) isKnown = false;
    return character ?? '';
  });
  return isKnown ? plain : null;
};

/** Where the text of an attribute begins: behind its quote, where it has one. */
export const textStartOf = ({ start, end, text }: Attribute): number => start + (end - start - text.length) / 2;

/** The scheme as browsers find it: they pass over what controls and, anywhere, over tabs and line breaks. */
const schemeOf = (text: string): string | null => {
  const plain = (resolved(text) ?? text).replace(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '');
  return /^([a-z][a-z\d+.-]*):/i.exec(plain)?.[1]?.toLowerCase() ?? null;
};

/**
 * What blanks the URLs whose scheme is of a value, or partly, and is none of http, https, mailto and tel: a link with
 * `javascript:` or `data:` that a device wrote into a trait. A scheme that the template itself names stays. Linear in the
 * length of the text. Throws nothing once `loadHtml` was waited for.
 */
export const blankedUrls = ({ text, values }: MarkedText): Edit[] => {
  if (!mayHoldScheme({ text, values })) return [];
  const written = values.filter(({ start, end }) => end > start);
  return tagsOf(text, null).tags.flatMap(({ attributes }) =>
    attributes.flatMap((attribute): Edit[] => {
      if (!URL_ATTRIBUTES.has(attribute.name)) return [];
      const from = textStartOf(attribute);
      const value = firstTouching(written, from + 1, from + attribute.text.length - 1);
      if (value === undefined) return [];
      const scheme = schemeOf(attribute.text);
      const isOwn = schemeOf(attribute.text.slice(0, Math.max(value.start - from, 0))) !== null;
      if (scheme === null || SCHEMES.has(scheme) || isOwn) return [];
      return [{ start: attribute.start, end: attribute.end, text: '""' }];
    }),
  );
};
