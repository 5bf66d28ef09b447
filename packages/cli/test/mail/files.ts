import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Writes a file and the folders that it needs. */
export const put = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
};

/** The content of a file as Latin-1; empty if it does not exist. */
export const textIn = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** Runs a program to its end. @throws Error with its output if it fails */
export const run = (program: string, args: readonly string[], input?: string): string =>
  execFileSync(program, [...args], { encoding: 'utf8', stdio: 'pipe', ...(input === undefined ? {} : { input }) });

/** Starts a server that daemonizes, without pipes, which it would keep open. @throws Error if it fails */
export const start = (program: string, args: readonly string[]): void => {
  const log = `/var/log/start-${basename(program)}`;
  const file = openSync(log, 'a');
  try {
    execFileSync(program, [...args], { stdio: ['ignore', file, file] });
  } catch (cause) {
    throw new Error(`${program} does not start: ${textIn(log).slice(-2_000)}`, { cause });
  } finally {
    closeSync(file);
  }
};

/** Timeout for a server that hangs. */
const HANGS_AFTER_MS = 120_000;

/** Resolves with the first result of `look`; rejects with `about` at the timeout. */
export const until = async <T>(look: () => T | undefined | Promise<T | undefined>, about: () => string): Promise<T> => {
  const deadline = Date.now() + HANGS_AFTER_MS;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(200);
  }
  throw new Error(`Nothing came: ${about()}`);
};

/** Resolves when a server listens there. */
export const listens = (host: string, port: number, about: () => string): Promise<true> =>
  until(
    () =>
      new Promise<true | undefined>((resolve) => {
        const socket = connect(port, host)
          .once('connect', () => resolve(true))
          .once('error', () => resolve(undefined))
          .once('close', () => socket.destroy());
        socket.once('connect', () => socket.destroy());
      }),
    () => `${host}:${port} ${about()}`,
  );
