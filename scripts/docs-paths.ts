// Source files that pages mention: each must exist, and names after a file must occur in it.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folders that a path may begin in. Most files on pages belong to core. */
const BASES = ['packages/core/src', 'packages', '.'];
/** Files of a build or an installation, which a fresh clone lacks. */
const NOT_SOURCES = /(^|\/)(node_modules|dist|reference)\//;

const SEGMENT = '[\\w@.{},*-]+';
const FILE = `${SEGMENT}(?:/${SEGMENT})+\\.(?:ts|mts|mjs|sh|json|sql|md)`;
/** A file with a folder before it, or a folder, alone in backticks. */
const IN_BACKTICKS = new RegExp(`\`(${FILE}|${SEGMENT}(?:/${SEGMENT})*/)\``, 'g');
/** A file in a drawing or a table, and names after it: `people/events/ingest.ts: plan, write`. */
const WITH_NAMES = new RegExp(`(${FILE})(?:\`?: ((?:\`?\\w+\`?(?:, )?)+))?`, 'g');
const FENCE = /^ *```.*\n([\s\S]*?)^ *```/gm;
/** Excludes scopes, headers and protocols, which look like a folder or a file. */
const isSource = (path: string): boolean => !NOT_SOURCES.test(path) && !path.startsWith('.');

const findFile = (path: string): string | undefined =>
  BASES.map((base) => join(root, base, path)).find((file) =>
    /[*{]/.test(path) ? globSync(file).length > 0 : existsSync(file),
  );

/** What a page mentions that does not exist, such as `people/events/gone.ts`. Throws only errors of the file system. */
export const missingIn = (markdown: string): string[] => {
  const missing = new Set<string>();
  const blocks = [...markdown.matchAll(FENCE)].map(([, block = '']) => block).join('\n');
  const text = markdown.replaceAll(FENCE, '');
  for (const [, path = ''] of text.matchAll(IN_BACKTICKS))
    if (isSource(path) && findFile(path) === undefined) missing.add(path);
  for (const [, path = '', names = ''] of `${blocks}\n${text}`.matchAll(WITH_NAMES)) {
    if (!isSource(path)) continue;
    const file = findFile(path);
    if (file === undefined) missing.add(path);
    else if (names !== '' && !/[*{]/.test(path)) {
      const source = readFileSync(file, 'utf8');
      for (const name of names.match(/\w+/g) ?? [])
        if (!new RegExp(`\\b${name}\\b`).test(source)) missing.add(`${path}: ${name}`);
    }
  }
  return [...missing];
};

/** The pages that describe the code, relative to the root of the repository. */
export const PAGES: readonly string[] = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/internals/*.md', { cwd: root }),
];

/** The text of a page. Throws errors of the file system. */
export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');
