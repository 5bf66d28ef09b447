import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideRefresh,
  idleExpiryOf,
  type RefreshDecision,
  type RefreshSession,
  type RefreshToken,
  type RefreshUser,
} from './refresh-rules.ts';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');
const DAY_MS = 86_400_000;
const SCOPE = 1;

const active: RefreshToken = {
  scopeId: SCOPE,
  state: 'active',
  usedAtMs: null,
  expiresAtMs: NOW + 30 * DAY_MS,
  siblings: 0,
  hasUsedChild: false,
};
const used = (agoMs: number, change: Partial<RefreshToken> = {}): RefreshToken => ({
  ...active,
  state: 'used',
  usedAtMs: NOW - agoMs,
  ...change,
});
const session: RefreshSession = {
  revokedAtMs: null,
  idleExpiresAtMs: NOW + 30 * DAY_MS,
  absoluteExpiresAtMs: NOW + 90 * DAY_MS,
};
const user: RefreshUser = { isDisabled: false, isScimInactive: false };

type Found = {
  readonly token?: RefreshToken;
  readonly session?: Partial<RefreshSession>;
  readonly user?: Partial<RefreshUser>;
  readonly hasDeviceToken?: boolean;
};
const decide = (found: Found | null): RefreshDecision =>
  decideRefresh({
    scopeId: SCOPE,
    stored: found && {
      token: found.token ?? active,
      session: { ...session, ...found.session },
      user: { ...user, ...found.user },
    },
    hasDeviceToken: found?.hasDeviceToken ?? false,
    nowMs: NOW,
  });

const rotate: RefreshDecision = { action: 'rotate' };
const sibling: RefreshDecision = { action: 'sibling' };
const conflict: RefreshDecision = { action: 'conflict' };
const invalid: RefreshDecision = { action: 'refuse', reason: 'refresh_invalid' };
const expired: RefreshDecision = { action: 'refuse', reason: 'session_expired' };
const reuse: RefreshDecision = { action: 'revoke', reason: 'refresh_reuse' };
const hasDeviceToken = true;
const hasUsedChild = true;

describe('decideRefresh', () => {
  it.each<[string, Found | null, RefreshDecision]>([
    ['an active token rotates', {}, rotate],
    ['an active token with a device token rotates', { hasDeviceToken }, rotate],
    ['an unknown token is invalid', null, invalid],
    ['T3: a token of another scope is invalid', { token: { ...active, scopeId: 2 } }, invalid],
    ['T3: a used token of another scope revokes nothing', { token: used(20_000, { scopeId: 2 }) }, invalid],
    [
      'a session past its idle limit expires',
      { session: { idleExpiresAtMs: NOW } },
      { action: 'expire', limit: 'idle' },
    ],
    ['a session at the last millisecond of its idle limit rotates', { session: { idleExpiresAtMs: NOW + 1 } }, rotate],
    [
      'a session past its absolute limit expires',
      { session: { absoluteExpiresAtMs: NOW, idleExpiresAtMs: NOW } },
      { action: 'expire', limit: 'absolute' },
    ],
    [
      'a session at the last millisecond of its absolute limit rotates',
      { session: { absoluteExpiresAtMs: NOW + 1 } },
      rotate,
    ],
    ['K5: a revoked session is refused', { session: { revokedAtMs: NOW - 1 } }, expired],
    [
      'K5: a revoked session past its limit raises no second event',
      { session: { revokedAtMs: 0, idleExpiresAtMs: 0 } },
      expired,
    ],
    ['K5: a disabled user is refused', { user: { isDisabled: true } }, expired],
    ['K5: a user that a SCIM directory deactivated is refused', { user: { isScimInactive: true } }, expired],
    [
      'K5: a used token of a revoked session is refused and revokes nothing',
      { token: used(20_000), session: { revokedAtMs: 0 } },
      expired,
    ],
    [
      'an active token past its own expiry is refused, and its session goes on',
      { token: { ...active, expiresAtMs: NOW } },
      expired,
    ],
    [
      'an active token at the last millisecond of its own expiry rotates',
      { token: { ...active, expiresAtMs: NOW + 1 } },
      rotate,
    ],
    ['a token used at this moment creates a sibling', { token: used(0) }, sibling],
    ['a token used ahead of this clock creates a sibling', { token: used(-5_000) }, sibling],
    ['a token used 9.999 s ago creates a sibling', { token: used(9_999) }, sibling],
    ['a token used 10.000 s ago creates a sibling', { token: used(10_000) }, sibling],
    ['K3: a token used 10.001 s ago revokes the session', { token: used(10_001) }, reuse],
    ['a token with 2 siblings creates a third', { token: used(5_000, { siblings: 2 }) }, sibling],
    ['K4: a token with 3 siblings is in progress', { token: used(5_000, { siblings: 3 }) }, conflict],
    [
      'K4: a token with 3 siblings used 10.000 s ago is in progress',
      { token: used(10_000, { siblings: 3 }) },
      conflict,
    ],
    [
      'K3: a token with 3 siblings used 10.001 s ago revokes the session',
      { token: used(10_001, { siblings: 3 }) },
      reuse,
    ],
    ['K3: a token whose child was used revokes the session', { token: used(1, { hasUsedChild }) }, reuse],
    [
      'K3: a token with 3 siblings of which one was used revokes the session',
      { token: used(1, { siblings: 3, hasUsedChild }) },
      reuse,
    ],
    ['a lost answer is repeated to a known device', { token: used(10_001), hasDeviceToken }, sibling],
    [
      'a lost answer is repeated to a known device days later',
      { token: used(20 * DAY_MS, { siblings: 2 }), hasDeviceToken },
      sibling,
    ],
    [
      'K3: a known device with 3 siblings revokes the session after the grace',
      { token: used(10_001, { siblings: 3 }), hasDeviceToken },
      reuse,
    ],
    [
      'K4: a known device with 3 siblings is in progress during the grace',
      { token: used(10_000, { siblings: 3 }), hasDeviceToken },
      conflict,
    ],
    [
      'K3: a known device whose child was used revokes the session',
      { token: used(10_001, { hasUsedChild }), hasDeviceToken },
      reuse,
    ],
    [
      'K3: a used token past its own expiry revokes the session',
      { token: used(40 * DAY_MS, { expiresAtMs: NOW - 1 }) },
      reuse,
    ],
    ['K3: a used token without a time revokes the session', { token: { ...used(0), usedAtMs: null } }, reuse],
  ])('%s', (_, found, decision) => {
    expect(decide(found)).toEqual(decision);
  });

  it('the idle limit moves with each refresh, and never passes the absolute limit', () => {
    const absoluteExpiresAtMs = NOW + 90 * DAY_MS;
    expect(idleExpiryOf({ nowMs: NOW, idleDays: 30, absoluteExpiresAtMs })).toBe(NOW + 30 * DAY_MS);
    expect(idleExpiryOf({ nowMs: NOW + 80 * DAY_MS, idleDays: 30, absoluteExpiresAtMs })).toBe(absoluteExpiresAtMs);
  });
});

