// Whose key a request carries. Garbage ends at the checksum; a key that was seen lately ends in the cache; anything
// else is a digest and two point reads. Entries are at most 10 s old by the injected clock, which is how a revocation
// by another process takes effect even if its signal is lost.

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
/** Signalled when a key was revoked. */
const KEYS_CHANGED = 'tenancy.keys_changed';

type Found = { readonly principal: Principal; readonly expiresAt: Date | null; readonly lastUsedAt: Date | null };
/** A key by its digest: a copy of the process's memory should not hold keys because of us. */
type Asked = { readonly hash: string; readonly shape: KeyShape };

export type Authenticator = {
  /** Whose key this is; null for anything that is not a live key. Throws what the database throws. */
  authenticate(secret: string): Promise<Principal | null>;
  /** Runs a write that changes keys, then forgets all cached keys, also those that are being read. */
  change<Result>(write: () => Promise<Result>): Promise<Result>;
  close(): void;
};

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** @param maxKeys answers held, positive and negative; the one unused for longest gives way. */
export const authenticator = ({
  storage,
  hot,
  clock,
  uses,
  maxKeys,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly hot: Pick<TenancyStatements, 'keyByHash' | 'grantsByKey'>;
  readonly clock: Clock;
  readonly uses: Pick<LastUsed, 'note'>;
  readonly maxKeys: number;
}): Authenticator => {
  const find = async ({ hash, shape: { kind, environment } }: Asked): Promise<Found | null> => {
    const [row] = await storage.select(hot.keyByHash, [[hash]]);
    if (!row || !constantTimeEqual(bytesOf(row.hash), bytesOf(hash)) || row.revokedAt) return null;
    if (row.kind !== kind || row.environment !== environment) return null;
    const grants = await storage.select(hot.grantsByKey, [[row.id]]);
    if (grants.length === 0) return null;
    const principal = { keyId: row.id, kind, environment, scopes: new Set(row.scopes), grants };
    return { principal, expiresAt: row.expiresAt, lastUsedAt: row.lastUsedAt };
  };

  const answers = sharedCache<Asked, Found | null>({
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
