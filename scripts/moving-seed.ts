import { spawnSync } from 'node:child_process';

const git = (...args: readonly string[]): string | null => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
};

/**
 * The first seed of every sampled check: BECKON_TEST_SEED, or a number from 1 to 2^24 derived from the commit, so that
 * each change is tested with its own seeds and a failure repeats on the same commit. 1 outside a clone of git.
 */
export const movingSeed = (): number => {
  const given = process.env['BECKON_TEST_SEED'];
  if (given !== undefined) return Number(given);
  const commit = git('rev-parse', 'HEAD');
  return commit === null ? 1 : 1 + Number.parseInt(commit.slice(0, 6), 16);
};

/** The commit at which this branch left the landed one; on the landed commit itself, the previous commit. */
export const baseCommit = (): string => {
  const left = git('merge-base', 'HEAD', 'origin/HEAD');
  return left === null || left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left;
};

/** Paths that differ from a commit, including the working tree; null if git does not know the commit. */
export const changedFiles = (base: string): string[] | null =>
  git('diff', '--name-only', base, '--')?.split('\n').filter(Boolean) ?? null;

/** Short name of the current commit; empty outside a clone of git. */
export const currentCommit = (): string => git('rev-parse', '--short=8', 'HEAD') ?? '';

/** True for about one in `parts` names, another selection for each seed. Source: FNV-1a, public domain. */
export const isInPart = (name: string, seed: number, parts: number): boolean => {
  let hash = 2_166_136_261;
  for (const character of `${seed} ${name}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  // The low bits of FNV-1a are uneven for short texts.
  return ((hash ^ (hash >>> 15)) >>> 0) % parts === 0;
};