/** Tokens of one session, written as decided. Token 0 is the first. */
const simulate = () => {
  type Row = RefreshToken & { readonly parent: number | null };
  let rows: readonly Row[] = [{ ...active, parent: null }];
  let nowMs = NOW;
  let revokedAtMs: number | null = null;
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    refresh: (
      at: number,
      isKnownDevice = false,
    ): { readonly decision: RefreshDecision; readonly child: number | null } => {
      const row = rows[at];
      const children = rows.filter(({ parent }) => parent === at);
      const token = row && { ...row, hasUsedChild: children.some(({ state }) => state === 'used') };
      const decision = decideRefresh({
        scopeId: SCOPE,
        stored: token ? { token, session: { ...session, revokedAtMs }, user } : null,
        hasDeviceToken: isKnownDevice,
        nowMs,
      });
      if (decision.action === 'revoke') revokedAtMs = nowMs;
      if (decision.action !== 'rotate' && decision.action !== 'sibling') return { decision, child: null };
      const isRotation = decision.action === 'rotate';
      const change = isRotation ? { state: 'used' as const, usedAtMs: nowMs } : { siblings: (row?.siblings ?? 0) + 1 };
      rows = [
        ...rows.map((other, index) => (index === at ? { ...other, ...change } : other)),
        { ...active, parent: at },
      ];
      return { decision, child: rows.length - 1 };
    },
    get rows() {
      return rows;
    },
    get isRevoked() {
      return revokedAtMs !== null;
    },
    get nowMs() {
      return nowMs;
    },
  };
};

describe('sequences of refreshes', () => {
  it('K4: 50 refreshes at one moment leave four live tokens and keep the session', () => {
    const run = simulate();
    const actions = Array.from({ length: 50 }, () => run.refresh(0).decision.action);
    expect(actions.slice(0, 5)).toEqual(['rotate', 'sibling', 'sibling', 'sibling', 'conflict']);
    expect(new Set(actions.slice(4))).toEqual(new Set(['conflict']));
    expect(run.rows.filter(({ state }) => state === 'active')).toHaveLength(4);
    expect(run.isRevoked).toBe(false);
  });

  it('a client that keeps the newest token is never signed out, whichever answers are lost', () => {
    const step = fc.record({
      passMs: fc.nat(DAY_MS),
      lost: fc.nat(3),
      isKnownDevice: fc.boolean(),
      waitMs: fc.nat(2_500),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const run = simulate();
        let held = 0;
        for (const { passMs, lost, isKnownDevice, waitMs } of steps) {
          run.pass(passMs);
          let answer = run.refresh(held, isKnownDevice);
          for (let retry = 0; retry < lost; retry += 1) {
            // A known device may come back at any time, another one within the grace.
            run.pass(isKnownDevice ? waitMs * 10_000 : waitMs);
            answer = run.refresh(held, isKnownDevice);
          }
          expect(answer.child).not.toBeNull();
          held = answer.child ?? held;
        }
        expect(run.isRevoked).toBe(false);
      }),
    );
  });

  it('K3: any sequence has at most four live tokens per parent, and nothing follows a revocation', () => {
    const step = fc.record({
      passMs: fc.oneof(fc.nat(4_000), fc.constantFrom(0, 9_999, 10_000, 10_001)),
      token: fc.nat(30),
      isKnownDevice: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const run = simulate();
        for (const { passMs, token, isKnownDevice } of steps) {
          run.pass(passMs);
          const at = token % run.rows.length;
          const before = run.rows[at];
          const wasRevoked = run.isRevoked;
          const isChildUsed = run.rows.some(({ parent, state }) => parent === at && state === 'used');
          const { decision } = run.refresh(at, isKnownDevice);
          if (wasRevoked) expect(decision).toEqual(expired);
          else if (before?.state === 'active') expect(decision).toEqual(rotate);
          else if (isChildUsed) expect(decision).toEqual(reuse);
          else if (decision.action === 'revoke') expect(run.nowMs - (before?.usedAtMs ?? 0)).toBeGreaterThan(10_000);
          for (let parent = 0; parent < run.rows.length; parent += 1)
            expect(run.rows.filter((row) => row.parent === parent).length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
