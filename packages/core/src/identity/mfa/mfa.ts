// Second factors as rows: what the ladder loads, and the writes that follow from its decisions.

import { type Write, write } from '../../database/commit/write-set.ts';
import { constantTimeEqual } from '../../foundation/hash.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { SealedValues } from '../../platform/tenancy/rotation.ts';
import { sealedInScopes } from '../../platform/tenancy/sealed-rows.ts';
import { hashSecret, isSecret, newSecret } from '../one-time/secrets.ts';
import { EMPTY_MFA_STATE, type MfaChallenge, type MfaState, newMfaChallenge } from './ladder.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery.ts';
import {
  type FactorRow,
  isConfirmed,
  type MfaChallengeRow,
  type MfaStateRow,
  type PendingSignIn,
  type RecoveryCodeRow,
} from './rows.ts';
import { mfaStatements } from './statements.ts';
import { type MfaStore, mfaStore } from './store.ts';
import type { MfaTables } from './tables.ts';
import { newTotpSecret, totpStepOf } from './totp.ts';

export type MfaPlatform = Platform<MfaTables>;

/** The counters of an account. `version` 0: it has no row. */
export type LoadedState = { readonly state: MfaState; readonly version: number };

/** A right code, and the write that uses it. */
export type UsedCode = { readonly amr: string; readonly write: Write };

export type Mfa = MfaStore & {
  stateOf(scope: InScope, accountId: string): Promise<LoadedState>;
  /** Writes the counters, guarded by the version that was read. */
  putState(scope: InScope, accountId: string, version: number, state: MfaState): Write;
  /** All factors, those of unfinished enrollments included. */
  factorsOf(scope: InScope, accountId: string): Promise<readonly FactorRow[]>;
  /** All factors of several accounts, with one look-up; oldest first. */
  factorsOfAccounts(scope: InScope, accountIds: readonly string[]): Promise<readonly FactorRow[]>;
  confirmedOf(scope: InScope, accountId: string): Promise<readonly FactorRow[]>;
  codesOf(scope: InScope, accountId: string): Promise<readonly RecoveryCodeRow[]>;
  /** A factor that is not confirmed yet, and its secret. Throws errors of the keyring. */
  newTotp(
    scope: Scope,
    accountId: string,
    now: Date,
  ): Promise<{ readonly row: FactorRow; readonly secret: Uint8Array; readonly write: Write }>;
  /** A write that adds a factor in use, whose secret an app has already. Throws errors of the keyring. */
  importTotp(scope: Scope, accountId: string, secret: Uint8Array, now: Date): Promise<Write>;
  /** The secret of a factor; null: the factor is lost. Throws errors of the keyring. */
  secretOf(scope: Scope, factor: Pick<FactorRow, 'id' | 'secret'>): Promise<Uint8Array | null>;
  /** The time step of a right, unused code of a factor; null: wrong, used, or the factor is lost. */
  stepOf(scope: Scope, factor: FactorRow, code: string, now: Date): Promise<number | null>;
  /** Finds the factor or the recovery code that a code is of; null: wrong or used. */
  findCode(
    scope: Scope,
    accountId: string,
    input: { readonly code: string; readonly factorId: string | undefined },
    now: Date,
  ): Promise<UsedCode | null>;
  tryFactor(factor: FactorRow): Write;
  confirmFactor(factor: FactorRow, step: number, now: Date): Write;
  deleteFactor(factor: Pick<FactorRow, 'scopeId' | 'id'>): Write;
  /** Ten new recovery codes in place of the former ones. */
  newCodes(scope: InScope, accountId: string): { readonly codes: readonly string[]; readonly writes: readonly Write[] };
  deleteCodes(scope: InScope, accountId: string): Write;
  challenge(scope: InScope, id: string): Promise<MfaChallengeRow | null>;
  /** A challenge of a sign-in, not yet written. The token exists nowhere else. */
  newChallenge(
    scope: InScope,
    accountId: string,
    pending: PendingSignIn,
    now: Date,
  ): { readonly row: MfaChallengeRow; readonly token: string };
  putChallenge(row: MfaChallengeRow): Write;
  /** Ends the challenges of an account: its password changed, or it was disabled. */
  endChallenges(scope: InScope, accountId: string): Write;
  /** Deletes factors, recovery codes and challenges. */
  removeFactors(scope: InScope, accountId: string): readonly Write[];
  /** Deletes the counters, which ends waits and the block. */
  deleteState(scope: InScope, accountId: string): Write;
  readonly sealedValues: SealedValues;
};

