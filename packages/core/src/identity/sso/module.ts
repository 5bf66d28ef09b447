// Builds sign-in with the identity providers of organizations.

import type { LookUpTxt } from '../../messaging/email/domains/look-up.ts';
import { gated } from '../../platform/plans/gated.ts';
import { clientOf } from '../audit/client.ts';
import { parseBody } from '../flow/input.ts';
import type { SocialContext } from '../social/context.ts';
import { ssoAdmin } from './admin.ts';
import type { SsoApi } from './api.ts';
import { ssoConnectionBody, ssoConnectionPatch, ssoDomainBody, ssoStartBody } from './bodies.ts';
import { ssoDomains } from './domains.ts';
import { handleOidcCallback } from './oidc/callback.ts';
import { oidcDiscovery } from './oidc/discovery.ts';
import type { SsoParts } from './parts.ts';
import { samlMetadata } from './saml-metadata.ts';
import { handleSamlResponse } from './saml-response.ts';
import { startSso } from './start.ts';

/** Expired assertions that are deleted per step. Chosen: some milliseconds. */
const SLICE = 500;

export const ssoModule = (
  needs: Omit<SsoParts, 'domains' | 'provider'> & { readonly provider: SocialContext; readonly lookUp: LookUpTxt },
) => {
  const { context, connections, publicUrl, requirePlan, lookUp } = needs;
  const { clock, ids } = context;
  const domains = ssoDomains({ connections, lookUp, clock, ids });
  const provider = { ...needs.provider, discover: oidcDiscovery(needs.provider) };
  const parts: SsoParts = { ...needs, domains, provider };
  const saml = handleSamlResponse(parts);
  const oidc = handleOidcCallback(parts);
  const api: SsoApi = {
    ...gated(
      requirePlan,
      'sso',
      { ...ssoAdmin({ context, connections, domains, publicUrl }), startSso: startSso(parts) },
      {
        startSso: (_, input) => parseBody(ssoStartBody, input),
        createSsoConnection: (_, input) => parseBody(ssoConnectionBody, input),
        updateSsoConnection: (_, __, input) => parseBody(ssoConnectionPatch, input),
        createSsoDomain: (_, input) => parseBody(ssoDomainBody, input),
      },
    ),
    handleSamlResponse: (input, call) => saml(input, clientOf(call)),
    handleOidcCallback: (input, call) => oidc(input, clientOf(call)),
    samlMetadata: samlMetadata(parts),
  };
  return {
    api,
    maintenance: [
      { name: 'sso domains', run: domains.recheck },
      {
        name: 'saml assertions',
        run: async (): Promise<boolean> => (await connections.expireSeen(clock.now(), SLICE)) === SLICE,
      },
    ],
  };
};
