// An AuthnRequest for the redirect binding. Source: SAML bindings, 3.4; SAML profiles, 4.1.4.1.

import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { escapeXml, SAML_NS, SAMLP_NS } from './xml.ts';

const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
/** Source: authentication design, Conventions: ids hold at least 128 random bits. */
const ID_BYTES = 20;

export type AuthnRequest = {
  /** Compared with `InResponseTo` of the response. */
  readonly id: string;
  /** Where the browser goes. */
  readonly url: string;
};

/** A request to sign in, with a random id. */
export const createAuthnRequest = ({
  ssoUrl,
  acsUrl,
  entityId,
  relayState,
  now,
}: {
  /** URL of the identity provider for the redirect binding. May have a query. */
  readonly ssoUrl: string;
  readonly acsUrl: string;
  readonly entityId: string;
  readonly relayState: string;
  readonly now: Date;
}): AuthnRequest => {
  // An XML id cannot begin with a digit.
  const id = `_${randomBytes(ID_BYTES).toString('hex')}`;
  const xml =
    `<samlp:AuthnRequest xmlns:samlp="${SAMLP_NS}" xmlns:saml="${SAML_NS}" ID="${id}" Version="2.0"` +
    ` IssueInstant="${now.toISOString()}" Destination="${escapeXml(ssoUrl)}" ProtocolBinding="${POST_BINDING}"` +
    ` AssertionConsumerServiceURL="${escapeXml(acsUrl)}"><saml:Issuer>${escapeXml(entityId)}</saml:Issuer>` +
    '<samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>';
  const url = new URL(ssoUrl);
  url.searchParams.set('SAMLRequest', deflateRawSync(xml).toString('base64'));
  url.searchParams.set('RelayState', relayState);
  return { id, url: url.href };
};
