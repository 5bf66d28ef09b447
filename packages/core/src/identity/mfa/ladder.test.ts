import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitMfaAttempt,
  CHALLENGE_MS,
  decideMfaAttempt,
  EMPTY_MFA_STATE,
  type MfaAttempt,
  type MfaChallenge,
  type MfaState,
  mfaRequirementOf,
  mfaWaitSeconds,
  newMfaChallenge,
} from './ladder.ts';

const START = Date.parse('2026-11-29T12:00:00.000Z');
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const RIGHT: MfaAttempt = { kind: 'code', isRight: true };
const WRONG: MfaAttempt = { kind: 'code', isRight: false };
const WRONG_PASSKEY: MfaAttempt = { kind: 'passkey', isRight: false };

/** One account whose rows are written as decided. */
const account = (initial: Partial<MfaState> = {}) => {
  let state: MfaState = { ...EMPTY_MFA_STATE, ...initial };
  let nowMs = START;
  let challenge: MfaChallenge = newMfaChallenge(nowMs, true);
  let checks = 0;
  const attempt = (input: MfaAttempt) => {
    const before = { state, challenge };
    const admitted = admitMfaAttempt({ ...before, nowMs });
    if (admitted.outcome === 'slot') checks += 1;
    const decision = decideMfaAttempt({ ...before, attempt: input, nowMs });
    if (decision.outcome === 'right' || decision.outcome === 'wrong') {
      ({ state, challenge } = decision);
      expect(admitted).toEqual({ outcome: 'slot', challenge: { ...before.challenge, codesUsed: challenge.codesUsed } });
    } else expect(decision).toEqual(admitted);
    return decision;
  };
  return {
    attempt,
    pass: (ms: number) => {
      nowMs += ms;
    },
    challenge: (isSignIn = true) => {
      challenge = newMfaChallenge(nowMs, isSignIn);
    },
    /** A wrong code in a new challenge, after any wait. */
    wrong: () => {
      if (state.nextAllowedAtMs !== null) nowMs = Math.max(nowMs, state.nextAllowedAtMs);
      challenge = newMfaChallenge(nowMs, true);
      return attempt(WRONG);
    },
    reset: () => {
      state = EMPTY_MFA_STATE;
    },
    get state() {
      return state;
    },
    get codesUsed() {
      return challenge.codesUsed;
    },
    get checks() {
      return checks;
    },
  };
};

