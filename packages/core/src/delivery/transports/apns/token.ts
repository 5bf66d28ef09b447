// The provider token. Apple limits how often it changes, so all workers of a credential share one. The worker that
// renews it stores it as the shared token; workers that find a newer shared token use it instead of creating another.

import type { Clock } from '../../../foundation/clock.ts';
import { signedJwt, unsignedJwt } from '../jwt.ts';
import { type ApnsSettings, signingKey } from './settings.ts';

/** Age at which a token is renewed. Source: transports, Provider token (Apple refuses it after 60 minutes). */
const RENEW_SECONDS = 50 * 60;
/** Apple allows at most one new token in this time. Source: Apple, Establishing a token-based connection. */
const SHORTEST_LIFE_SECONDS = 20 * 60;
/** How far ahead of this clock another worker's token may be before it is ignored. Chosen. */
const SKEW_SECONDS = 300;

/** `issuedAtSeconds`: unix time, equal to `iat` inside `jwt`. `jwt` is a secret while it is valid. */
export type ProviderToken = { readonly jwt: string; readonly issuedAtSeconds: number };

/** The shared token of one credential's workers; one per key, team and key id. */
export type SharedProviderToken = {
  read(): Promise<ProviderToken | null>;
  /**
   * Replaces the token issued at `was` (null: none) by `next`, in one atomic step.
   *
   * @returns the shared token afterwards: `next`, or the token that another worker stored first
   */
  replace(was: number | null, next: ProviderToken): Promise<ProviderToken>;
};

/** A shared token for one process. */
export const memorySharedToken = (): SharedProviderToken => {
  let held: ProviderToken | null = null;
  return {
    read: async () => held,
    replace: async (was, next) => {
      if (held === null || held.issuedAtSeconds === was) held = next;
      return held;
    },
  };
};

export type ProviderTokens = {
  /** The current token if it is young enough; no I/O. */
  held(): ProviderToken | null;
  /** A token that is young enough; null if the key is invalid. Rejects with the errors of the shared token. */
  current(): Promise<ProviderToken | null>;
  /**
   * A token other than the one that Apple called expired; created at most once for all calls that fail together.
   *
   * @returns null if the last renewal is too recent for another, as with a wrong clock
   */
  renew(expired: string): Promise<ProviderToken | null>;
};

/** The tokens of one credential. Reads and signs nothing before the first call. */
export const providerTokens = (
  { keyId, teamId, key: pem }: Pick<ApnsSettings, 'keyId' | 'teamId' | 'key'>,
  { clock, sharedToken }: { readonly clock: Clock; readonly sharedToken: SharedProviderToken },
): ProviderTokens => {
  let held: ProviderToken | null = null;
  let renewing: Promise<ProviderToken | null> | null = null;
  let renewedAtSeconds = Number.NEGATIVE_INFINITY;

  const nowSeconds = (): number => Math.floor(clock.now().getTime() / 1000);
  const isGood = ({ issuedAtSeconds }: ProviderToken): boolean => {
    const age = nowSeconds() - issuedAtSeconds;
    return age < RENEW_SECONDS && age > -SKEW_SECONDS;
  };

  const unsigned = (issuedAtSeconds: number): string =>
    unsignedJwt({ alg: 'ES256', kid: keyId }, { iss: teamId, iat: issuedAtSeconds });
  // A shared token of an old key, or a corrupted one, must not stop all messages.
  const isFromThisKey = ({ jwt, issuedAtSeconds }: ProviderToken): boolean =>
    jwt.startsWith(`${unsigned(issuedAtSeconds)}.`);

  const minted = (): ProviderToken | null => {
    const key = signingKey(pem);
    if (!key) return null;
    const issuedAtSeconds = nowSeconds();
    return { jwt: signedJwt(unsigned(issuedAtSeconds), key), issuedAtSeconds };
  };

  const renewed = async (expired: string | null): Promise<ProviderToken | null> => {
    const shared = await sharedToken.read();
    if (shared && shared.jwt !== expired && isGood(shared) && isFromThisKey(shared)) return shared;
    if (expired !== null && nowSeconds() - renewedAtSeconds < SHORTEST_LIFE_SECONDS) return null;
    const next = minted();
    if (!next) return null;
    if (expired !== null) renewedAtSeconds = nowSeconds();
    return sharedToken.replace(shared?.issuedAtSeconds ?? null, next);
  };

  const once = (expired: string | null): Promise<ProviderToken | null> => {
    renewing ??= renewed(expired)
      .then((token) => {
        if (token) held = token;
        return token;
      })
      .finally(() => {
        renewing = null;
      });
    return renewing;
  };

  const atHand = (): ProviderToken | null => (held && isGood(held) ? held : null);

  return {
    held: atHand,
    current: async () => atHand() ?? once(null),
    renew: async (expired) => {
      // A fetch under way may still return the expired token.
      await renewing;
      return held && held.jwt !== expired ? held : once(expired);
    },
  };
};
