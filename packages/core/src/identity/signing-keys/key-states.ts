// The life of a signing key: next -> active -> retiring -> retired.
//
// A key is published for ten minutes before it signs, so that clients with a cached key set know it, and stays published
// until the last token that it signed has expired. A rotation begins when a `next` key is created and ends when the former
// key has retired; rotations never overlap. So a scope publishes at most two keys.

import { JWKS_MAX_AGE_SECONDS } from './jwks.ts';
import type { SigningAlg } from './signing-key.ts';

export const KEY_STATES = ['next', 'active', 'retiring', 'retired'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** State of a stored key. Times are milliseconds since 1970. */
export type KeyRecord = {
  readonly kid: string;
  readonly alg: SigningAlg;
  readonly state: KeyState;
  /** `next`: when it may begin to sign. Otherwise: when it began. */
  readonly activateAtMs: number;
  /** When a `retiring` key retires; null before. */
  readonly retireAtMs: number | null;
};

/** Milliseconds that a key is published before it signs: twice the time that clients cache the key set. */
export const PUBLISH_AHEAD_MS = 2 * JWKS_MAX_AGE_SECONDS * 1_000;
/** Age of the active key at which a rotation begins. Source: authentication design, Signing keys (90 days). */
export const ROTATE_AFTER_MS = 90 * 86_400_000;
/** Longest life of an access token. Source: auth settings, range of `token.accessTtlSeconds`. */
export const MAX_ACCESS_TTL_SECONDS = 3_600;
/** A retiring key stays published until the longest token may have expired, and five minutes for clocks that differ. */
export const RETIRE_AFTER_MS = (MAX_ACCESS_TTL_SECONDS + 300) * 1_000;

/** One change of state, to be written guarded by `from`. */
export type KeyTransition = {
  readonly kid: string;
  readonly from: KeyState;
  readonly to: KeyState;
  readonly activateAtMs: number;
  readonly retireAtMs: number | null;
};

/** A key to be generated and inserted. */
export type KeyCreation = {
  readonly alg: SigningAlg;
  readonly state: 'next' | 'active';
  readonly activateAtMs: number;
};

export type KeyPlan = {
  /** In the order of writing: the active key steps back before another becomes active. */
  readonly transitions: readonly KeyTransition[];
  readonly create: KeyCreation | null;
};

/** True while a key waits to become active or a former one is still published. Throws nothing. */
export const isRotationRunning = (keys: readonly Pick<KeyRecord, 'state'>[]): boolean =>
  keys.some(({ state }) => state === 'next' || state === 'retiring');

/** The keys of the key set, which also verify tokens: all but the retired ones. Throws nothing. */
export const publishedKeys = <Key extends Pick<KeyRecord, 'state'>>(keys: readonly Key[]): readonly Key[] =>
  keys.filter(({ state }) => state !== 'retired');

/** The key that signs; null before the first one exists. Throws nothing. */
export const activeKeyOf = <Key extends Pick<KeyRecord, 'state'>>(keys: readonly Key[]): Key | null =>
  keys.find(({ state }) => state === 'active') ?? null;

const transition = (key: KeyRecord, to: KeyState, times: Partial<KeyRecord> = {}): KeyTransition => {
  const { kid, state: from, activateAtMs, retireAtMs } = { ...key, ...times, state: key.state };
  return { kid, from, to, activateAtMs, retireAtMs };
};

/**
 * Plans what is due for the signing keys of one scope.
 *
 * @param keys all keys of the scope, in any order
 * @param alg algorithm of the settings; another one than the active key's begins a rotation
 * @param isRotationRequested begins a rotation now, unless one is running
 * @returns changes to write. Once they are written, a second plan for the same time is empty, unless no key was active.
 * Throws nothing.
 */
export const nextKeyStates = ({
  keys,
  nowMs,
  alg,
  isRotationRequested = false,
}: {
  readonly keys: readonly KeyRecord[];
  readonly nowMs: number;
  readonly alg: SigningAlg;
  readonly isRotationRequested?: boolean;
}): KeyPlan => {
  const active = activeKeyOf(keys);
  const next = keys.find(({ state }) => state === 'next');
  const retired = keys
    .filter(({ state, retireAtMs }) => state === 'retiring' && (retireAtMs ?? 0) <= nowMs)
    .map((key) => transition(key, 'retired'));

  // Without an active key nothing can be signed, so the next one begins early.
  if (next && (!active || next.activateAtMs <= nowMs)) {
    const demoted = active ? [transition(active, 'retiring', { retireAtMs: nowMs + RETIRE_AFTER_MS })] : [];
    return { transitions: [...retired, ...demoted, transition(next, 'active', { activateAtMs: nowMs })], create: null };
  }
  if (!active) return { transitions: retired, create: { alg, state: 'active', activateAtMs: nowMs } };

  const retiredKids = new Set(retired.map(({ kid }) => kid));
  const isRunning = isRotationRunning(keys.filter(({ kid }) => !retiredKids.has(kid)));
  const isDue = isRotationRequested || active.alg !== alg || nowMs - active.activateAtMs >= ROTATE_AFTER_MS;
  const create: KeyCreation | null =
    isDue && !isRunning ? { alg, state: 'next', activateAtMs: nowMs + PUBLISH_AHEAD_MS } : null;
  return { transitions: retired, create };
};
