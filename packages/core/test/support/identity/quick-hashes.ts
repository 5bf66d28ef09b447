import { createHash, randomBytes } from 'node:crypto';
import type { HashPool } from '../../../src/identity/passwords/pool.ts';

const digestOf = (salt: string, password: string): string =>
  createHash('sha256').update(`${salt} ${password}`).digest('base64').replaceAll('=', '');

export type QuickHashes = HashPool & {
  /** Calls so far. */
  readonly calls: { hash: number; verify: number };
};

/** Hashes in microseconds that have the form of real ones, and counts its calls. */
export const quickHashes = (): QuickHashes => {
  const calls = { hash: 0, verify: 0 };
  return {
    calls,
    threads: 8,
    hash: async (password) => {
      calls.hash += 1;
      const salt = randomBytes(16).toString('base64').replaceAll('=', '');
      return `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${digestOf(salt, password)}`;
    },
    verify: async ({ stored }, password) => {
      calls.verify += 1;
      const [, , , , salt = '', digest] = stored.split('$');
      return digest === digestOf(salt, password);
    },
    close: async () => undefined,
  };
};
