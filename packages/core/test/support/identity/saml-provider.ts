// A SAML identity provider for tests. It signs every document, also hostile ones.

import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import { SignedXml } from 'xml-crypto';

export const SAML_NOW = new Date('2026-11-29T08:00:00.000Z');
export const IDP = 'https://idp.example/metadata';
export const ACS = 'https://api.example/auth-service/sso/saml/org_1/acs';
export const SP = 'https://api.example/auth-service/sso/saml/org_1/metadata?connectionId=con_1';
export const REQUEST_ID = '_request1';
const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const at = (seconds: number, now: Date = SAML_NOW): string => new Date(now.getTime() + seconds * 1_000).toISOString();

export type AssertionFields = Partial<
  Record<'id' | 'issuer' | 'nameId' | 'recipient' | 'audience' | 'attributes' | 'confirmations' | 'session', string>
> & {
  readonly start?: number;
  readonly end?: number;
  readonly requestId?: string | null;
  /** Default: SAML_NOW. */
  readonly now?: Date;
};

const inResponseTo = (id: string | null): string => (id === null ? '' : ` InResponseTo="${id}"`);

export const confirmationXml = ({
  end = 300,
  recipient = ACS,
  requestId = REQUEST_ID,
  now,
}: AssertionFields = {}): string =>
  '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData' +
  ` NotOnOrAfter="${at(end, now)}" Recipient="${recipient}"${inResponseTo(requestId)}/></saml:SubjectConfirmation>`;

export const assertionXml = (fields: AssertionFields = {}): string =>
  `<saml:Assertion ${NAMESPACES} ID="${fields.id ?? '_a1'}" Version="2.0" IssueInstant="${at(0, fields.now)}">` +
  `<saml:Issuer>${fields.issuer ?? IDP}</saml:Issuer><saml:Subject><saml:NameID>${fields.nameId ?? 'ada@corp.example'}` +
  `</saml:NameID>${fields.confirmations ?? confirmationXml(fields)}</saml:Subject>` +
  `<saml:Conditions NotBefore="${at(fields.start ?? -30, fields.now)}" NotOnOrAfter="${at(fields.end ?? 300, fields.now)}"><saml:AudienceRestriction>` +
  `<saml:Audience>${fields.audience ?? SP}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
  `<saml:AuthnStatement AuthnInstant="${at(0, fields.now)}"${fields.session ?? ''}><saml:AuthnContext><saml:AuthnContextClassRef>` +
  'urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
  `<saml:AttributeStatement>${fields.attributes ?? attributeXml('email', 'ada@corp.example')}</saml:AttributeStatement></saml:Assertion>`;

export const attributeXml = (name: string, ...values: readonly string[]): string =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;

export const SUCCESS =
  '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>';

/** A Response around an assertion that may already be signed. `xmlns` is added to its start tag. */
export const responseXml = (
  assertion: string,
  fields: Partial<Record<'destination' | 'issuer' | 'status' | 'xmlns', string>> & {
    readonly requestId?: string | null;
    readonly now?: Date;
  } = {},
): string =>
  `<samlp:Response ${NAMESPACES}${fields.xmlns ?? ''} ID="_r1" Version="2.0" IssueInstant="${at(0, fields.now)}" Destination="${fields.destination ?? ACS}"` +
  `${inResponseTo(fields.requestId === undefined ? REQUEST_ID : fields.requestId)}><saml:Issuer>${fields.issuer ?? IDP}</saml:Issuer>` +
  `${fields.status ?? SUCCESS}${assertion}</samlp:Response>`;

const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export type SignOptions = {
  readonly signatureAlgorithm?: string;
  readonly digestAlgorithm?: string;
  readonly transforms?: string[];
  readonly certificate?: string;
  readonly isEmptyUri?: boolean;
  readonly inclusivePrefixes?: string[];
};

/** Signs the Assertion or the Response within a document. Puts the signature after the Issuer. */
export const signXml = (
  xml: string,
  name: 'Assertion' | 'Response',
  privateKey: string,
  options: SignOptions = {},
): string => {
  const signer = new SignedXml({
    privateKey,
    ...(options.certificate === undefined ? {} : { publicCert: options.certificate }),
    signatureAlgorithm: options.signatureAlgorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: C14N,
  });
  if (options.signatureAlgorithm?.includes('hmac')) signer.enableHMAC();
  const xpath = `//*[local-name(.)='${name}']`;
  signer.addReference({
    xpath,
    digestAlgorithm: options.digestAlgorithm ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: options.transforms ?? ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', C14N],
    ...(options.inclusivePrefixes === undefined ? {} : { inclusiveNamespacesPrefixList: options.inclusivePrefixes }),
    ...(options.isEmptyUri ? { uri: '', isEmptyUri: true } : {}),
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signer.getSignedXml();
};

export type EncryptOptions = Partial<Record<'cipher' | 'cipherUri' | 'keyUri', string>> & {
  readonly padding?: number;
  readonly tamper?: boolean;
};

/** An EncryptedAssertion of this text. */
export const encryptXml = (xml: string, publicKey: string, options: EncryptOptions = {}): string => {
  const cipherName = options.cipher ?? 'aes-256-gcm';
  const isGcm = cipherName.endsWith('gcm');
  const key = randomBytes(cipherName.includes('256') ? 32 : 16);
  const iv = randomBytes(isGcm ? 12 : 16);
  const cipher = isGcm
    ? createCipheriv(cipherName.includes('256') ? 'aes-256-gcm' : 'aes-128-gcm', key, iv)
    : createCipheriv(cipherName, key, iv);
  const body = Buffer.concat([iv, cipher.update(xml, 'utf8'), cipher.final()]);
  const bytes = 'getAuthTag' in cipher && isGcm ? Buffer.concat([body, Object(cipher).getAuthTag()]) : body;
  if (options.tamper) bytes[20] = (bytes[20] ?? 0) ^ 1;
  const padding = options.padding ?? constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha1' }, key).toString('base64');
  const cipherUri = options.cipherUri ?? `http://www.w3.org/2009/xmlenc11#${cipherName.replaceAll(/-(?=\d)/g, '')}`;
  const keyUri = options.keyUri ?? 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';
  const value = (text: string): string =>
    `<xenc:CipherData><xenc:CipherValue>${text}</xenc:CipherValue></xenc:CipherData>`;
  return (
    '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><xenc:EncryptedData' +
    ' xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Type="http://www.w3.org/2001/04/xmlenc#Element">' +
    `<xenc:EncryptionMethod Algorithm="${cipherUri}"/><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">` +
    `<xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${keyUri}"/>${value(wrapped)}</xenc:EncryptedKey></ds:KeyInfo>` +
    `${value(bytes.toString('base64'))}</xenc:EncryptedData></saml:EncryptedAssertion>`
  );
};
