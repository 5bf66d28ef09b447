// One rule for texts in several languages: the exact tag, then its first two letters, then what stands at the top.

import { z } from 'zod';
import { jsonKeywords } from '../../foundation/json-keywords.ts';

/** Languages of one text; ours. */
const MAX_LANGUAGES = 100;
/** A tag as RFC 5646 forms it, with `_` for `-` as iOS sends it; at most 35 characters. */
const TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/;
/** A language of two letters, alone or with more behind it. One of three letters is never cut. */
const LANGUAGE = /^([a-z]{2})-/;

/** Entries by language tag, as request bodies and steps take them. */
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

/** What was found, and the tag that it stands under. */
export type Found<Entry> = { readonly tag: string; readonly entry: Entry };

const compared = (tag: string): string => tag.replaceAll('_', '-').toLowerCase();

// Bodies are parsed once and read for every message, so the tags are compared in one form once.
const tables = new WeakMap<ByLanguage<unknown>, ReadonlyMap<string, string>>();
const tagsOf = (entries: ByLanguage<unknown>): ReadonlyMap<string, string> => {
  const known = tables.get(entries);
  if (known) return known;
  const tags = new Map<string, string>();
  for (const tag of Object.keys(entries)) if (!tags.has(compared(tag))) tags.set(compared(tag), tag);
  tables.set(entries, tags);
  return tags;
};

/**
 * The entry for a reader: of the exact tag, else of its language. Tags compare without case, `_` counts as `-`, and a
 * language of three letters is matched whole or not at all. Only own keys are looked at, so that a locale may read
 * `__proto__`. Throws nothing.
 *
 * @param locale of the reader; null: not known, so none is found
 * @param isPresent false for an entry that says nothing, which counts as absent
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

/** A text in the reader's language; `tag` null: it is the one at the top; `text` undefined: there is none for them. */
export type ChosenText = { readonly text: string | undefined; readonly tag: string | null };

const isText = (text: string): boolean => text !== '';

/** Of texts by language and the one at the top, that of a reader. Throws nothing. */
export const textFor = (
  entries: ByLanguage<string> | undefined,
  top: string | undefined,
  locale: string | null,
): ChosenText => {
  const found = entryFor(entries, locale, isText);
  return found ? { text: found.entry, tag: found.tag } : { text: top, tag: null };
};

/** Whether a text is said in any language. Throws nothing. */
export const isLocalized = (entries: ByLanguage<unknown> | undefined): boolean =>
  entries !== undefined && Object.keys(entries).length > 0;

/**
 * Content in the words of one reader; `tag` is that of the entry that was taken, null where nothing was. `unsupported`:
 * it says something in other languages, and nothing in theirs.
 */
export type Localised<Content> =
  | { readonly content: Content; readonly tag: string | null }
  | { readonly unsupported: true };
