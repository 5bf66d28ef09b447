// Lookup of localized texts: the exact tag, then its two-letter language, then the default.

import { z } from 'zod';
import { jsonKeywords } from '../../foundation/json-keywords.ts';

/** Maximum languages of one text. Chosen: far more than any sender uses. */
const MAX_LANGUAGES = 100;
/** An RFC 5646 tag, with `_` allowed for `-` as iOS sends it; at most 35 characters. */
const TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/;
/** A two-letter language followed by subtags. Three-letter languages are not shortened. */
const LANGUAGE = /^([a-z]{2})-/;

/** Schema of entries by language tag, for request bodies and steps. */
export const byLanguage = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .record(z.string(), entry)
    .refine(
      (localized) => Object.keys(localized).length <= MAX_LANGUAGES,
      `must have at most ${MAX_LANGUAGES} languages`,
    )
    .superRefine((localized, context) => {
      for (const tag of Object.keys(localized))
        if (!TAG.test(tag))
          context.addIssue({ code: 'custom', path: [tag], message: 'must be a language tag such as es or es-MX' });
    })
    .register(jsonKeywords, { propertyNames: { pattern: TAG.source }, maxProperties: MAX_LANGUAGES });

export type ByLanguage<Entry> = Readonly<Record<string, Entry>>;

/** A found entry and its tag. */
export type Found<Entry> = { readonly tag: string; readonly entry: Entry };

const compared = (tag: string): string => tag.replaceAll('_', '-').toLowerCase();

// Bodies are parsed once and read for every message, so normalised tags are cached.
const tables = new WeakMap<ByLanguage<unknown>, ReadonlyMap<string, string>>();
const tagsOf = (entries: ByLanguage<unknown>): ReadonlyMap<string, string> => {
  const cached = tables.get(entries);
  if (cached) return cached;
  const tags = new Map<string, string>();
  for (const tag of Object.keys(entries)) if (!tags.has(compared(tag))) tags.set(compared(tag), tag);
  tables.set(entries, tags);
  return tags;
};

/**
 * The entry for a reader: of the exact tag, else of its language. Tags compare without case, `_` equals `-`, and
 * three-letter languages match only as a whole. Only own keys are read, because a locale may be `__proto__`. Throws
 * nothing.
 *
 * @param locale of the reader; null: unknown, so nothing is found
 * @param isPresent false for an empty entry, which counts as absent
 * Source: interface, Locale resolution; semantics, Locale.
 */
export const entryFor = <Entry>(
  entries: ByLanguage<Entry> | undefined,
  locale: string | null,
  isPresent: (entry: Entry) => boolean,
): Found<Entry> | null => {
  if (entries === undefined || locale === null) return null;
  const normalized = compared(locale);
  const language = LANGUAGE.exec(normalized)?.[1];
  for (const name of language === undefined ? [normalized] : [normalized, language]) {
    const tag = tagsOf(entries).get(name);
    const entry = tag === undefined ? undefined : entries[tag];
    if (tag !== undefined && entry !== undefined && isPresent(entry)) return { tag, entry };
  }
  return null;
};

/** A text in the reader's language. `tag` null: the default; `text` undefined: none for this reader. */
export type ChosenText = { readonly text: string | undefined; readonly tag: string | null };

const isText = (text: string): boolean => text !== '';

/** Chooses a reader's text from localized entries and the default. Throws nothing. */
export const textFor = (
  entries: ByLanguage<string> | undefined,
  top: string | undefined,
  locale: string | null,
): ChosenText => {
  const found = entryFor(entries, locale, isText);
  return found ? { text: found.entry, tag: found.tag } : { text: top, tag: null };
};

/** True if there is any localized entry. Throws nothing. */
export const isLocalized = (entries: ByLanguage<unknown> | undefined): boolean =>
  entries !== undefined && Object.keys(entries).length > 0;

/**
 * Content in the reader's language; `tag` of the used entry, null for the default. `unsupported`: there is localized
 * content, but none for this reader.
 */
export type Localised<Content> =
  | { readonly content: Content; readonly tag: string | null }
  | { readonly unsupported: true };
