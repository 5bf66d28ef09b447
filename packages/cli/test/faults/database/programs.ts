import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The user `nobody` on Linux: none of these programs runs as root. */
const NOBODY = 65534;
/** Ends the program when its stdin closes, so that no process outlives the tests. */
const GUARD = 'exec 3<&0; "$@" </dev/null & s=$!; (cat <&3; kill -TERM $s) >/dev/null 2>&1 & wait $s';
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A running program; `end` sends SIGTERM and waits, `kill` sends SIGKILL. */
export type Program = { output(): string; end(): Promise<void>; kill(): Promise<void> };

/** The path of a system program; null if it is not installed. */
export const programAt = (name: string): string | null => {
  try {
    return execFileSync('sh', ['-c', `command -v ${name} || ls /usr/sbin/${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
};

/** Starts a program as a user other than root, in that user's folder. */
export const startProgram = (
  folder: string,
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Program => {
  let text = '';
  const child: ChildProcess = spawn('/bin/sh', ['-c', GUARD, 'sh', path, ...args], {
    ...user,
    cwd: folder,
    // A separate process group, so that all its processes can be killed.
    detached: true,
    env: { ...process.env, HOME: folder, LC_ALL: 'C', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-20_000);
    });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('exit', () => resolve());
  });
  return {
    output: () => text,
    end: async () => {
      child.stdin?.end();
      await ended;
    },
    kill: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
};

/** A new folder owned by the other user. */
export const ownFolder = (): { readonly folder: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-programs-'));
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
};
