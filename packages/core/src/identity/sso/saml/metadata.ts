// Metadata of this service provider, and of identity providers. Source: SAML metadata 2.0.

import { signingCertificate } from './certificates.ts';
import { assertSaml, refuse, type SamlFault, SamlRefusal } from './refusal.ts';
import {
  allElements,
  attributeOf,
  childrenNamed,
  DS_NS,
  escapeXml,
  METADATA_NS,
  parseXml,
  SAMLP_NS,
  type XmlElement,
} from './xml.ts';

const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
/** Chosen: metadata of Entra ID has 20 KB. */
const MAX_METADATA_CHARACTERS = 262_144;
/** Chosen: an identity provider publishes two while it rotates. */
const MAX_CERTIFICATES = 10;

const encryptionKey = (certificate: string): string => {
  const base64 = certificate.replaceAll(/-----[^-]+-----|\s/g, '');
  const methods = ['http://www.w3.org/2009/xmlenc11#aes256-gcm', 'http://www.w3.org/2009/xmlenc11#aes128-gcm']
    .concat('http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p')
    .map((algorithm) => `<md:EncryptionMethod Algorithm="${algorithm}"/>`);
  return (
    `<md:KeyDescriptor use="encryption"><ds:KeyInfo xmlns:ds="${DS_NS}"><ds:X509Data><ds:X509Certificate>${base64}` +
    `</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods.join('')}</md:KeyDescriptor>`
  );
};

/** The document that an identity provider reads to trust this service provider. */
export const serviceProviderMetadata = ({
  entityId,
  acsUrl,
  encryptionCertificate,
}: {
  readonly entityId: string;
  readonly acsUrl: string;
  /** PEM; null unless assertions are to be encrypted. */
  readonly encryptionCertificate: string | null;
}): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<md:EntityDescriptor xmlns:md="${METADATA_NS}" entityID="${escapeXml(entityId)}">` +
  `<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${SAMLP_NS}">` +
  (encryptionCertificate === null ? '' : encryptionKey(encryptionCertificate)) +
  `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>` +
  '</md:SPSSODescriptor></md:EntityDescriptor>\n';

/** What a connection stores of the metadata of an identity provider. */
export type IdpMetadata = {
  readonly entityId: string;
  /** URL of the redirect binding. */
  readonly ssoUrl: string;
  /** PEM. */
  readonly certificates: readonly string[];
};

export type IdpMetadataResult =
  | { readonly ok: true; readonly metadata: IdpMetadata }
  | { readonly ok: false; readonly reason: SamlFault };

const certificatesOf = (descriptor: XmlElement): readonly string[] => {
  const keys = childrenNamed(descriptor, METADATA_NS, 'KeyDescriptor').filter(
    (key) => (attributeOf(key, 'use') ?? 'signing') === 'signing',
  );
  const pems = keys
    .flatMap((key) => [...allElements(key)])
    .filter(({ namespace, local }) => namespace === DS_NS && local === 'X509Certificate')
    .map(({ text }) => signingCertificate(text)?.pem ?? refuse('certificate'));
  const unique = [...new Set(pems)];
  assertSaml(unique.length > 0 && unique.length <= MAX_CERTIFICATES, 'certificate');
  return unique;
};

const ssoUrlOf = (descriptor: XmlElement): string => {
  const location = childrenNamed(descriptor, METADATA_NS, 'SingleSignOnService')
    .filter((service) => attributeOf(service, 'Binding') === REDIRECT_BINDING)
    .map((service) => attributeOf(service, 'Location'))[0];
  const url = URL.parse(location ?? '');
  assertSaml(
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '',
    'destination',
  );
  return url.href;
};

const readDescriptor = async (xml: string): Promise<IdpMetadata> => {
  assertSaml(xml.length <= MAX_METADATA_CHARACTERS, 'too_large');
  const root = await parseXml(xml.trim());
  const found = [...allElements(root)].flatMap((entity) =>
    entity.namespace === METADATA_NS && entity.local === 'EntityDescriptor'
      ? childrenNamed(entity, METADATA_NS, 'IDPSSODescriptor').map((descriptor) => ({ entity, descriptor }))
      : [],
  );
  const [only] = found;
  // The file of a federation names many providers, and nothing says which one to trust.
  if (only === undefined || found.length !== 1) return refuse('root');
  const entityId = attributeOf(only.entity, 'entityID') ?? '';
  assertSaml(entityId !== '' && entityId.length <= 1_024, 'issuer');
  return { entityId, ssoUrl: ssoUrlOf(only.descriptor), certificates: certificatesOf(only.descriptor) };
};

/**
 * Reads metadata of one identity provider that an administrator has pasted. The signature of metadata is not checked: the
 * administrator vouches for it. Throws nothing.
 */
export const readIdpMetadata = async (xml: string): Promise<IdpMetadataResult> => {
  try {
    return { ok: true, metadata: await readDescriptor(xml) };
  } catch (error) {
    return { ok: false, reason: error instanceof SamlRefusal ? error.fault : 'xml' };
  }
};
