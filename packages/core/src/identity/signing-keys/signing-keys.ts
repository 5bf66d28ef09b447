// Signing keys of environments as they are stored: read through a cache of 10 s, created when the first token is signed.

import { nextTurn } from '../../foundation/contained.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import { type JwkSet, jwkSetOf } from './jwks.ts';
import { activeKeyOf, type KeyRecord, nextKeyStates, publishedKeys } from './key-states.ts';
import {
  generateSigningKey,
  keyImporter,
  type SigningAlg,
  type SigningKey,
  type VerificationKey,
} from './signing-key.ts';
import { signingKeyStatements } from './statements.ts';
import { type SigningKeyRow, signingKeyStore } from './store.ts';
import type { SigningKeyTables } from './tables.ts';

export type SigningKeysPlatform = Platform<SigningKeyTables>;

/** Environments per step of maintenance. Chosen: some milliseconds. */
const SLICE = 200;
/** Wake topic: signing keys changed in some process. */
const KEYS_CHANGED = 'auth signing keys';

const recordOf = ({ kid, alg, state, activateAt, retireAt }: SigningKeyRow): KeyRecord => ({
  ...{ kid, alg, state, activateAtMs: activateAt.getTime(), retireAtMs: retireAt?.getTime() ?? null },
});

/** The row and column of a sealed private key. */
const placeOf = ({ orgId, projectId, environment }: Scope, kid: string): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_signing_keys', column: 'sealed', rowId: kid },
});

export type SigningKeys = {
  /** The key that signs; it is created if there is none. Throws errors of the database and of the keyring. */
  signer(scope: Scope, alg: SigningAlg): Promise<SigningKey>;
  /** The keys that verify. */
  verifiers(scope: InScope): Promise<readonly VerificationKey[]>;
  jwks(scope: InScope): Promise<JwkSet>;
  /** Keys of an environment, without their private parts. */
  list(scope: InScope): Promise<readonly SigningKeyRow[]>;
  /** Begins a rotation; false: one is running. */
  rotate(scope: Scope, alg: SigningAlg): Promise<boolean>;
  /** What is due for all environments that have keys; true: there is more. */
  maintain(algOf: (scope: Scope) => Promise<SigningAlg>): Promise<boolean>;
  readonly sealedValues: SealedValues;
  close(): void;
};

export const signingKeys = ({ storage, tables, clock, keyring, scopes }: SigningKeysPlatform): SigningKeys => {
  const hot = signingKeyStatements(tables);
  const store = signingKeyStore({ db: storage.db, tables });
  const importer = keyImporter();
  const cache = sharedCache<InScope, readonly SigningKeyRow[]>({
    ...{ storage, clock, topic: KEYS_CHANGED, nameOf: scopeKey },
    read: readByScope(storage, hot.ofScope, (rows) => rows),
  });

  const applyPlan = async (scope: Scope, alg: SigningAlg, isRotationRequested = false): Promise<boolean> => {
    const keys = (await store.ofScope(scope)).map(recordOf);
    const plan = nextKeyStates({ keys, nowMs: clock.now().getTime(), alg, isRotationRequested });
    if (plan.transitions.length === 0 && plan.create === null) return false;
    await cache.change(async () => {
      for (const change of plan.transitions) await store.change(scope, change);
      if (plan.create === null) return;
      const { kid, publicJwk, privateJwk } = await generateSigningKey(plan.create.alg);
      await store.add({
        ...{ scopeId: scope.scopeId, kid, alg: plan.create.alg, state: plan.create.state, publicJwk },
        sealed: await keyring.seal(placeOf(scope, kid), JSON.stringify(privateJwk)),
        ...{ activateAt: new Date(plan.create.activateAtMs), retireAt: null, createdAt: clock.now() },
      });
    });
    return plan.create !== null;
  };

  // Environment after which the next step of maintenance begins; null: at the first.
  let maintainedUpTo: number | null = null;
  // Held as long as the row is cached: a refresh would otherwise decrypt and parse the key each time.
  const opened = new WeakMap<SigningKeyRow, SigningKey>();
  const signerOf = async (scope: Scope, row: SigningKeyRow): Promise<SigningKey> => {
    const cached = opened.get(row);
    if (cached) return cached;
    const key = importer.signingKey({
      ...row,
      privateJwk: JSON.parse(await keyring.openText(placeOf(scope, row.kid), row.sealed)),
    });
    opened.set(row, key);
    return key;
  };

  return {
    signer: async (scope, alg) => {
      const existing = activeKeyOf(await cache.get(scope));
      if (existing) return signerOf(scope, existing);
      await applyPlan(scope, alg);
      const created = activeKeyOf(await store.ofScope(scope));
      if (!created) throw new Error('The signing key that was just created cannot be read.');
      return signerOf(scope, created);
    },
    verifiers: async (scope) => publishedKeys(await cache.get(scope)).map((row) => importer.verificationKey(row)),
    jwks: async (scope) => jwkSetOf(publishedKeys(await cache.get(scope))),
    list: (scope) => store.ofScope(scope),
    rotate: (scope, alg) => applyPlan(scope, alg, true),
    maintain: async (algOf) => {
      const ids = await store.scopesOfAll(maintainedUpTo, SLICE);
      const scopeOf = await scopes.load(ids);
      for (const id of ids) {
        const scope = scopeOf(id);
        await applyPlan(scope, await algOf(scope));
        await nextTurn();
      }
      maintainedUpTo = ids.length === SLICE ? (ids.at(-1) ?? null) : null;
      return maintainedUpTo !== null;
    },
    sealedValues: sealedInScopes({
      scopes,
      count: store.countOfAll,
      read: store.pageOfAll,
      valuesOf: ({ kid, sealed, scopeId }: Pick<SigningKeyRow, 'scopeId' | 'kid' | 'sealed'>, scope) => [
        {
          place: placeOf(scope, kid),
          sealed,
          replace: (next) => store.reseal({ scopeId, kid }, sealed, next),
        },
      ],
    }),
    close: cache.close,
  };
};
