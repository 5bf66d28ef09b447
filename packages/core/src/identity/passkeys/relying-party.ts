// Relying party of passkeys: the service that they belong to, and the pages that may use them.

import type { AuthSettings } from '../auth-settings/schema.ts';

/** Values come from settings only, never from a request. */
export type RelyingParty = {
  /** Domain that passkeys belong to. */
  readonly rpId: string;
  /** Name that the browser shows. */
  readonly rpName: string;
  /** Serialised origins of pages that use passkeys. */
  readonly origins: readonly string[];
  /** Whether passkeys work in a frame of another origin. */
  readonly allowCrossOrigin: boolean;
};

/** The relying party of an environment. Throws TypeError when `publicUrl` is not a URL. */
export const relyingPartyOf = ({
  settings,
  publicUrl,
}: {
  readonly settings: AuthSettings['passkey'];
  readonly publicUrl: string;
}): RelyingParty => {
  const { hostname, origin } = new URL(publicUrl);
  const rpId = settings.rpId ?? hostname;
  return {
    rpId,
    rpName: settings.rpName ?? rpId,
    origins: settings.origins.length > 0 ? settings.origins : [origin],
    allowCrossOrigin: settings.allowCrossOrigin,
  };
};
