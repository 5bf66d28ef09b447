import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of a few megabytes, in memory. */
export type SmallDisk = {
  readonly folder: string;
  /** Fills the disk. */
  fill(): void;
  /** Frees the space. */
  free(): void;
  remove(): void;
};

/** Mounts a disk at a new folder, private to its owner; null without permission. */
export const smallDisk = (folder: string, megabytes: number, owner = process.getuid?.() ?? 0): SmallDisk | null => {
  try {
    mkdirSync(folder, { recursive: true });
    const options = `size=${megabytes}m,mode=700,uid=${owner},gid=${owner}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  const ballast = join(folder, 'ballast');
  const fill = (): void => {
    const file = openSync(ballast, 'a');
    try {
      const chunk = Buffer.alloc(4_096, 1);
      while (writeSync(file, chunk) === chunk.length);
    } catch {
      // Expected: no space is left.
    } finally {
      closeSync(file);
    }
  };
  return {
    folder,
    fill,
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      execFileSync('umount', ['-l', folder]);
    },
  };
};
