// Use of a passkey, shared by sign-in, step-up and second factors: options with a challenge, and the check of the answer.
// A challenge works once: the commit that reads it deletes it, whether the answer was right or not.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { VerifyPasskeyFactor } from '../flow/attempt.ts';
import type { AuthContext } from '../flow/context.ts';
import { credentialIdOf, type PasskeyChallenge, signInOptions, verifySignIn } from '../passkeys/ceremony.ts';
import type { PasskeyRequestOptions } from '../passkeys/options.ts';
import { referenceOf, storedOf } from '../passkeys/passkeys.ts';
import { type RelyingParty, relyingPartyOf } from '../passkeys/relying-party.ts';
import type { PasskeyRow } from '../passkeys/rows.ts';
import { publicUrlMissing } from '../shapes/errors.ts';

/** The result of a check. `writes` belong to the commit in either case. */
export type Assertion = { readonly writes: readonly Write[] } & (
  | { readonly passkey: PasskeyRow; readonly amr: readonly string[] }
  | { readonly passkey: null }
);

export type PasskeyCheck = {
  /** Throws PROVIDER_NOT_CONFIGURED without `publicUrl`. */
  partyOf(settings: AuthSettings): RelyingParty;
  /** Options for a user, or for anybody (null), and the write of their challenge. */
  options(
    scope: Scope,
    input: { readonly id: string; readonly accountId: string | null; readonly settings: AuthSettings },
    now: Date,
  ): Promise<{ readonly publicKey: PasskeyRequestOptions; readonly writes: readonly Write[] }>;
  /** Takes a challenge; null: it does not exist, was used, or is another user's. */
  challenge(
    scope: Scope,
    input: { readonly id: string; readonly accountId: string | null },
  ): Promise<{ readonly challenge: PasskeyChallenge | null; readonly writes: readonly Write[] }>;
  /** Checks the answer of a browser. `accountId`: of the user who is known; null: the passkey names the user. */
  verify(
    scope: Scope,
    input: {
      readonly challengeId: string;
      readonly accountId: string | null;
      readonly response: unknown;
      readonly settings: AuthSettings;
    },
    now: Date,
  ): Promise<Assertion>;
};

/** Methods of authentication of a passkey. Source: RFC 8176. */
const amrOf = ({ isBackupEligible }: { readonly isBackupEligible: boolean }): readonly string[] => [
  isBackupEligible ? 'swk' : 'hwk',
  'user',
  'mfa',
];

export const passkeyCheck = (
  { audit, oneTime, passkeys }: Pick<AuthContext, 'audit' | 'oneTime' | 'passkeys'>,
  publicUrl: string | null,
): PasskeyCheck => {
  const partyOf: PasskeyCheck['partyOf'] = ({ passkey: settings }) => {
    if (publicUrl === null) throw publicUrlMissing();
    return relyingPartyOf({ settings, publicUrl });
  };
  const challenge: PasskeyCheck['challenge'] = async (scope, { id, accountId }) => {
    const row = await oneTime.challenge(scope, id);
    // Another user's challenge stays usable.
    if (!row || row.accountId !== accountId || row.codeChallenge === null) return { challenge: null, writes: [] };
    const { codeChallenge: value, expiresAt } = row;
    return { challenge: { value, expiresAt }, writes: [oneTime.takeChallenge(row)] };
  };
  return {
    partyOf,
    challenge,
    options: async (scope, { id, accountId, settings }, now) => {
      const party = partyOf(settings);
      const rows = accountId === null ? [] : await passkeys.ofAccount(scope, accountId);
      const { challenge: made, publicKey } = signInOptions({ party, credentials: rows.map(referenceOf), now });
      return { publicKey, writes: [oneTime.putChallenge(scope, { id, accountId, ...made }, now)] };
    },
    verify: async (scope, { challengeId, accountId, response, settings }, now) => {
      const party = partyOf(settings);
      const used = await challenge(scope, { id: challengeId, accountId });
      const found = await passkeys.byCredential(scope, credentialIdOf(response) ?? '');
      const handle = await passkeys.handleOf(scope, found?.accountId ?? null);
      const row = found && (accountId === null || found.accountId === accountId) ? found : null;
      const credential = row && storedOf(row, handle);
      const checked = await verifySignIn({
        ...{ party, response, now, credential, challenge: used.challenge, needsUserHandle: accountId === null },
      });
      if (!row || !checked.ok) {
        // Without a challenge anybody could fill the audit log.
        const isAudited = row !== null && !checked.ok && used.challenge !== null;
        const detail = checked.ok ? {} : { fault: checked.detail, passkeyId: row?.id };
        const entry = { actor: 'system', action: 'passkey.refuse', target: row?.accountId ?? null, detail };
        const writes = isAudited ? [audit.record(scope, { ...entry, result: 'passkey_invalid' }, now)] : [];
        return { passkey: null, writes: [...used.writes, ...writes] };
      }
      const { use } = checked;
      return { passkey: row, amr: amrOf(use), writes: [...used.writes, passkeys.use(row, use, now)] };
    },
  };
};

/** A passkey as a second factor of a challenge. The challenge of the passkey has the same id. */
export const passkeyFactor =
  (settings: AuthContext['settings'], check: PasskeyCheck): VerifyPasskeyFactor =>
  async (scope, { account, challenge, passkey: response }, now) => {
    const found = await check.verify(
      scope,
      { challengeId: challenge.id, accountId: account.id, response, settings: await settings.load(scope) },
      now,
    );
    return { isRight: found.passkey !== null, writes: found.writes };
  };
