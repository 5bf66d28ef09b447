/* The program of an earlier release: from kept packages, from the worktree of its tag, or of a commit that is named. */
import { globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM_VERSION } from '../../packages/core/src/foundation/program-version.ts';
import { addWorktree, removeWorktree, run } from '../release/versions.ts';

/** A program to run with Node, where it comes from, and what removes it. */
export type OldProgram = { readonly file: string; readonly from: string; remove(): void };

const numbersOf = (version: string): readonly number[] => version.replace(/^v/, '').split('.').map(Number);

/** Negative if `a` is the earlier version. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
};

/** The latest release before `own` among versions or tags; undefined: none. */
export const lastBefore = (own: string, versions: readonly string[]): string | undefined =>
  versions
    .filter((version) => /^v?\d+\.\d+\.\d+$/.test(version) && compareVersions(version, own) < 0)
    .toSorted(compareVersions)
    .at(-1);

const inWorktree = (root: string, folder: string, commit: string): OldProgram => {
  addWorktree(root, folder, commit);
  const file = join(folder, 'packages/cli/bin/beckon.js');
  return { file, from: `commit ${commit}`, remove: () => removeWorktree(root, folder) };
};

const installed = (folder: string, kept: string): OldProgram => {
  mkdirSync(folder, { recursive: true });
  const tarballs = globSync(join(kept, 'beckon-{core,http,cli}-*.tgz'));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run(folder, 'npm', 'install', ...flags, ...tarballs);
  const file = join(folder, 'node_modules/@beckon/cli/bin/beckon.js');
  return { file, from: `packages of ${kept}`, remove: () => undefined };
};

/**
 * Finds an earlier program: `named` (a commit, or a folder of packages), else the last release in `.releases`, else that
 * of the tags. Null if there is none.
 */
export const findOldProgram = (root: string, folder: string, named: string | undefined): OldProgram | null => {
  const isFolder = named !== undefined && globSync(join(named, 'beckon-cli-*.tgz')).length > 0;
  if (named !== undefined) return isFolder ? installed(folder, named) : inWorktree(root, folder, named);
  const releases = join(root, '.releases');
  const versions = globSync('*', { cwd: releases }).length > 0 ? readdirSync(releases) : [];
  const kept = lastBefore(PROGRAM_VERSION, versions);
  if (kept !== undefined) return installed(folder, join(releases, kept));
  const tag = lastBefore(PROGRAM_VERSION, run(root, 'git', 'tag', '--list', 'v*').split('\n'));
  return tag === undefined ? null : inWorktree(root, folder, tag);
};

/** The version of a program. */
export const versionOf = (file: string): string =>
  JSON.parse(readFileSync(join(file, '../../package.json'), 'utf8')).version;