const placeOf = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_factors', column: 'secret', rowId: id },
});
const msOf = (date: Date | null): number | null => date?.getTime() ?? null;
const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const stateIn = (row: MfaStateRow): MfaState => ({
  ...{ wrongInRow: row.wrongInRow, wrongTotal: row.wrongTotal, nextAllowedAtMs: msOf(row.nextAllowedAt) },
  ...{ blockedAtMs: msOf(row.blockedAt), noticedAtMs: msOf(row.noticedAt), noticesInHour: row.noticesInHour },
});

/** A row as the ladder reads it. Throws nothing. */
export const challengeIn = (row: MfaChallengeRow): MfaChallenge => ({
  ...{ isSignIn: row.hash !== null, codesUsed: row.codesUsed, firstWrongAtMs: msOf(row.firstWrongAt) },
  ...{ expiresAtMs: row.expiresAt.getTime(), consumedAtMs: msOf(row.consumedAt) },
});

/** A row with what the ladder decided. Throws nothing. */
export const challengeRow = (row: MfaChallengeRow, next: MfaChallenge): MfaChallengeRow => ({
  ...row,
  ...{ codesUsed: next.codesUsed, firstWrongAt: dateOf(next.firstWrongAtMs), expiresAt: new Date(next.expiresAtMs) },
  consumedAt: dateOf(next.consumedAtMs),
});

/** True if a text is the token of a challenge of a sign-in. Throws nothing. */
export const isTokenOf = ({ hash }: MfaChallengeRow, token: unknown): boolean =>
  hash !== null &&
  isSecret('mfa_challenge', token) &&
  constantTimeEqual(Buffer.from(hashSecret(token)), Buffer.from(hash));

const NOTHING_PENDING: PendingSignIn = { method: '', amr: [], deviceId: null, isNewUser: false };

/** The implicit challenge of a session, not yet written. Throws nothing. */
export const sessionChallenge = (scope: InScope, accountId: string, sessionId: string, now: Date): MfaChallengeRow =>
  challengeRow(
    {
      ...{ scopeId: scope.scopeId, id: sessionId, accountId, hash: null, pending: NOTHING_PENDING },
      ...{ codesUsed: 0, firstWrongAt: null, expiresAt: now, consumedAt: null },
    },
    newMfaChallenge(now.getTime(), false),
  );

const STATE_GUARD = 'mfa state';
const FACTOR_GUARD = 'factor';

