import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  activeKeyOf,
  isRotationRunning,
  type KeyRecord,
  MAX_ACCESS_TTL_SECONDS,
  nextKeyStates,
  PUBLISH_AHEAD_MS,
  publishedKeys,
  RETIRE_AFTER_MS,
  ROTATE_AFTER_MS,
} from './key-states.ts';
import { SIGNING_ALGS, type SigningAlg } from './signing-key.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-29T12:00:00.000Z');
const MINUTE_MS = 60_000;

const key = (kid: string, state: KeyRecord['state'], change: Partial<KeyRecord> = {}): KeyRecord => ({
  kid,
  alg: 'ES256',
  state,
  activateAtMs: START,
  retireAtMs: null,
  ...change,
});

type Options = { readonly alg?: SigningAlg; readonly isRotationRequested?: boolean };
const planned = (keys: readonly KeyRecord[], nowMs: number, options: Options = {}) =>
  nextKeyStates({ keys, nowMs, alg: 'ES256', ...options });

/** Writes a plan as the store does: guarded changes, then the new key. */
const applied = (keys: readonly KeyRecord[], nowMs: number, options: Options = {}): readonly KeyRecord[] => {
  const { transitions, create } = planned(keys, nowMs, options);
  const changed = keys.map((existing) => {
    const change = transitions.find(({ kid }) => kid === existing.kid);
    if (!change) return existing;
    expect(change.from).toBe(existing.state);
    const { to: state, activateAtMs, retireAtMs } = change;
    return { ...existing, state, activateAtMs, retireAtMs };
  });
  return create ? [...changed, { kid: `k${keys.length}`, retireAtMs: null, ...create }] : changed;
};

describe('nextKeyStates', () => {
  it('the first key is active at once', () => {
    expect(planned([], START)).toEqual({
      transitions: [],
      create: { alg: 'ES256', state: 'active', activateAtMs: START },
    });
  });

  it('K6: a rotation begins when the active key is 90 days old', () => {
    expect(ROTATE_AFTER_MS).toBe(90 * DAY_MS);
    const keys = [key('a', 'active')];
    expect(planned(keys, START + ROTATE_AFTER_MS - 1)).toEqual({ transitions: [], create: null });
    const nowMs = START + ROTATE_AFTER_MS;
    expect(planned(keys, nowMs).create).toEqual({
      alg: 'ES256',
      state: 'next',
      activateAtMs: nowMs + PUBLISH_AHEAD_MS,
    });
  });

  it('K6: a new key is published for ten minutes before it signs', () => {
    expect(PUBLISH_AHEAD_MS).toBe(10 * MINUTE_MS);
    const nowMs = START + PUBLISH_AHEAD_MS;
    const keys = [key('a', 'active'), key('b', 'next', { activateAtMs: nowMs })];
    expect(planned(keys, nowMs - 1)).toEqual({ transitions: [], create: null });
    expect(planned(keys, nowMs)).toEqual({
      transitions: [
        { kid: 'a', from: 'active', to: 'retiring', activateAtMs: START, retireAtMs: nowMs + RETIRE_AFTER_MS },
        { kid: 'b', from: 'next', to: 'active', activateAtMs: nowMs, retireAtMs: null },
      ],
      create: null,
    });
  });

  it('K6: a former key is published until its last token has expired and five minutes more', () => {
    expect(RETIRE_AFTER_MS).toBe(65 * MINUTE_MS);
    const keys = [key('a', 'retiring', { retireAtMs: START + 1_000 }), key('b', 'active')];
    expect(planned(keys, START + 999).transitions).toEqual([]);
    expect(planned(keys, START + 1_000).transitions).toEqual([
      { kid: 'a', from: 'retiring', to: 'retired', activateAtMs: START, retireAtMs: START + 1_000 },
    ]);
    expect(publishedKeys([...keys, key('c', 'retired')]).map(({ kid }) => kid)).toEqual(['a', 'b']);
  });

  it('K6: a requested rotation begins at once, but never beside another one', () => {
    const requested = { isRotationRequested: true };
    expect(planned([key('a', 'active')], START, requested).create).toMatchObject({ state: 'next' });
    const retiring = key('b', 'retiring', { retireAtMs: START + 1 });
    for (const running of [
      [key('a', 'active'), retiring],
      [key('a', 'active'), key('b', 'next', { activateAtMs: START + 1 })],
    ]) {
      expect(isRotationRunning(running)).toBe(true);
      expect(planned(running, START, requested)).toEqual({ transitions: [], create: null });
    }
    // The former rotation ends in the same plan.
    expect(planned([key('a', 'active'), retiring], START + 1, requested).create).toMatchObject({ state: 'next' });
  });

  it('K6: another algorithm in the settings begins a rotation to it', () => {
    expect(planned([key('a', 'active')], START, { alg: 'EdDSA' }).create).toMatchObject({
      alg: 'EdDSA',
      state: 'next',
    });
  });

  it('a scope without an active key uses its next one early', () => {
    const keys = [key('a', 'retired'), key('b', 'next', { activateAtMs: START + 1 })];
    expect(planned(keys, START).transitions).toMatchObject([{ kid: 'b', to: 'active', activateAtMs: START }]);
    expect(planned([key('a', 'retired')], START).create).toMatchObject({ state: 'active' });
  });

  it('a retired key never returns', () => {
    const keys = [key('a', 'retired', { retireAtMs: START }), key('b', 'active')];
    expect(planned(keys, START + 365 * DAY_MS).transitions).toEqual([]);
  });

  it('every sequence of times, requests and algorithms keeps tokens verifiable and publishes at most two keys', () => {
    const step = fc.record({
      passMs: fc.oneof(
        fc.integer({ min: 0, max: 30 * MINUTE_MS }),
        fc.integer({ min: 0, max: 2 * RETIRE_AFTER_MS }),
        fc.integer({ min: 0, max: 100 * DAY_MS }),
      ),
      alg: fc.constantFrom(...SIGNING_ALGS),
      isRotationRequested: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let nowMs = START;
        let keys = applied([], nowMs);
        const publishedAt = new Map([['k0', Number.NEGATIVE_INFINITY]]);
        const tokens: { readonly kid: string; readonly expMs: number }[] = [];
        for (const { passMs, ...options } of steps) {
          const signing = activeKeyOf(keys);
          nowMs += passMs;
          // Another process signs with the key that it knows until the moment of the change.
          if (signing) tokens.push({ kid: signing.kid, expMs: nowMs + MAX_ACCESS_TTL_SECONDS * 1_000 });
          keys = applied(keys, nowMs, options);
          expect(planned(keys, nowMs, options)).toEqual({ transitions: [], create: null });

          expect(keys.filter(({ state }) => state === 'active')).toHaveLength(1);
          const published = publishedKeys(keys).map(({ kid }) => kid);
          expect(published.length).toBeLessThanOrEqual(2);
          for (const kid of published) if (!publishedAt.has(kid)) publishedAt.set(kid, nowMs);
          for (const { kid, state, activateAtMs } of keys)
            if (state !== 'next')
              expect(activateAtMs - (publishedAt.get(kid) ?? nowMs)).toBeGreaterThanOrEqual(PUBLISH_AHEAD_MS);
          for (const { kid, expMs } of tokens) if (expMs > nowMs) expect(published).toContain(kid);
        }
      }),
    );
  });
});
