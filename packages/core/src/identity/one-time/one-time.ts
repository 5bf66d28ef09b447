// One-time secrets: a random secret in a link, a 6-digit code, or both. A newer request replaces older ones of the same
// kind and mailbox.

import { type Write, write } from '../../database/commit/write-set.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SecretPlace } from '../../platform/tenancy/keyring.ts';
import type { OneTimeKind } from './kinds.ts';
import { isVerifierOf } from './pkce.ts';
import type { OneTimeRow } from './row.ts';
import {
  codeHash,
  hashSecret,
  isCodeOf,
  isSecret,
  MAX_CODE_TRIES,
  newCode,
  newSecret,
  type SecretKind,
} from './secrets.ts';
import { oneTimeStatements } from './statements.ts';
import { type OneTimeStore, oneTimeStore } from './store.ts';
import type { OneTimeTables } from './tables.ts';

export type OneTimePlatform = Platform<OneTimeTables>;

/** What to issue. */
export type Issue = {
  readonly kind: OneTimeKind;
  /** The form of the secret in the link, or the hash of a secret made elsewhere; null: a code only. */
  readonly secret: SecretKind | { readonly hash: string } | null;
  readonly hasCode: boolean;
  /** Null: of no mailbox. */
  readonly emailNorm: string | null;
  /** True: older rows of the kind and mailbox stay valid. Default: false. */
  readonly keepsOlder?: boolean;
  /** Null: the mailbox has no account, and the row can grant nothing. */
  readonly accountId: string | null;
  readonly codeChallenge: string | null;
  /** Sealed into the row; null: nothing. */
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly lifeMs: number;
};

/** A new row that is on disk once its writes are committed. The secret and the code exist nowhere else. */
export type Issued = {
  readonly id: string;
  readonly secret: string | null;
  readonly code: string | null;
  readonly expiresAt: Date;
  readonly writes: readonly Write[];
};

/** The result of a look-up: the row, or the writes of a wrong try. */
export type Spend =
  | { readonly ok: true; readonly row: OneTimeRow; readonly writes: readonly Write[] }
  | { readonly ok: false; readonly attemptsLeft: number; readonly writes: readonly Write[] };

export type OneTime = OneTimeStore & {
  issue(scope: Scope, input: Issue, now: Date): Promise<Issued>;
  /**
   * Finds the row of a secret and plans its use. A wrong verifier counts as a try and leaves the row usable; whatever
   * cannot be used is answered alike. Throws errors of the database.
   */
  spendSecret(
    scope: Scope,
    input: {
      readonly kind: OneTimeKind;
      readonly form: SecretKind;
      readonly secret: unknown;
      readonly verifier?: unknown;
      readonly needsVerifier?: boolean;
    },
    now: Date,
  ): Promise<Spend>;
  /** The same for a code of a mailbox. */
  spendCode(
    scope: Scope,
    input: {
      readonly kind: OneTimeKind;
      readonly emailNorm: string;
      readonly challengeId: string | null;
      readonly code: unknown;
    },
    now: Date,
  ): Promise<Spend>;
  /**
   * The row of a secret in any environment that can still be used, for requests without a key; null: none. `scopeId` of the
   * row names the environment.
   */
  openRow(input: { readonly kind: OneTimeKind; readonly hash: string }, now: Date): Promise<OneTimeRow | null>;
  /** Plans the use of a row. Of several uses at once, one takes effect. */
  use(row: OneTimeRow, now: Date): readonly Write[];
  /** Id of the row that a mailbox can still use; null: none. */
  liveIdOf(scope: Scope, kind: OneTimeKind, emailNorm: string, now: Date): Promise<string | null>;
  /** Opens the payload of a row; null: it has none. Throws UnreadableSecret. */
  payloadOf(scope: Scope, row: OneTimeRow): Promise<unknown>;
  /** A write that removes all rows of an account. */
  removeOf(scope: Scope, accountId: string): Write;
};

const payloadPlace = ({ orgId, projectId, environment }: Scope, id: string): SecretPlace => ({
  ...{ orgId, projectId, environment, table: 'auth_one_time', column: 'payload', rowId: id },
});

const REFUSED: Spend = { ok: false, attemptsLeft: 0, writes: [] };
const GUARD = 'one time';

