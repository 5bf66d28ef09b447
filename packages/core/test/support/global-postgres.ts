import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

type Shared = { server: Promise<PostgresServer>; users: number };

// Each project of one run loads this file anew; the global object is what they have in common.
const KEY = Symbol.for('beckon.test.postgres');
// Proof of the cast: the symbol is ours alone and only this file writes it.
const shared = globalThis as typeof globalThis & { [KEY]?: Shared };

/**
 * Its machine does not lose power: tests that end a server, or that measure one, have their own. What they read here does
 * not differ.
 */
const SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/** Answers the one server of this process, started by the first caller; each call needs one `releasePostgres`. */
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

/** Ends what `setup` began. */
export const teardown = (): Promise<void> => releasePostgres();