describe('the MFA ladder', () => {
  it('M1: a right sixth code is refused', () => {
    const user = account();
    const left = Array.from({ length: 5 }, () => user.attempt(WRONG)).map((decision) =>
      decision.outcome === 'wrong' ? decision.attemptsLeft : null,
    );
    expect(left).toEqual([4, 3, 2, 1, 0]);
    expect(user.attempt(RIGHT)).toEqual({ outcome: 'challenge_expired' });
    expect(user.checks).toBe(5);
  });

  it('M1: a right fifth code is accepted, and consumes the challenge', () => {
    const user = account();
    for (let code = 0; code < 4; code += 1) user.attempt(WRONG);
    expect(user.attempt(RIGHT)).toMatchObject({ outcome: 'right', challenge: { codesUsed: 5, consumedAtMs: START } });
    expect(user.attempt(RIGHT)).toEqual({ outcome: 'challenge_expired' });
  });

  it('a challenge is valid until the millisecond before ten minutes', () => {
    expect(CHALLENGE_MS).toBe(600_000);
    const user = account();
    user.pass(CHALLENGE_MS - 1);
    expect(user.attempt(WRONG).outcome).toBe('wrong');
    user.pass(1);
    expect(user.attempt(RIGHT)).toEqual({ outcome: 'challenge_expired' });
  });

  it('an unknown challenge is answered like an expired one, also for a blocked account', () => {
    const decided = decideMfaAttempt({
      state: { ...EMPTY_MFA_STATE, blockedAtMs: START },
      challenge: null,
      attempt: RIGHT,
      nowMs: START,
    });
    expect(decided).toEqual({ outcome: 'challenge_expired' });
  });

  it('M4: waits after the 6th wrong code in a row are 30, 60, 120, 240, 480, 900 and 900 seconds', () => {
    expect(Array.from({ length: 12 }, (_, at) => mfaWaitSeconds(at + 1))).toEqual([
      0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900,
    ]);
    expect(mfaWaitSeconds(0)).toBe(0);
    expect(mfaWaitSeconds(5_000)).toBe(900);
    const user = account();
    for (const seconds of [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 900, 900]) {
      user.challenge();
      expect(user.attempt(WRONG).outcome).toBe('wrong');
      if (seconds === 0) continue;
      user.challenge();
      expect(user.attempt(RIGHT)).toEqual({ outcome: 'mfa_wait', retryAfterSeconds: seconds });
      user.pass(seconds * SECOND_MS - 1);
      user.challenge();
      expect(user.attempt(RIGHT)).toEqual({ outcome: 'mfa_wait', retryAfterSeconds: 1 });
      user.pass(1);
    }
  });

  it('M5: a right code during a wait is not checked, and takes neither a slot nor a count', () => {
    const user = account({ wrongInRow: 6, wrongTotal: 6, nextAllowedAtMs: START + 30 * SECOND_MS });
    const before = user.state;
    user.pass(500);
    for (const attempt of [RIGHT, WRONG, WRONG_PASSKEY, { kind: 'passkey', isRight: true }] as const)
      expect(user.attempt(attempt)).toEqual({ outcome: 'mfa_wait', retryAfterSeconds: 30 });
    expect([user.state, user.codesUsed, user.checks]).toEqual([before, 0, 0]);
  });

  it('M6: a right code zeroes the wrong codes in a row and ends the wait', () => {
    const user = account();
    for (let code = 0; code < 7; code += 1) user.wrong();
    user.pass(60 * SECOND_MS);
    user.challenge();
    expect(user.attempt(RIGHT)).toMatchObject({ outcome: 'right', state: { wrongInRow: 0, nextAllowedAtMs: null } });
    user.challenge();
    expect(user.attempt(WRONG)).toMatchObject({ state: { wrongInRow: 1, nextAllowedAtMs: null } });
  });

  it('M7: the 100th wrong code blocks the account until an administrator resets it', () => {
    const user = account();
    for (let code = 1; code < 100; code += 1)
      expect(user.wrong()).toMatchObject({ outcome: 'wrong', isBlocked: false });
    expect(user.wrong()).toMatchObject({ outcome: 'wrong', attemptsLeft: 4, isBlocked: true });
    user.pass(365 * 24 * HOUR_MS);
    user.challenge();
    expect(user.attempt(RIGHT)).toEqual({ outcome: 'mfa_blocked' });
    expect(user.attempt({ kind: 'passkey', isRight: true })).toEqual({ outcome: 'mfa_blocked' });
    expect(user.codesUsed).toBe(0);
    user.reset();
    expect(user.attempt(RIGHT).outcome).toBe('right');
  });

  it('M8: the first wrong code of a challenge notifies the owner, and later ones do not', () => {
    const user = account();
    expect(user.attempt(WRONG)).toMatchObject({ notifiesOwner: true });
    expect(user.attempt(WRONG)).toMatchObject({ notifiesOwner: false });
    user.challenge();
    expect(user.attempt(WRONG)).toMatchObject({ notifiesOwner: true });
  });

  it('M8: an hour has at most five notices, and the first after a quiet hour always goes out', () => {
    const user = account();
    const notices = (count: number) =>
      Array.from({ length: count }, () => {
        const decision = user.wrong();
        user.attempt(RIGHT);
        return decision.outcome === 'wrong' && decision.notifiesOwner;
      });
    expect(notices(7)).toEqual([true, true, true, true, true, false, false]);
    user.pass(HOUR_MS - 1);
    expect(notices(1)).toEqual([false]);
    user.pass(1);
    expect(notices(6)).toEqual([true, true, true, true, true, false]);
  });

  it('M8: right codes, passkeys and the implicit challenge of a session notify nobody', () => {
    const user = account();
    expect(user.attempt(WRONG_PASSKEY)).toMatchObject({ outcome: 'wrong', notifiesOwner: false });
    expect(user.attempt(WRONG)).toMatchObject({ notifiesOwner: true });
    user.challenge(false);
    expect(user.attempt(WRONG)).toMatchObject({ outcome: 'wrong', notifiesOwner: false });
    expect(EMPTY_MFA_STATE.noticesInHour).toBe(0);
    expect(user.state.noticesInHour).toBe(1);
  });

  it('M9: a password reset requires the second factor like any other first factor', () => {
    const reset = { isTwoFactor: false, blockedAtMs: null };
    expect(mfaRequirementOf({ ...reset, mode: 'optional', factors: 1 })).toBe('challenge');
    expect(mfaRequirementOf({ ...reset, mode: 'required', factors: 1 })).toBe('challenge');
    expect(mfaRequirementOf({ ...reset, mode: 'optional', factors: 1, blockedAtMs: START })).toBe('blocked');
  });

  it('M13: right codes do not lower the total that blocks', () => {
    const user = account();
    for (let code = 1; code < 100; code += 1) {
      user.challenge();
      user.attempt(WRONG);
      expect(user.attempt(RIGHT)).toMatchObject({ outcome: 'right', state: { wrongTotal: code, wrongInRow: 0 } });
    }
    user.challenge();
    expect(user.attempt(WRONG)).toMatchObject({ isBlocked: true, state: { wrongTotal: 100 } });
  });

  it('M14: a mode that requires MFA makes a user without a factor enroll one', () => {
    const input = { factors: 0, isTwoFactor: false, blockedAtMs: null };
    expect(mfaRequirementOf({ ...input, mode: 'required' })).toBe('enrollment');
    expect(mfaRequirementOf({ ...input, mode: 'optional' })).toBe('none');
    expect(mfaRequirementOf({ ...input, mode: 'off', factors: 1 })).toBe('none');
    expect(mfaRequirementOf({ ...input, mode: 'required', isTwoFactor: true })).toBe('none');
    expect(mfaRequirementOf({ ...input, mode: 'off', blockedAtMs: 0, isTwoFactor: true })).toBe('blocked');
  });

  it('a wrong passkey takes a slot and counts as no wrong code', () => {
    const user = account({ wrongInRow: 3, wrongTotal: 99 });
    const before = user.state;
    for (let left = 4; left >= 0; left -= 1)
      expect(user.attempt(WRONG_PASSKEY)).toMatchObject({ outcome: 'wrong', attemptsLeft: left, isBlocked: false });
    expect(user.state).toEqual(before);
    expect(user.attempt(RIGHT)).toEqual({ outcome: 'challenge_expired' });
  });

  it('every sequence of attempts is decided as a model that only keeps a log decides', () => {
    type Entry = { readonly at: number; readonly isRight: boolean };
    const step = fc.record({
      passMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: HOUR_MS })),
      isNewChallenge: fc.boolean(),
      kind: fc.constantFrom('code' as const, 'code' as const, 'passkey' as const),
      isRight: fc.integer({ min: 0, max: 9 }).map((digit) => digit === 0),
      isReset: fc.integer({ min: 0, max: 39 }).map((digit) => digit === 0),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 250 }), fc.integer({ min: 0, max: 99 }), (steps, wrongBefore) => {
        const user = account({ wrongTotal: wrongBefore });
        let nowMs = START;
        let openedAt = START;
        let used = 0;
        let isConsumed = false;
        let codes: Entry[] = [];
        let totalBefore = wrongBefore;
        const notices: number[] = [];
        for (const { passMs, isNewChallenge, kind, isRight, isReset } of steps) {
          nowMs += passMs;
          user.pass(passMs);
          if (isReset) {
            [codes, totalBefore] = [[], 0];
            user.reset();
          }
          if (isNewChallenge) {
            [openedAt, used, isConsumed] = [nowMs, 0, false];
            user.challenge();
          }
          const afterRight = codes.slice(codes.findLastIndex((entry) => entry.isRight) + 1);
          const wrong = codes.filter((entry) => !entry.isRight).length + totalBefore;
          const wait = [30, 60, 120, 240, 480, 900][Math.min(afterRight.length, 11) - 6] ?? 0;
          const waitEnds = (afterRight.at(-1)?.at ?? 0) + wait * SECOND_MS;
          const isChallengeOver = isConsumed || used >= 5 || nowMs >= openedAt + CHALLENGE_MS;
          const expected = isChallengeOver
            ? 'challenge_expired'
            : wrong >= 100
              ? 'mfa_blocked'
              : nowMs < waitEnds
                ? 'mfa_wait'
                : isRight
                  ? 'right'
                  : 'wrong';

          const decision = user.attempt({ kind, isRight });
          expect(decision.outcome).toBe(expected);
          if (decision.outcome === 'right' || decision.outcome === 'wrong') {
            used += 1;
            isConsumed = isRight;
            if (isRight || kind === 'code') codes.push({ at: nowMs, isRight });
          }
          if (decision.outcome === 'wrong') {
            expect(decision.attemptsLeft).toBe(5 - used);
            if (decision.notifiesOwner) notices.push(nowMs);
          }
        }
        for (const [at, noticedAt] of notices.entries()) {
          const sixth = notices[at + 5];
          // A reset by an administrator also restarts the count of notices.
          if (sixth !== undefined && !steps.some(({ isReset }) => isReset))
            expect(sixth - noticedAt).toBeGreaterThanOrEqual(HOUR_MS);
        }
      }),
    );
  });
});
