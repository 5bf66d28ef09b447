// What imported password hashes need beside the stored text: the signer key of a Firebase project, which is sealed, and
// the cost of each algorithm, to which failed sign-ins are padded.

import { createHash } from 'node:crypto';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import { UnreadableSecret } from '../../foundation/secrets.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import { type ParsedHash, toBase64 } from '../passwords/formats/parsed.ts';
import { standInOf } from '../passwords/formats/stand-in.ts';
import type { StoredPassword } from '../passwords/passwords.ts';
import { hashConfigStatements } from './statements.ts';
import { hashConfigStore } from './store.ts';
import type { HashConfigTables } from './tables.ts';

export type HashConfigsPlatform = Platform<HashConfigTables>;

/** Wake topic: hashes were imported in some process. */
const CONFIGS_CHANGED = 'auth hash configs';
/** How long a new configuration is kept without a password: an import adds it first. Chosen: far longer than one call. */
const UNUSED_MS = 3_600_000;

/** A stored hash, and what it needs besides. */
export type ImportedHash = { readonly hash: string; readonly hashConfigId: string | null };

/** The imported hashes of an environment. */
export type ScopeHashes = {
  /** One per algorithm and cost. */
  readonly standIns: readonly string[];
  /** Adds the signer key that a stored hash needs. Null stays null. Throws nothing. */
  verifiable(stored: ImportedHash | null): StoredPassword | null;
  /** The signer key of a configuration in base64; null: it has none, or it cannot be read. Throws nothing. */
  signerKeyOf(hashConfigId: string | null): string | null;
};

export type HashConfigs = {
  /** Read once in 10 s. Throws errors of the database. */
  load(scope: Scope): Promise<ScopeHashes>;
  /** Id of the configuration of a hash. Throws nothing. */
  idOf(hash: ParsedHash): string;
  /** Stores the configurations of hashes that are about to be written. Throws errors of the database and the keyring. */
  add(scope: Scope, hashes: readonly ParsedHash[]): Promise<void>;
  /** Removes some configurations of any environment that no password needs; true: there is more. */
  removeUnusedOfAll(
    isUsed: (scope: Scope, hashConfigId: string) => Promise<boolean>,
    now: Date,
    limit: number,
  ): Promise<boolean>;
  readonly sealedValues: SealedValues;
  close(): void;
};

/** The row and column of a sealed signer key. */
const placeOf = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_hash_configs', column: 'sealed', rowId: id },
});

const signerKeyIn = (hash: ParsedHash): string | null =>
  hash.algorithm === 'firebase-scrypt' ? toBase64(hash.signerKey) : null;

/** Remembers the last id: the hashes of an import are mostly alike. */
const idMaker = (): ((hash: ParsedHash) => string) => {
  let last = { text: '', id: '' };
  return (hash) => {
    const text = `${standInOf(hash)} ${signerKeyIn(hash) ?? ''}`;
    // A signer key has 16 random bytes or more, so its digest does not reveal it.
    if (text !== last.text) last = { text, id: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
    return last.id;
  };
};

type Opened = { readonly id: string; readonly standIn: string; readonly signerKey: string | null };

const scopeHashes = (rows: readonly Opened[]): ScopeHashes => {
  const signerKeys = new Map(rows.map(({ id, signerKey }) => [id, signerKey]));
  const signerKeyOf = (id: string | null): string | null => (id === null ? null : (signerKeys.get(id) ?? null));
  return {
    standIns: [...new Set(rows.map(({ standIn }) => standIn))],
    signerKeyOf,
    verifiable: (stored) => {
      if (stored === null) return null;
      const signerKey = signerKeyOf(stored.hashConfigId);
      return { hash: stored.hash, ...(signerKey !== null && { hashConfig: { signerKey } }) };
    },
  };
};

export const hashConfigsEngine = ({ storage, tables, clock, keyring, scopes }: HashConfigsPlatform): HashConfigs => {
  const hot = hashConfigStatements(tables);
  const idOf = idMaker();
  const store = hashConfigStore({ db: storage.db, tables });

  const opened = async (scope: Scope, id: string, sealed: string | null): Promise<string | null> => {
    if (sealed === null) return null;
    try {
      return await keyring.openText(placeOf(scope, id), sealed);
    } catch (error) {
      // Its hashes fit no password then; the other users of the environment can sign in.
      if (error instanceof UnreadableSecret) return null;
      throw error;
    }
  };

  const cache = sharedCache<Scope, ScopeHashes>({
    ...{ storage, clock, topic: CONFIGS_CHANGED, nameOf: scopeKey },
    read: async (all) => {
      const rows = await storage.select(
        hot.ofScope,
        all.map((scope) => [scopeKey(scope)]),
      );
      const byScope = Map.groupBy(rows, ({ scopeId }) => scopeId);
      const values = new Map<number, ScopeHashes>();
      for (const scope of all) {
        const own = byScope.get(scope.scopeId) ?? [];
        const configs = own.map(async ({ id, standIn, sealed }) => ({
          ...{ id, standIn, signerKey: await opened(scope, id, sealed) },
        }));
        values.set(scope.scopeId, scopeHashes(await Promise.all(configs)));
      }
      const none = scopeHashes([]);
      return ({ scopeId }) => values.get(scopeId) ?? none;
    },
  });

  let unusedAfter: { readonly scopeId: number; readonly id: string } | null = null;

  return {
    load: (scope) => cache.get(scope),
    idOf,
    add: async (scope, hashes) => {
      const byId = new Map(hashes.map((hash) => [idOf(hash), hash]));
      const existing = await storage.select(hot.ofScope, [[scopeKey(scope)]]);
      const now = clock.now();
      for (const { id, sealed, createdAt } of existing) {
        const hash = byId.get(id);
        const isComplete = hash !== undefined && (sealed !== null || signerKeyIn(hash) === null);
        // An older one is about to be removed if no password needs it yet.
        if (isComplete && now.getTime() - createdAt.getTime() < UNUSED_MS / 2) byId.delete(id);
      }
      if (byId.size === 0) return;
      await cache.change(async () => {
        for (const [id, hash] of byId) {
          const signerKey = signerKeyIn(hash);
          const sealed = signerKey === null ? null : await keyring.seal(placeOf(scope, id), signerKey);
          await store.put({ scopeId: scope.scopeId, id, standIn: standInOf(hash), sealed, createdAt: now });
        }
      });
    },
    removeUnusedOfAll: async (isUsed, now, limit) => {
      const before = new Date(now.getTime() - UNUSED_MS);
      const rows = await store.addedBefore(before, unusedAfter, limit);
      const scopeOf = await scopes.load(rows.map(({ scopeId }) => scopeId));
      for (const row of rows) {
        const scope = scopeOf(row.scopeId);
        if (!(await isUsed(scope, row.id))) await cache.change(() => store.remove(row, before));
      }
      unusedAfter = rows.length === limit ? (rows.at(-1) ?? null) : null;
      return unusedAfter !== null;
    },
    sealedValues: sealedInScopes({
      scopes,
      count: store.countOfAll,
      read: store.pageOfAll,
      valuesOf: ({ scopeId, id, sealed }: Awaited<ReturnType<typeof store.pageOfAll>>[number], scope) =>
        sealed === null
          ? []
          : [
              {
                place: placeOf(scope, id),
                sealed,
                replace: (next) => store.reseal({ scopeId, id }, sealed, next),
              },
            ],
    }),
    close: cache.close,
  };
};
