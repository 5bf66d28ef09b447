// The provider token. Apple counts how often it changes, so all workers of a credential use one: whoever renews it puts
// it into the token that they share, and who finds a newer one there takes that instead of making another.

import type { Clock } from '../../../foundation/clock.ts';
import { signedJwt, unsignedJwt } from '../jwt.ts';
import { type ApnsSettings, signingKey } from './settings.ts';

/** Age at which a token is renewed. Source: transports, Provider token (Apple refuses it after 60 minutes). */
const RENEW_SECONDS = 50 * 60;
/** Apple allows no more than one new token in this time. Source: Apple, Establishing a token-based connection. */
const SHORTEST_LIFE_SECONDS = 20 * 60;
/** How far ahead of our clock another worker's token may be before it is thought wrong; ours. */
const SKEW_SECONDS = 300;

/** `issuedAtSeconds`: unix time, and the `iat` inside `jwt`. `jwt` is a secret while it lasts. */
export type ProviderToken = { readonly jwt: string; readonly issuedAtSeconds: number };

/** Where the workers of one credential keep the token they share; a shared token per key, team and key id. */
export type SharedProviderToken = {
  read(): Promise<ProviderToken | null>;
  /**
   * Puts `next` in place of the token issued at `was` (null: of none), in one atomic step.
   *
   * @returns what the shared token holds afterwards: `next`, or what somebody else put there first
   */
  replace(was: number | null, next: ProviderToken): Promise<ProviderToken>;
};

/** A shared token for one process. */
export const memorySlot = (): SharedProviderToken => {
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
  /** The token at hand, if it is good by its age; asks nobody. */
  held(): ProviderToken | null;
  /** A token that is good by its age; null when the key is none. Rejects with what the shared token rejects with. */
  current(): Promise<ProviderToken | null>;
  /**
   * Another token than the one that Apple called expired, made at most once for any number that fail together.
   *
   * @returns null when the last renewal is too recent for another, as when our clock is wrong
   */
  renew(expired: string): Promise<ProviderToken | null>;
};

/** The tokens of one credential. Nothing is read or signed before the first call. */
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
  // A shared token that outlived its key, or was read wrongly, must not stop all messages.
  const isOurs = ({ jwt, issuedAtSeconds }: ProviderToken): boolean => jwt.startsWith(`${unsigned(issuedAtSeconds)}.`);

  const minted = (): ProviderToken | null => {
    const key = signingKey(pem);
    if (!key) return null;
    const issuedAtSeconds = nowSeconds();
    return { jwt: signedJwt(unsigned(issuedAtSeconds), key), issuedAtSeconds };
  };

  const renewed = async (expired: string | null): Promise<ProviderToken | null> => {
    const shared = await sharedToken.read();
    if (shared && shared.jwt !== expired && isGood(shared) && isOurs(shared)) return shared;
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
      // What is being fetched by now may still be the expired one.
      await renewing;
      return held && held.jwt !== expired ? held : once(expired);
    },
  };
};
