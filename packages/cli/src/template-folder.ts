// Templates in a folder of files: `<folder>/<channel>/<template>/template.json`, and long texts beside it. The name of
// a template is in its JSON; the name of its folder has no meaning.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '@beckon/core';
import { CliError, EXIT } from './exit-codes.ts';
import { entriesWithin, readFileWithin, writeFileWithin } from './files.ts';
import { jsonErrorOf } from './json-text.ts';
import { CHANNELS } from './names.ts';
import {
  type FolderTemplate,
  filesOf,
  folderNameOf,
  isTemplateFile,
  TEMPLATE_FILE,
  templateOf,
} from './template-files.ts';

/** A template of a channel, and its folder; null: it has none yet. */
export type Stored = FolderTemplate & { readonly channel: Channel; readonly folder: string | null };

/** Maximum bytes of a file. Source: interface, Limits, body of every other endpoint. */
const MAX_FILE_BYTES = 1_048_576;

const invalid = (message: string): CliError => new CliError(EXIT.invalid, message);

const readText = (root: string, path: string): string => readFileWithin(root, path, MAX_FILE_BYTES).toString('utf8');

/**
 * The subfolders of a folder; empty if it does not exist. A link is rejected, not skipped, because `push --prune` would
 * delete its templates.
 */
const foldersIn = (root: string, path: string): string[] =>
  entriesWithin(root, path)
    .filter(({ name }) => !name.startsWith('.'))
    .filter((entry) => {
      if (entry.isSymbolicLink()) throw invalid(`${join(path, entry.name)} is a symbolic link, which is not followed.`);
      return entry.isDirectory();
    })
    .map(({ name }) => name)
    .sort();

const readJson = (root: string, path: string): unknown => {
  const text = readText(root, path);
  const refusal = jsonErrorOf(path, text);
  if (refusal !== null) throw refusal;
  return JSON.parse(text);
};

const readOne = (path: string, channel: Channel, folder: string): Stored | null => {
  const own = join(path, channel, folder);
  const names = readdirSync(own).filter(isTemplateFile);
  if (!names.includes(TEMPLATE_FILE)) {
    if (names.length > 0) throw invalid(`${own} has no ${TEMPLATE_FILE}.`);
    return null;
  }
  const files = new Map(
    names.filter((name) => name !== TEMPLATE_FILE).map((name) => [name, readText(path, join(own, name))]),
  );
  const read = templateOf(readJson(path, join(own, TEMPLATE_FILE)), files);
  if ('problem' in read) throw invalid(`${own}: ${read.problem}.`);
  return { ...read, channel, folder };
};

/**
 * The templates of a folder. Throws CliError invalid for an invalid template and for a duplicate name within a channel.
 */
export const readTemplates = (path: string): Stored[] => {
  const found = CHANNELS.flatMap((channel) =>
    foldersIn(path, join(path, channel)).flatMap((folder) => readOne(path, channel, folder) ?? []),
  );
  const seen = new Map<string, string | null>();
  for (const { channel, name, folder } of found) {
    const key = `${channel}/${name}`;
    if (seen.has(key))
      throw invalid(`${channel}/${seen.get(key)} and ${channel}/${folder} have the same name: ${name}.`);
    seen.set(key, folder);
  }
  return found;
};

/** An unused folder name of the channel, compared without case. */
const freeFolder = (name: string, used: ReadonlySet<string>): string => {
  const base = folderNameOf(name);
  for (let count = 1; ; count++) {
    const folder = count === 1 ? base : `${base}-${count}`;
    if (!used.has(folder.toLowerCase())) return folder;
  }
};

/**
 * Writes templates into a folder, existing ones into their folders, and deletes the files of removed texts.
 *
 * @param there the templates in the folder
 * @returns the number of written and deleted files
 */
export const writeTemplates = (path: string, templates: readonly Stored[], there: readonly Stored[]): number => {
  const used = new Map(
    CHANNELS.map((channel) => [
      channel,
      new Set(foldersIn(path, join(path, channel)).map((name) => name.toLowerCase())),
    ]),
  );
  let changed = 0;
  for (const template of templates) {
    const { channel, name } = template;
    const names = used.get(channel) ?? new Set<string>();
    const folder = there.find((one) => one.channel === channel && one.name === name)?.folder ?? freeFolder(name, names);
    names.add(folder.toLowerCase());
    const own = join(path, channel, folder);
    const files = filesOf(template, channel);
    for (const [file, text] of files) if (writeFileWithin(path, join(own, file), text)) changed += 1;
    for (const stale of readdirSync(own).filter((file) => isTemplateFile(file) && !files.has(file))) {
      rmSync(join(own, stale));
      changed += 1;
    }
  }
  return changed;
};