/** `codeKeys`: the keys of CODE_KEY_PURPOSE. */
export const oneTime = ({ storage, tables, ids, keyring }: OneTimePlatform, codeKeys: DerivedKeys): OneTime => {
  const hot = oneTimeStatements(tables);
  const isOpen = (row: OneTimeRow, now: Date): boolean =>
    row.consumedAt === null && row.tries < row.maxTries && row.expiresAt > now;
  const wrongTry = (scope: Scope, row: OneTimeRow): Spend => ({
    ok: false,
    attemptsLeft: row.maxTries - row.tries - 1,
    writes: [write(hot.tryOnce, { ...scopeOf(scope), id: row.id }, GUARD)],
  });
  const useOf = (row: OneTimeRow, now: Date): readonly Write[] => [
    write(hot.consume, { ...scopeOf(row), id: row.id, consumedAt: now }, GUARD),
  ];
  const use = (row: OneTimeRow, now: Date): Spend => ({ ok: true, row, writes: useOf(row, now) });

  return {
    ...oneTimeStore({ db: storage.db, tables }),
    issue: async (scope, input, now) => {
      const { kind, emailNorm, accountId, codeChallenge, payload, lifeMs, keepsOlder = false } = input;
      const id = ids.next();
      const foreign = typeof input.secret === 'object' ? input.secret : null;
      const secret = typeof input.secret === 'string' ? newSecret(input.secret) : null;
      const code = input.hasCode ? newCode() : null;
      const expiresAt = new Date(now.getTime() + lifeMs);
      const row: OneTimeRow = {
        ...scopeOf(scope),
        ...{ id, kind, accountId, emailNorm, codeChallenge, createdAt: now, expiresAt },
        hash: secret === null ? (foreign?.hash ?? null) : hashSecret(secret),
        codeHash: code === null ? null : codeHash(codeKeys[0], id, code),
        payload: payload && (await keyring.seal(payloadPlace(scope, id), JSON.stringify(payload))),
        ...{ tries: 0, maxTries: MAX_CODE_TRIES, consumedAt: null },
      };
      const replaced =
        emailNorm === null || keepsOlder ? [] : [write(hot.replace, { ...scopeOf(scope), kind, emailNorm })];
      return { id, secret, code, expiresAt, writes: [...replaced, write(hot.insert, row)] };
    },
    spendSecret: async (scope, { kind, form, secret, verifier, needsVerifier = false }, now) => {
      if (!isSecret(form, secret)) return REFUSED;
      const [row] = await storage.select(hot.byHash, [[hashSecret(secret)]]);
      // A secret of another environment is answered like an unknown one, and stays usable there.
      if (!row || row.scopeId !== scope.scopeId || row.kind !== kind || !isOpen(row, now)) return REFUSED;
      if (needsVerifier && row.codeChallenge !== null && !isVerifierOf(verifier, row.codeChallenge))
        return wrongTry(scope, row);
      return use(row, now);
    },
    spendCode: async (scope, { kind, emailNorm, challengeId, code }, now) => {
      const rows = await storage.select(hot.ofMailbox, [[scope.scopeId, kind, emailNorm]]);
      const row = rows.find(({ id }) => challengeId === null || id === challengeId);
      if (!row || row.codeHash === null || !isOpen(row, now)) return REFUSED;
      if (!isCodeOf({ keys: codeKeys, challengeId: row.id, code, stored: row.codeHash })) return wrongTry(scope, row);
      return use(row, now);
    },
    openRow: async ({ kind, hash }, now) => {
      const [row] = await storage.select(hot.byHash, [[hash]]);
      return row && row.kind === kind && isOpen(row, now) ? row : null;
    },
    use: useOf,
    liveIdOf: async ({ scopeId }, kind, emailNorm, now) =>
      (await storage.select(hot.ofMailbox, [[scopeId, kind, emailNorm]])).find((row) => isOpen(row, now))?.id ?? null,
    payloadOf: async (scope, { id, payload }) =>
      payload === null ? null : JSON.parse(await keyring.openText(payloadPlace(scope, id), payload)),
    removeOf: (scope, accountId) => write(hot.removeOfAccount, { ...scopeOf(scope), accountId }),
  };
};
