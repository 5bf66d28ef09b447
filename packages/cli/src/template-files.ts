// A template as files: long texts have their own files with the extensions that editors know, the rest is JSON.

import { isObject } from './is-object.ts';

/** Fields of a template without its name. Core validates them. */
export type Content = Readonly<Record<string, unknown>>;
/** A template in a folder. */
export type FolderTemplate = { readonly name: string; readonly content: Content };
/** Contents of a template's files by name. */
export type Files = ReadonlyMap<string, string>;

/** The file of all fields without their own file. */
export const TEMPLATE_FILE = 'template.json';

const OWN_FILES: readonly (readonly [field: string, file: string])[] = [
  ['html', 'body.html'],
  ['bodyHtml', 'raw.html'],
  ['text', 'body.txt'],
];
/** Translated fields, and the extension of `body.<tag>.<extension>`. */
const TRANSLATED = [
  ['html', 'html'],
  ['text', 'txt'],
] as const;
/** Language tags that are valid in file names. Translations with other tags stay in the JSON. */
const TAG = /^[\w-]{1,35}$/;
const OWN = /^(?:raw\.html|body(?:\.[\w-]{1,35})?\.(?:html|txt))$/;

/** True for a file that belongs to a template, `template.json` among them. Throws nothing. */
export const isTemplateFile = (name: string): boolean => name === TEMPLATE_FILE || OWN.test(name);

/** The value with sorted keys, because databases do not keep their order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
};

const splitTranslations = (localized: Content, files: Map<string, string>): Content => {
  const seen = new Set<string>();
  return Object.fromEntries(
    Object.entries(localized).map(([tag, texts]) => {
      // Some file systems are case-insensitive.
      if (!isObject(texts) || !TAG.test(tag) || seen.has(tag.toLowerCase())) return [tag, texts];
      seen.add(tag.toLowerCase());
      const left = { ...texts };
      for (const [field, ending] of TRANSLATED) {
        const text = left[field];
        if (typeof text !== 'string') continue;
        files.set(`body.${tag}.${ending}`, text);
        delete left[field];
      }
      return [tag, left];
    }),
  );
};

/** The files of a template; equal templates have equal files. Throws nothing. */
export const filesOf = ({ name, content }: FolderTemplate, channel: string): Files => {
  const files = new Map<string, string>();
  const rest = { ...content };
  if (channel === 'email') {
    for (const [field, file] of OWN_FILES) {
      const text = rest[field];
      if (typeof text !== 'string') continue;
      files.set(file, text);
      delete rest[field];
    }
    const { localized } = rest;
    if (isObject(localized)) rest['localized'] = splitTranslations(localized, files);
  }
  // Safe: an object in, an object out.
  const shown = { name, ...(sorted(rest) as Content) };
  return new Map([[TEMPLATE_FILE, `${JSON.stringify(shown, null, 2)}\n`], ...files]);
};

/** An error in the files of a template. */
export type FilesProblem = { readonly problem: string };

/**
 * Reads a template from its files.
 *
 * @param json content of `template.json`
 * @returns a problem for an invalid template and for a text in two files. Throws nothing.
 */
export const templateOf = (json: unknown, files: Files): FolderTemplate | FilesProblem => {
  if (!isObject(json)) return { problem: `${TEMPLATE_FILE} must contain an object` };
  const { name, ...rest } = json;
  if (typeof name !== 'string' || name === '') return { problem: `${TEMPLATE_FILE} must contain a name` };
  const content: Record<string, unknown> = { ...rest };
  const localized: Record<string, unknown> = isObject(rest['localized']) ? { ...rest['localized'] } : {};
  for (const [file, text] of files) {
    const own = OWN_FILES.find(([, one]) => one === file);
    const [, tag, ending] = /^body\.([\w-]+)\.(html|txt)$/.exec(file) ?? [];
    const field = own?.[0] ?? TRANSLATED.find(([, one]) => one === ending)?.[0];
    if (field === undefined) continue;
    if (tag === undefined) {
      if (content[field] !== undefined) return { problem: `${field} is in both ${TEMPLATE_FILE} and ${file}` };
      content[field] = text;
      continue;
    }
    const texts = isObject(localized[tag]) ? localized[tag] : {};
    if (texts[field] !== undefined)
      return { problem: `localized.${tag}.${field} is in both ${TEMPLATE_FILE} and ${file}` };
    localized[tag] = { ...texts, [field]: text };
  }
  if (Object.keys(localized).length > 0) content['localized'] = localized;
  return { name, content };
};

/** Maximum characters of a folder name. Chosen: fits 255 bytes, the smallest limit of file systems. */
const MAX_FOLDER = 60;

/** A folder name that is valid on all systems. Different names may give the same folder name. Throws nothing. */
export const folderNameOf = (name: string): string => {
  const plain = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .slice(0, MAX_FOLDER)
    .toWellFormed()
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();
  return plain === '' ? 'template' : plain;
};
