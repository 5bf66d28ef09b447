// Addresses of this service that identity providers know. They come from `publicUrl` alone, never from a request.

import { publicUrlMissing } from '../shapes/errors.ts';

const base = (publicUrl: string): string => `${publicUrl.replace(/\/+$/, '')}/api/v1/auth-service/sso`;

/** Throws PROVIDER_NOT_CONFIGURED without a public URL. */
export const requirePublicUrl = (publicUrl: string | null): string => {
  if (publicUrl === null) throw publicUrlMissing();
  return publicUrl;
};

export type SamlUrls = { readonly entityId: string; readonly acsUrl: string };

/** What this service is to the identity provider of a SAML connection. Throws nothing. */
export const samlUrlsOf = (publicUrl: string, orgId: string, connectionId: string): SamlUrls => {
  const ofOrg = `${base(publicUrl)}/saml/${encodeURIComponent(orgId)}`;
  return { entityId: `${ofOrg}/metadata?connectionId=${connectionId}`, acsUrl: `${ofOrg}/acs` };
};

/** Where the provider of an OpenID Connect connection redirects to. Throws nothing. */
export const oidcCallbackOf = (publicUrl: string, connectionId: string): string =>
  `${base(publicUrl)}/oidc/${connectionId}/callback`;
