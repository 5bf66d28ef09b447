// Verifies a posted SAML response: gate, node-saml, checks of the signed bytes. Pure: the caller spends the state and stores
// the assertion id in the commit that makes the code, because node-saml's own cache accepts one response several times.

import { readVerifiedAssertion, type SamlIdentity } from './after.ts';
import { usableCertificates } from './certificates.ts';
import { gateEncryptedAssertion } from './decrypt.ts';
import { checkResponse, decodeResponse, gateXml } from './gate.ts';
import { assertSaml, refuse, type SamlFault, SamlRefusal } from './refusal.ts';

/** What verification reads of a SAML connection. */
export type SamlConnection = {
  /** Entity id of the identity provider. */
  readonly entityId: string;
  /** PEM, or base64 as in metadata. Several during a rotation. */
  readonly certificates: readonly string[];
  readonly allowIdpInitiated: boolean;
  /** True if assertions must be encrypted; false if they must not be. */
  readonly wantEncrypted: boolean;
  /** Private key in PEM whose certificate our metadata names for encryption. */
  readonly decryptionKey: string | null;
};

export type SamlVerification = {
  /** `SAMLResponse` of the form. */
  readonly response: string;
  readonly connection: SamlConnection;
  readonly acsUrl: string;
  /** Entity id of this service provider. */
  readonly entityId: string;
  /** Id of the request that the state names. Null if the identity provider started the sign-in. */
  readonly requestId: string | null;
  readonly now: Date;
};

export type SamlResult =
  | { readonly ok: true; readonly identity: SamlIdentity }
  | { readonly ok: false; readonly reason: SamlFault };

const verify = async (options: SamlVerification): Promise<SamlIdentity> => {
  const { response, connection, acsUrl, entityId, requestId, now } = options;
  const { wantEncrypted, decryptionKey } = connection;
  assertSaml(requestId !== null || connection.allowIdpInitiated, 'idp_initiated');
  const certificates = usableCertificates(connection.certificates, now);
  assertSaml(certificates.length > 0, 'certificate');
  const gated = await gateXml(decodeResponse(response), 'Response');
  checkResponse(gated.root, { issuer: connection.entityId, acsUrl, requestId });
  const isEncrypted = gated.assertion.local === 'EncryptedAssertion';
  assertSaml(isEncrypted === wantEncrypted, 'encryption');
  const inner = isEncrypted ? await gateEncryptedAssertion(gated.assertion, decryptionKey ?? '') : gated;
  const { isResponseSigned } = gated;
  const { isAssertionSigned } = inner;
  assertSaml(isResponseSigned || isAssertionSigned, 'unsigned');

  const { SAML } = await import('@node-saml/node-saml');
  const saml = new SAML({
    callbackUrl: acsUrl,
    issuer: entityId,
    audience: entityId,
    idpCert: [...certificates],
    // Every signature that is present must be valid.
    wantAuthnResponseSigned: isResponseSigned,
    wantAssertionsSigned: isAssertionSigned,
    // Times and the request id are checked below, by the clock of the caller.
    acceptedClockSkewMs: -1,
    ...(wantEncrypted && decryptionKey !== null ? { decryptionPvk: decryptionKey } : {}),
  });
  const assertionXml = await saml
    .validatePostResponseAsync({ SAMLResponse: response })
    .then(({ profile }) => profile?.getAssertionXml?.())
    // Errors of the library name bytes of the document.
    .catch(() => refuse('signature'));
  if (typeof assertionXml !== 'string') return refuse('signature');
  return await readVerifiedAssertion(assertionXml, { issuer: connection.entityId, acsUrl, entityId, requestId, now });
};

/** Verifies a response and returns the identity, or why it was refused. Throws nothing. */
export const verifySamlResponse = async (options: SamlVerification): Promise<SamlResult> => {
  try {
    return { ok: true, identity: await verify(options) };
  } catch (error) {
    return { ok: false, reason: error instanceof SamlRefusal ? error.fault : 'signature' };
  }
};
