// Decides the answer to an attempt at a second factor, and the rows to write. Every check of a factor uses these rules,
// so waits and the block count across challenges and factors.
//
// The caller loads the rows, calls `admitMfaAttempt`, checks the code only if it returns `slot`, calls `decideMfaAttempt`
// and commits the rows of the decision, guarded by the version of the state that it loaded. A failed guard starts over.

import type { AuthSettings } from '../auth-settings/schema.ts';

/** Codes that a challenge accepts. Source of these numbers: interface, MFA challenge rules. */
export const MAX_CHALLENGE_CODES = 5;
/** Milliseconds for which a challenge is valid. Source: authentication design, Tokens. */
export const CHALLENGE_MS = 10 * 60_000;
/** Wrong codes after which the account is blocked until an administrator resets its MFA. */
export const MAX_WRONG_TOTAL = 100;
/** Wrong codes in a row without a wait. */
const FREE_WRONG_CODES = 5;
const FIRST_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 900;
/** Notices to the owner per hour. Source: authentication design, Mail. */
export const MAX_NOTICES_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** MFA counters of an account. Times are milliseconds since 1970. */
export type MfaState = {
  /** Wrong codes since the last right one. */
  readonly wrongInRow: number;
  /** Wrong codes since the last reset by an administrator. */
  readonly wrongTotal: number;
  /** Attempts before this time are not checked; null: no wait. */
  readonly nextAllowedAtMs: number | null;
  readonly blockedAtMs: number | null;
  /** Last notice to the owner. */
  readonly noticedAtMs: number | null;
  /** Notices of which each was at most an hour after the one before. */
  readonly noticesInHour: number;
};

/** The state of an account without a row, and after a reset by an administrator. */
export const EMPTY_MFA_STATE: MfaState = {
  wrongInRow: 0,
  wrongTotal: 0,
  nextAllowedAtMs: null,
  blockedAtMs: null,
  noticedAtMs: null,
  noticesInHour: 0,
};

/** A challenge whose secret was presented. Times are milliseconds since 1970. */
export type MfaChallenge = {
  /** True if a right first factor created it; false for the implicit challenge of a session, which notifies nobody. */
  readonly isSignIn: boolean;
  readonly codesUsed: number;
  readonly firstWrongAtMs: number | null;
  readonly expiresAtMs: number;
  readonly consumedAtMs: number | null;
};

/** A checked attempt. A code that was used before counts as wrong. */
export type MfaAttempt = { readonly kind: 'code' | 'passkey'; readonly isRight: boolean };

/** An attempt that is not checked. Nothing is written. */
export type MfaRefusal =
  /** 401. The challenge is unknown, expired, consumed or has used its codes. */
  | { readonly outcome: 'challenge_expired' }
  /** 403. */
  | { readonly outcome: 'mfa_blocked' }
  /** 429. */
  | { readonly outcome: 'mfa_wait'; readonly retryAfterSeconds: number };

/** The attempt may be checked, and `codesUsed` counts it. */
export type MfaSlot = { readonly outcome: 'slot'; readonly challenge: MfaChallenge };

/** A checked attempt, with the rows to write. */
export type MfaResult =
  | { readonly outcome: 'right'; readonly state: MfaState; readonly challenge: MfaChallenge }
  | {
      /** 401 `code_invalid`, or `passkey_invalid` for a passkey. */
      readonly outcome: 'wrong';
      readonly attemptsLeft: number;
      /** True if this attempt blocked the account. */
      readonly isBlocked: boolean;
      /** True if the owner is notified in the same commit. */
      readonly notifiesOwner: boolean;
      readonly state: MfaState;
      readonly challenge: MfaChallenge;
    };

/** A new challenge that expires in ten minutes. */
export const newMfaChallenge = (nowMs: number, isSignIn: boolean): MfaChallenge => ({
  isSignIn,
  codesUsed: 0,
  firstWrongAtMs: null,
  expiresAtMs: nowMs + CHALLENGE_MS,
  consumedAtMs: null,
});

/**
 * How long an account must wait before its next code is checked.
 *
 * @param wrongInRow wrong codes since the last right one; integer, 0 or more
 * @returns seconds, 0 to 900. Throws nothing.
 * Source: interface, MFA challenge rules (from the 6th, 30 s, doubling up to 15 minutes).
 */
export const mfaWaitSeconds = (wrongInRow: number): number => {
  if (wrongInRow <= FREE_WRONG_CODES) return 0;
  return Math.min(FIRST_WAIT_SECONDS * 2 ** (wrongInRow - FREE_WRONG_CODES - 1), MAX_WAIT_SECONDS);
};

type Attempted = {
  readonly state: MfaState;
  /** Null if the challenge is unknown or its secret was wrong. */
  readonly challenge: MfaChallenge | null;
  readonly nowMs: number;
};

