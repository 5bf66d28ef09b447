// A template as files: what is long has a file of its own, which an editor knows by its name, and the rest is JSON.

import { isObject } from './is-object.ts';

/** What a template holds besides its name: any JSON, which core checks. */
export type Content = Readonly<Record<string, unknown>>;
/** A template as a folder holds it. */
export type FolderTemplate = { readonly name: string; readonly content: Content };
/** Files of one template by their names. */
export type Files = ReadonlyMap<string, string>;

/** The file of everything that has none of its own. */
export const TEMPLATE_FILE = 'template.json';

const OWN_FILES: readonly (readonly [field: string, file: string])[] = [
  ['html', 'body.html'],
  ['bodyHtml', 'raw.html'],
  ['text', 'body.txt'],
];
/** Of translations: the field, and the ending of `body.<tag>.<ending>`. */
const TRANSLATED = [
  ['html', 'html'],
  ['text', 'txt'],
] as const;
/** A language tag that is a good part of a file's name; any other stays in the JSON, and so does one in other letters. */
const TAG = /^[\w-]{1,35}$/;
const OWN = /^(?:raw\.html|body(?:\.[\w-]{1,35})?\.(?:html|txt))$/;

/** True for a file that belongs to a template, `template.json` among them. Throws nothing. */
export const isTemplateFile = (name: string): boolean => name === TEMPLATE_FILE || OWN.test(name);

/** The same value with the members of its objects by name: databases keep them in orders of their own. */
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
      // Some systems tell no case of a file's name.
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

/** What is wrong with the files of a template. */
export type FilesProblem = { readonly problem: string };

/**
 * The template that files hold.
 *
 * @param json what `template.json` holds
 * @returns a problem for what is no template, and for a text that is given twice. Throws nothing.
 */
export const templateOf = (json: unknown, files: Files): FolderTemplate | FilesProblem => {
  if (!isObject(json)) return { problem: `${TEMPLATE_FILE} must hold an object` };
  const { name, ...rest } = json;
  if (typeof name !== 'string' || name === '') return { problem: `${TEMPLATE_FILE} must hold a name` };
  const content: Record<string, unknown> = { ...rest };
  const localized: Record<string, unknown> = isObject(rest['localized']) ? { ...rest['localized'] } : {};
  for (const [file, text] of files) {
    const own = OWN_FILES.find(([, one]) => one === file);
    const [, tag, ending] = /^body\.([\w-]+)\.(html|txt)$/.exec(file) ?? [];
    const field = own?.[0] ?? TRANSLATED.find(([, one]) => one === ending)?.[0];
    if (field === undefined) continue;
    if (tag === undefined) {
      if (content[field] !== undefined) return { problem: `${field} stands in ${TEMPLATE_FILE} and in ${file}` };
      content[field] = text;
      continue;
    }
    const texts = isObject(localized[tag]) ? localized[tag] : {};
    if (texts[field] !== undefined)
      return { problem: `localized.${tag}.${field} stands in ${TEMPLATE_FILE} and in ${file}` };
    localized[tag] = { ...texts, [field]: text };
  }
  if (Object.keys(localized).length > 0) content['localized'] = localized;
  return { name, content };
};

/** Characters of a folder's name; ours: the shortest limit of file systems is 255 bytes. */
const MAX_FOLDER = 60;

/** A name as a folder may have it on any system; two names may have the same one, whatever their case. Throws nothing. */
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
