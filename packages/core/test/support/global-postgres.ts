import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

type Shared = { server: Promise<PostgresServer>; users: number };

// Each project of one run loads this file again; they share the global object.
const KEY = Symbol.for('beckon.test.postgres');
// Proof of the cast: only this file uses the symbol.
const shared = globalThis as typeof globalThis & { [KEY]?: Shared };

/**
 * Settings without durability, since the machine does not lose power. Tests that stop or measure a server start their
 * own. The results of the other tests do not depend on it.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/** Returns the server of this process, started by the first caller; each call needs one `releasePostgres`. */
export const acquirePostgres = async (): Promise<PostgresServer> => {
  shared[KEY] ??= { server: startPostgres({ settings: SETTINGS, own: false }), users: 0 };
  shared[KEY].users += 1;
  return shared[KEY].server;
};

/** Stops the server of `acquirePostgres` when its last user has released it. */
export const releasePostgres = async (): Promise<void> => {
  const held = shared[KEY];
  if (!held) return;
  held.users -= 1;
  if (held.users > 0) return;
  delete shared[KEY];
  await (await held.server).stop();
};

/** Provides `postgresUrl` to the tests of a project; a server that does not start fails the run. */
export const setup = async (project: TestProject): Promise<void> => {
  project.provide('postgresUrl', (await acquirePostgres()).url);
};

/** Stops what `setup` started. */
export const teardown = (): Promise<void> => releasePostgres();