/** Decides whether an attempt may be checked. Throws nothing. */
export const admitMfaAttempt = ({ state, challenge, nowMs }: Attempted): MfaRefusal | MfaSlot => {
  if (
    !challenge ||
    challenge.consumedAtMs !== null ||
    challenge.expiresAtMs <= nowMs ||
    challenge.codesUsed >= MAX_CHALLENGE_CODES
  )
    return { outcome: 'challenge_expired' };
  if (state.blockedAtMs !== null) return { outcome: 'mfa_blocked' };
  if (state.nextAllowedAtMs !== null && nowMs < state.nextAllowedAtMs)
    return { outcome: 'mfa_wait', retryAfterSeconds: Math.ceil((state.nextAllowedAtMs - nowMs) / 1_000) };
  return { outcome: 'slot', challenge: { ...challenge, codesUsed: challenge.codesUsed + 1 } };
};

// Counting restarts after an hour without a notice, so no hour of any start has more than five.
const noticeState = ({ noticedAtMs, noticesInHour }: MfaState, nowMs: number): Partial<MfaState> | null => {
  const isQuiet = noticedAtMs === null || nowMs - noticedAtMs >= HOUR_MS;
  if (isQuiet) return { noticedAtMs: nowMs, noticesInHour: 1 };
  return noticesInHour < MAX_NOTICES_PER_HOUR ? { noticedAtMs: nowMs, noticesInHour: noticesInHour + 1 } : null;
};

const wrongCode = (state: MfaState, nowMs: number): MfaState => {
  const wrongInRow = state.wrongInRow + 1;
  const wrongTotal = state.wrongTotal + 1;
  const waitSeconds = mfaWaitSeconds(wrongInRow);
  return {
    ...state,
    wrongInRow,
    wrongTotal,
    nextAllowedAtMs: waitSeconds === 0 ? null : nowMs + waitSeconds * 1_000,
    blockedAtMs: wrongTotal >= MAX_WRONG_TOTAL ? nowMs : null,
  };
};

/**
 * Decides the answer to a checked attempt. Repeats `admitMfaAttempt`, since the rows may have been loaded again.
 *
 * A right attempt consumes the challenge and ends waits, but does not lower `wrongTotal`. A wrong passkey uses one of the
 * challenge's codes and counts as no wrong code. Throws nothing.
 */
export const decideMfaAttempt = ({
  attempt,
  ...attempted
}: Attempted & { readonly attempt: MfaAttempt }): MfaRefusal | MfaResult => {
  const { state, nowMs } = attempted;
  const admitted = admitMfaAttempt(attempted);
  if (admitted.outcome !== 'slot') return admitted;
  const { challenge } = admitted;
  if (attempt.isRight)
    return {
      outcome: 'right',
      state: { ...state, wrongInRow: 0, nextAllowedAtMs: null },
      challenge: { ...challenge, consumedAtMs: nowMs },
    };

  const attemptsLeft = MAX_CHALLENGE_CODES - challenge.codesUsed;
  if (attempt.kind === 'passkey')
    return { outcome: 'wrong', attemptsLeft, isBlocked: false, notifiesOwner: false, state, challenge };
  const isFirst = challenge.isSignIn && challenge.firstWrongAtMs === null;
  const notice = isFirst ? noticeState(state, nowMs) : null;
  const counted = { ...wrongCode(state, nowMs), ...notice };
  return {
    outcome: 'wrong',
    attemptsLeft,
    isBlocked: counted.blockedAtMs !== null,
    notifiesOwner: notice !== null,
    state: counted,
    challenge: { ...challenge, firstWrongAtMs: challenge.firstWrongAtMs ?? nowMs },
  };
};

/** Whether accounts have second factors. */
type MfaMode = AuthSettings['mfa']['mode'];

/** The step that follows a proven first factor. */
export type MfaRequirement = 'none' | 'challenge' | 'enrollment' | 'blocked';

/**
 * What a user must do after a right first factor: password, link, code, social sign-in or password reset alike.
 *
 * @param factors confirmed factors of the account, lost ones included
 * @param isTwoFactor true for a passkey with user verification, which is two factors
 * @param blockedAtMs of the account's MFA state
 * @returns `blocked` for every method while the account is blocked; `enrollment` if the mode requires a factor and the user
 * has none. Throws nothing.
 */
export const mfaRequirementOf = ({
  mode,
  factors,
  isTwoFactor,
  blockedAtMs,
}: {
  readonly mode: MfaMode;
  readonly factors: number;
  readonly isTwoFactor: boolean;
  readonly blockedAtMs: number | null;
}): MfaRequirement => {
  if (blockedAtMs !== null) return 'blocked';
  if (mode === 'off' || isTwoFactor) return 'none';
  if (factors > 0) return 'challenge';
  return mode === 'required' ? 'enrollment' : 'none';
};
