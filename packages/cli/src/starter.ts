// Writes the files of a new application. Only built-ins and this package's errors are imported, because `create-beckon`
// contains this module and has no dependencies.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from './exit-codes.ts';

/** The web frameworks that have a starter; the first one is the default. */
export const FRAMEWORKS = ['express', 'hono'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export type StarterOptions = {
  /** The folder of the caller. */
  readonly cwd: string;
  /** A new or empty folder. */
  readonly folder: string;
  readonly framework: Framework;
  /** Of the Beckon packages in the manifest. */
  readonly version: string;
  /** Folder of the starters. */
  readonly starters: string;
};

/** A written application. */
export type Starter = { readonly folder: string; readonly name: string; readonly files: readonly string[] };

/** What npm accepts as a name without a scope. Source: validate-npm-package-name. */
const PACKAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;
/** npm leaves files of this name out of packages, so starters have it without the dot. */
const HIDDEN = 'gitignore';

const nameOf = (folder: string): string => {
  const name = basename(folder).toLowerCase();
  return PACKAGE_NAME.test(name) ? name : 'my-app';
};

const entriesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR') throw error;
    throw new CliError(EXIT.conflict, `${folder} is a file. Nothing was written.`, { hint: 'Name another folder.' });
  }
};

/** What changes in a file of a starter, by its path. */
const EDITS: Readonly<Record<string, (text: string, name: string, version: string) => string>> = {
  'package.json': (text, name, version) =>
    text.replace('"name": "my-app"', `"name": "${name}"`).replaceAll(/("@beckon\/[\w-]+"): "\*"/g, `$1: "^${version}"`),
  'README.md': (text, name) => text.replace('# my-app', `# ${name}`),
};

/** The files of a part of a starter, with their paths in the application. */
const filesBelow = (folder: string): { readonly source: string; readonly path: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const source = join(parentPath, name);
      return { source, path: name === HIDDEN ? `.${HIDDEN}` : relative(folder, source) };
    });

/** The folder of the starters, one folder above this file, from source and in the bundle. */
export const startersFolder = (): string => fileURLToPath(new URL('../starter', import.meta.url));

/** Writes a starter. Throws CliError if the folder has files; then nothing was written. */
export const writeStarter = ({ cwd, folder, framework, version, starters }: StarterOptions): Starter => {
  const to = resolve(cwd, folder);
  if (entriesOf(to).some((entry) => entry !== '.git'))
    throw new CliError(EXIT.conflict, `${to} is not empty. Nothing was written.`, { hint: 'Name a new folder.' });
  const name = nameOf(to);
  const files = ['shared', framework].flatMap((part) => filesBelow(join(starters, part)));
  // Written anew and not copied, because the executable keeps its files without the right to write.
  for (const { source, path } of files) {
    const text = readFileSync(source, 'utf8');
    const edit = EDITS[path];
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), edit ? edit(text, name, version) : text, { flag: 'wx' });
  }
  const secret = `BECKON_MASTER_KEY=${randomBytes(32).toString('hex')}\n`;
  writeFileSync(join(to, '.env'), secret, { mode: 0o600, flag: 'wx' });
  return { folder: to, name, files: ['.env', ...files.map(({ path }) => path)].toSorted() };
};

/** What to run next, for a folder as it was typed. */
export const nextSteps = (folder: string): readonly string[] => [
  `cd ${folder}`,
  'npm install',
  'npm test',
  'npm start',
];