export const mfaEngine = ({ storage, tables, ids, keyring, scopes }: MfaPlatform): Mfa => {
  const hot = mfaStatements(tables);
  const store = mfaStore({ db: storage.db, tables });
  const keyOf = ({ scopeId, id }: Pick<FactorRow, 'scopeId' | 'id'>) => ({ scopeId, id });
  const factorsOf: Mfa['factorsOf'] = ({ scopeId }, accountId) => storage.select(hot.factorsOf, [[scopeId, accountId]]);
  const codesOf: Mfa['codesOf'] = ({ scopeId }, accountId) => storage.select(hot.codesOf, [[scopeId, accountId]]);
  const confirmedOf: Mfa['confirmedOf'] = async (scope, accountId) =>
    (await factorsOf(scope, accountId)).filter(isConfirmed);
  const secretOf: Mfa['secretOf'] = async (scope, { id, secret }) =>
    secret === null ? null : Buffer.from(await keyring.openText(placeOf(scope, id), secret), 'base64url');
  const stepOf: Mfa['stepOf'] = async (scope, factor, code, now) => {
    const secret = await secretOf(scope, factor);
    if (secret === null) return null;
    return totpStepOf({ secret, code, nowMs: now.getTime(), lastStep: factor.lastStep });
  };
  const account = (scope: InScope, accountId: string) => ({ ...scopeOf(scope), accountId });
  const sealedTotp = async (
    scope: Scope,
    accountId: string,
    secret: Uint8Array,
    times: Pick<FactorRow, 'createdAt' | 'confirmedAt'>,
  ): Promise<FactorRow> => {
    const id = ids.next();
    const sealed = await keyring.seal(placeOf(scope, id), Buffer.from(secret).toString('base64url'));
    return {
      ...{ ...account(scope, accountId), ...times },
      ...{ id, type: 'totp', secret: sealed, lastStep: null, tries: 0, lastUsedAt: null },
    };
  };

  return {
    ...store,
    factorsOf,
    confirmedOf,
    codesOf,
    factorsOfAccounts: async ({ scopeId }, accountIds) => {
      if (accountIds.length === 0) return [];
      const rows = await storage.select(
        hot.factorsOf,
        accountIds.map((accountId) => [scopeId, accountId]),
      );
      return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    secretOf,
    stepOf,
    stateOf: async ({ scopeId }, accountId) => {
      const [row] = await storage.select(hot.stateOf, [[scopeId, accountId]]);
      return row ? { state: stateIn(row), version: row.version } : { state: EMPTY_MFA_STATE, version: 0 };
    },
    putState: (scope, accountId, version, state) => {
      const row = {
        ...account(scope, accountId),
        ...{ wrongInRow: state.wrongInRow, wrongTotal: state.wrongTotal, noticesInHour: state.noticesInHour },
        ...{ nextAllowedAt: dateOf(state.nextAllowedAtMs), blockedAt: dateOf(state.blockedAtMs) },
        noticedAt: dateOf(state.noticedAtMs),
      };
      return version === 0
        ? write(hot.insertState, { ...row, version: 1 }, STATE_GUARD)
        : write(hot.changeState, { ...row, version }, STATE_GUARD);
    },
    newTotp: async (scope, accountId, now) => {
      const secret = newTotpSecret();
      const row = await sealedTotp(scope, accountId, secret, { createdAt: now, confirmedAt: null });
      return { row, secret, write: write(hot.insertFactor, row) };
    },
    importTotp: async (scope, accountId, secret, now) =>
      write(hot.insertFactor, await sealedTotp(scope, accountId, secret, { createdAt: now, confirmedAt: now })),
    findCode: async (scope, accountId, { code, factorId }, now) => {
      const named = (await confirmedOf(scope, accountId)).filter(({ id }) => factorId === undefined || id === factorId);
      for (const factor of named) {
        const lastStep = await stepOf(scope, factor, code, now);
        if (lastStep !== null) {
          const used = { ...keyOf(factor), lastStep, lastUsedAt: now };
          return { amr: 'otp', write: write(hot.useFactor, used, FACTOR_GUARD) };
        }
      }
      const hash = recoveryCodeHash({ scopeId: scope.scopeId, userId: accountId, code });
      if (hash === null) return null;
      const isUnused = (await codesOf(scope, accountId)).some((row) => row.hash === hash && row.usedAt === null);
      if (!isUnused) return null;
      return {
        amr: 'otp',
        write: write(hot.useCode, { ...account(scope, accountId), hash, usedAt: now }, FACTOR_GUARD),
      };
    },
    tryFactor: (factor) => write(hot.tryFactor, { ...keyOf(factor), tries: factor.tries }, FACTOR_GUARD),
    confirmFactor: (factor, lastStep, now) =>
      write(hot.confirmFactor, { ...keyOf(factor), lastStep, confirmedAt: now, lastUsedAt: now }, FACTOR_GUARD),
    deleteFactor: (factor) => write(hot.deleteFactor, keyOf(factor)),
    newCodes: (scope, accountId) => {
      const codes = newRecoveryCodes();
      const rows = codes.map((code) => ({
        ...account(scope, accountId),
        // Never null: the code is new.
        hash: recoveryCodeHash({ scopeId: scope.scopeId, userId: accountId, code }) ?? '',
        usedAt: null,
      }));
      return {
        codes,
        writes: [write(hot.deleteCodes, account(scope, accountId)), ...rows.map((row) => write(hot.insertCode, row))],
      };
    },
    deleteCodes: (scope, accountId) => write(hot.deleteCodes, account(scope, accountId)),
    challenge: async ({ scopeId }, id) => (await storage.select(hot.challenge, [[scopeId, id]]))[0] ?? null,
    newChallenge: (scope, accountId, pending, now) => {
      const token = newSecret('mfa_challenge');
      const row = {
        ...{ ...account(scope, accountId), id: ids.next(), hash: hashSecret(token), pending },
        ...{ codesUsed: 0, firstWrongAt: null, expiresAt: now, consumedAt: null },
      };
      return { token, row: challengeRow(row, newMfaChallenge(now.getTime(), true)) };
    },
    putChallenge: (row) => write(hot.putChallenge, row),
    endChallenges: (scope, accountId) => write(hot.deleteChallenges, account(scope, accountId)),
    removeFactors: (scope, accountId) => [
      write(hot.deleteFactors, account(scope, accountId)),
      write(hot.deleteCodes, account(scope, accountId)),
      write(hot.deleteChallenges, account(scope, accountId)),
    ],
    deleteState: (scope, accountId) => write(hot.deleteState, account(scope, accountId)),
    sealedValues: sealedInScopes({
      scopes,
      count: store.countSealedOfAll,
      read: store.sealedOfAll,
      valuesOf: ({ scopeId, id, secret }: Pick<FactorRow, 'scopeId' | 'id' | 'secret'>, scope) =>
        secret === null
          ? []
          : [
              {
                place: placeOf(scope, id),
                sealed: secret,
                replace: (next) => store.reseal({ scopeId, id }, secret, next),
              },
            ],
    }),
  };
};
