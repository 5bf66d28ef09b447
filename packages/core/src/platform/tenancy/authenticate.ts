// Authenticates the key of a request. An invalid key fails at the checksum; a recent key is served from the cache; any
// other key needs a digest and two point reads. Entries are at most 10 s old by the injected clock, so a revocation by
// another process takes effect even if its signal is lost.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { constantTimeEqual } from '../../foundation/hash.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { Principal } from './api.ts';
import { hashKey, type KeyShape, parseKey } from './key-format.ts';
import type { LastUsed } from './last-used.ts';
import type { TenancyStatements } from './statements.ts';

/** How long a cached key is used, in milliseconds. Source: contract, Keys and scopes (revoked within 10 s). */
const MAX_AGE_MS = 10_000;
/** Topic signalled when a key is revoked. */
const KEYS_CHANGED = 'tenancy.keys_changed';

type Found = { readonly principal: Principal; readonly expiresAt: Date | null; readonly lastUsedAt: Date | null };
/** A key by its digest, so that a memory dump of the process contains no keys. */
type KeyLookup = { readonly hash: string; readonly shape: KeyShape };

export type Authenticator = {
  /** The caller with this key; null for anything that is not an active key. Throws errors of the database. */
  authenticate(secret: string): Promise<Principal | null>;
  /** Runs a write that changes keys, then clears all cached keys, also those being read. */
  change<Result>(write: () => Promise<Result>): Promise<Result>;
  close(): void;
};

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** @param maxKeys cached results, positive and negative; the least recently used one is evicted. */
export const authenticator = ({
  storage,
  hot,
  clock,
  uses,
  maxKeys,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly hot: Pick<TenancyStatements, 'keyByHash' | 'grantsByKey'>;
  readonly clock: Clock;
  readonly uses: Pick<LastUsed, 'note'>;
  readonly maxKeys: number;
}): Authenticator => {
  const find = async ({ hash, shape: { kind, environment } }: KeyLookup): Promise<Found | null> => {
    const [row] = await storage.select(hot.keyByHash, [[hash]]);
    if (!row || !constantTimeEqual(bytesOf(row.hash), bytesOf(hash)) || row.revokedAt) return null;
    if (row.kind !== kind || row.environment !== environment) return null;
    const grants = await storage.select(hot.grantsByKey, [[row.id]]);
    if (grants.length === 0) return null;
    const principal = { keyId: row.id, kind, environment, scopes: new Set(row.scopes), grants };
    return { principal, expiresAt: row.expiresAt, lastUsedAt: row.lastUsedAt };
  };

  const answers = sharedCache<KeyLookup, Found | null>({
    storage,
    clock,
    topic: KEYS_CHANGED,
    nameOf: ({ hash }) => hash,
    read: async (keys) => {
      const found = new Map(await Promise.all(keys.map(async (key) => [key.hash, await find(key)] as const)));
      return ({ hash }) => found.get(hash) ?? null;
    },
    maxAgeMs: MAX_AGE_MS,
    maxEntries: maxKeys,
  });

  return {
    authenticate: async (secret) => {
      const shape = parseKey(secret);
      if (!shape) return null;
      const found = await answers.get({ hash: hashKey(secret), shape });
      if (!found || (found.expiresAt && found.expiresAt <= clock.now())) return null;
      uses.note(found.principal.keyId, found.lastUsedAt);
      return found.principal;
    },
    change: answers.change,
    close: answers.close,
  };
};
