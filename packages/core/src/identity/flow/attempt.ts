// One attempt at a second factor: loads the rows, decides by the ladder and commits, guarded by the version of the account's
// counters. Challenges of a sign-in, step-up and removal of a factor all run it, so waits and the block count across them.

import type { Write } from '../../database/commit/write-set.ts';
import { type BeckonError, isBeckonError } from '../../foundation/errors.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthPlan } from '../commit/commit.ts';
import { admitMfaAttempt, decideMfaAttempt, type MfaRefusal } from '../mfa/ladder.ts';
import { challengeIn, challengeRow } from '../mfa/mfa.ts';
import type { MfaChallengeRow } from '../mfa/rows.ts';
import { forbiddenFor, mfaWait, unauthorizedFor } from '../shapes/errors.ts';
import type { AuthContext } from './context.ts';
import { planNotice, provenAddress } from './notice.ts';
import { serialCalls } from './serial-calls.ts';

/** What a user presents. */
export type MfaProof =
  | { readonly kind: 'code'; readonly code: string; readonly factorId: string | undefined }
  | { readonly kind: 'passkey'; readonly passkey: unknown };

/**
 * Checks the assertion of a passkey as a second factor of a challenge. `writes` are part of the attempt's commit in either
 * case: a wrong assertion uses its challenge up, too.
 */
export type VerifyPasskeyFactor = (
  scope: Scope,
  input: { readonly account: AccountRow; readonly challenge: MfaChallengeRow; readonly passkey: unknown },
  now: Date,
) => Promise<{ readonly isRight: boolean; readonly writes: readonly Write[] }>;

/** A right attempt. */
export type RightAttempt = {
  readonly account: AccountRow;
  readonly challenge: MfaChallengeRow;
  /** Methods of authentication that the attempt adds to those of the session. Source: RFC 8176. */
  readonly amr: readonly string[];
  readonly now: Date;
};

export type MfaAttempt<T> = {
  readonly accountId: string;
  /** The challenge as it is now, its secret checked; null: refused. */
  challenge(now: Date): Promise<MfaChallengeRow | null>;
  readonly proof: MfaProof;
  readonly client: ClientInfo;
  /** What a right attempt commits. It guards the account or the session. */
  onRight(right: RightAttempt): Promise<AuthPlan<T>>;
};

/**
 * Throws UNAUTHORIZED `challenge_expired`, `code_invalid` or `passkey_invalid`, RATE_LIMITED `mfa_wait`, FORBIDDEN
 * `mfa_blocked`, OVERLOADED.
 */
export type AttemptMfa = <T>(scope: Scope, attempt: MfaAttempt<T>) => Promise<T>;

type Outcome<T> = { readonly ok: true; readonly result: T } | { readonly ok: false; readonly error: BeckonError };

const errorOf = (refusal: MfaRefusal): BeckonError => {
  switch (refusal.outcome) {
    case 'challenge_expired':
      return unauthorizedFor('challenge_expired');
    case 'mfa_blocked':
      return forbiddenFor('mfa_blocked');
    case 'mfa_wait':
      return mfaWait(refusal.retryAfterSeconds);
  }
};

/** Commits of one attempt that lose to other processes before it is answered with OVERLOADED. Chosen. */
const MAX_COMMITS = 5;

export const mfaAttempts = (
  context: Pick<AuthContext, 'accounts' | 'audit' | 'budget' | 'commit' | 'makeEmail' | 'mfa' | 'settings'>,
  verifyPasskeyFactor: VerifyPasskeyFactor,
): AttemptMfa => {
  const { accounts, audit, mfa } = context;
  const oneByOne = serialCalls();

  const attemptOnce = async <T>(scope: Scope, attempt: MfaAttempt<T>): Promise<T> => {
    const { accountId, proof, client } = attempt;
    const settings = await context.settings.load(scope);
    const outcome = await context.commit<Outcome<T>>(scope, async (now) => {
      const nowMs = now.getTime();
      const [account, row, { state, version }] = await Promise.all([
        accounts.byId(scope, accountId),
        attempt.challenge(now),
        mfa.stateOf(scope, accountId),
      ]);
      const isUsable = account !== null && account.disabledAt === null && row?.accountId === accountId;
      const loaded = { state, challenge: isUsable ? challengeIn(row) : null, nowMs };
      const refuse = (refusal: MfaRefusal) => ({
        change: {},
        result: { ok: false, error: errorOf(refusal) } as const,
      });
      const admitted = admitMfaAttempt(loaded);
      if (admitted.outcome !== 'slot') return refuse(admitted);
      // Never here: without them nothing is admitted.
      if (!isUsable) return refuse({ outcome: 'challenge_expired' });

      const used =
        proof.kind === 'code'
          ? await mfa.findCode(scope, accountId, proof, now)
          : await verifyPasskeyFactor(scope, { account, challenge: row, passkey: proof.passkey }, now);
      const proven =
        used && 'isRight' in used
          ? { isRight: used.isRight, amr: 'hwk', writes: used.writes }
          : { isRight: used !== null, amr: used?.amr ?? '', writes: used ? [used.write] : [] };
      const decided = decideMfaAttempt({ ...loaded, attempt: { kind: proof.kind, isRight: proven.isRight } });
      if (decided.outcome !== 'right' && decided.outcome !== 'wrong') return refuse(decided);
      const next = challengeRow(row, decided.challenge);
      const writes = [mfa.putState(scope, accountId, version, decided.state), mfa.putChallenge(next)];
      if (decided.outcome === 'right') {
        const right = await attempt.onRight({ account, challenge: row, amr: [proven.amr, 'mfa'], now });
        const change = { ...right.change, writes: [...writes, ...proven.writes, ...(right.change.writes ?? [])] };
        return { change, result: { ok: true, result: right.result } };
      }
      if (decided.outcome !== 'wrong') return refuse({ outcome: 'challenge_expired' });
      const about = {
        account,
        kind: 'mfa_wrong_code',
        to: decided.notifiesOwner ? provenAddress(account) : [],
      } as const;
      // The first one of an hour is sent even over the limit of notices.
      const isAlwaysSent = decided.state.noticesInHour === 1;
      const notice = await planNotice(context, scope, { ...about, isAlwaysSent }, settings, now);
      const entry = { actor: `user:${accountId}`, action: 'mfa.block', target: accountId, result: 'ok', client };
      return {
        change: {
          writes: [
            accounts.unchanged(account),
            ...writes,
            ...proven.writes,
            ...(decided.isBlocked ? [audit.record(scope, entry, now)] : []),
            ...notice.writes,
          ],
          emails: notice.emails,
        },
        result: {
          ok: false,
          error: unauthorizedFor(proof.kind === 'code' ? 'code_invalid' : 'passkey_invalid', {
            attemptsLeft: decided.attemptsLeft,
          }),
        },
      };
    });
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  };

  /** Other processes may win several times in a row, but not for ever: a challenge takes five codes. */
  const attemptAgain = async <T>(scope: Scope, attempt: MfaAttempt<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attemptOnce(scope, attempt);
      } catch (error) {
        if (tries === MAX_COMMITS || !isBeckonError(error, 'OVERLOADED')) throw error;
      }
    }
  };

  // In a process the guard then fails against other processes only.
  return (scope, attempt) => oneByOne(`${scopeKey(scope)}/${attempt.accountId}`, () => attemptAgain(scope, attempt));
};
