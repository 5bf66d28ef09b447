// Refuses hostile responses before node-saml reads them. It never accepts: what it reads here may be unsigned. The numbers
// are those of the rules in the authentication design, SAML.

import { assertSaml, refuse, SamlRefusal } from './refusal.ts';
import {
  allElements,
  attributeOf,
  bytesOfBase64,
  childrenNamed,
  DS_NS,
  EXCLUSIVE_C14N,
  onlyChild,
  parseXml,
  SAML_NS,
  SAMLP_NS,
  XENC_NS,
  type XmlElement,
} from './xml.ts';

/** Source: authentication design, SAML. A body of 64 KB. */
const MAX_RESPONSE_CHARACTERS = 65_536;
const MAX_ID_CHARACTERS = 256;
const MIN_DIGEST_BYTES = 32;
/** Chosen: prefixes in an InclusiveNamespaces list. Okta sends one. */
const MAX_INCLUSIVE_PREFIXES = 10;

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/** The algorithms of the design that xml-crypto knows. SHA-1 and HMAC are not among them. */
const SIGNATURE_METHODS: ReadonlySet<string | null> = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
]);
const DIGEST_METHODS: ReadonlySet<string | null> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);

const NC_NAME = /^[\p{L}_][\p{L}\p{N}._-]*$/u;
export const isNcName = (text: string): boolean => text.length <= MAX_ID_CHARACTERS && NC_NAME.test(text);

// Rule 5.
const checkIds = (root: XmlElement): void => {
  const values = new Set<string>();
  for (const element of allElements(root)) {
    for (const { name, local, value } of element.attributes) {
      if (local.toLowerCase() !== 'id') continue;
      assertSaml(name === (element.namespace === XENC_NS ? 'Id' : 'ID'), 'ids');
      assertSaml(isNcName(value) && !values.has(value), 'ids');
      values.add(value);
    }
  }
};

const algorithmOf = (element: XmlElement | undefined): string | null =>
  element === undefined || element.text.trim() !== '' ? null : attributeOf(element, 'Algorithm');

// Okta lists the prefix "xs", which is used in values of xsi:type alone.
const isInclusiveList = (element: XmlElement): boolean => {
  const prefixes = attributeOf(element, 'PrefixList')?.split(' ') ?? [];
  return (
    element.namespace === EXCLUSIVE_C14N &&
    element.local === 'InclusiveNamespaces' &&
    element.attributes.length === 1 &&
    element.children.length === 0 &&
    prefixes.length >= 1 &&
    prefixes.length <= MAX_INCLUSIVE_PREFIXES &&
    prefixes.every((prefix) => prefix === '#default' || isNcName(prefix))
  );
};

const isLeaf = ({ children, text }: XmlElement): boolean => children.length === 0 && text.trim() === '';

const checkTransforms = (reference: XmlElement): void => {
  const [enveloped, exclusive, ...more] = onlyChild(reference, DS_NS, 'Transforms')?.children ?? [];
  if (enveloped === undefined || exclusive === undefined || more.length > 0) throw new SamlRefusal('signatures');
  for (const { namespace, local } of [enveloped, exclusive])
    assertSaml(namespace === DS_NS && local === 'Transform', 'signatures');
  assertSaml(algorithmOf(enveloped) === ENVELOPED && isLeaf(enveloped), 'signatures');
  assertSaml(algorithmOf(exclusive) === EXCLUSIVE_C14N && exclusive.children.length <= 1, 'signatures');
  assertSaml(exclusive.children.every(isInclusiveList), 'signatures');
};

// xml-crypto looks these names up at any depth of a signature.
const SINGLE = ['SignedInfo', 'SignatureValue', 'CanonicalizationMethod', 'SignatureMethod', 'Reference', 'Transforms'];
const SINGLE_NAMES: ReadonlySet<string> = new Set([...SINGLE, 'DigestMethod', 'DigestValue']);

const namesOf = (elements: readonly XmlElement[]): string =>
  elements.map(({ namespace, local }) => (namespace === DS_NS ? local : '?')).join(' ');

// Rule 8.
const checkSignature = (signature: XmlElement, parentId: string | null): void => {
  assertSaml(/^SignedInfo SignatureValue(?: KeyInfo)?$/.test(namesOf(signature.children)), 'signatures');
  const single = [...allElements(signature)].filter(({ local }) => SINGLE_NAMES.has(local));
  assertSaml(single.length === SINGLE_NAMES.size, 'signatures');
  const [signedInfo, value] = signature.children;
  if (signedInfo === undefined || value === undefined) throw new SamlRefusal('signatures');
  assertSaml(value.children.length === 0 && /^[A-Za-z0-9+/=\s]+$/.test(value.text), 'signatures');
  assertSaml(namesOf(signedInfo.children) === 'CanonicalizationMethod SignatureMethod Reference', 'signatures');
  const [canonicalization, method, reference] = signedInfo.children;
  if (canonicalization === undefined || method === undefined || reference === undefined)
    throw new SamlRefusal('signatures');
  assertSaml(algorithmOf(canonicalization) === EXCLUSIVE_C14N && isLeaf(canonicalization), 'algorithm');
  assertSaml(SIGNATURE_METHODS.has(algorithmOf(method)) && isLeaf(method), 'algorithm');
  assertSaml(parentId !== null && attributeOf(reference, 'URI') === `#${parentId}`, 'signatures');
  assertSaml(namesOf(reference.children) === 'Transforms DigestMethod DigestValue', 'signatures');
  checkTransforms(reference);
  const [, digestMethod, digest] = reference.children;
  if (digestMethod === undefined || digest === undefined) throw new SamlRefusal('signatures');
  assertSaml(DIGEST_METHODS.has(algorithmOf(digestMethod)) && isLeaf(digestMethod), 'algorithm');
  const digestBytes = digest.children.length === 0 ? bytesOfBase64(digest.text) : null;
  assertSaml(digestBytes !== null && digestBytes.length >= MIN_DIGEST_BYTES, 'signatures');
};

/** Elements of a document that has passed the rules of structure. */
export type GatedDocument = {
  readonly root: XmlElement;
  /** The Assertion or EncryptedAssertion. */
  readonly assertion: XmlElement;
  readonly isResponseSigned: boolean;
  readonly isAssertionSigned: boolean;
};

/** Rules 2 to 8. The root is a Response, or an Assertion that was decrypted or verified. */
export const gateXml = async (xml: string, rootName: 'Response' | 'Assertion'): Promise<GatedDocument> => {
  const root = await parseXml(xml);
  const isResponse = rootName === 'Response';
  assertSaml(root.local === rootName && root.namespace === (isResponse ? SAMLP_NS : SAML_NS), 'root');
  checkIds(root);
  const elements = [...allElements(root)];
  const assertions = elements.filter(({ local }) => /^(?:Encrypted)?Assertion$/.test(local));
  const [assertion] = assertions;
  if (assertion === undefined || assertions.length !== 1) return refuse('assertions');
  assertSaml(assertion.namespace === SAML_NS, 'assertions');
  assertSaml(isResponse ? root.children.includes(assertion) : assertion === root, 'assertions');
  const signatures = elements.filter(({ local }) => local === 'Signature');
  const parents = isResponse ? [root, assertion] : [assertion];
  const signed = parents.map((parent) => {
    const own = childrenNamed(parent, DS_NS, 'Signature');
    assertSaml(own.length <= 1, 'signatures');
    for (const signature of own) checkSignature(signature, attributeOf(parent, 'ID'));
    return own.length;
  });
  assertSaml(signatures.length === signed.reduce((sum, count) => sum + count, 0), 'signatures');
  return {
    root,
    assertion,
    isResponseSigned: isResponse && signed[0] === 1,
    isAssertionSigned: signed.at(-1) === 1,
  };
};

/** Rule 1: the XML of a posted response. */
export const decodeResponse = (response: string): string => {
  assertSaml(response.length <= MAX_RESPONSE_CHARACTERS, 'too_large');
  const bytes = bytesOfBase64(response);
  if (bytes === null) return refuse('encoding');
  try {
    // A byte order mark stays in the text and is refused by the parser's rule that a document begins with "<".
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('encoding');
  }
};

export type ResponseExpectations = {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly acsUrl: string;
  /** Null for sign-in that the identity provider starts. */
  readonly requestId: string | null;
};

/** Rule 9: facts of the Response that are reasons to refuse, signed or not. */
export const checkResponse = (root: XmlElement, { issuer, acsUrl, requestId }: ResponseExpectations): void => {
  assertSaml(attributeOf(root, 'Version') === '2.0', 'version');
  const status = onlyChild(root, SAMLP_NS, 'Status');
  const code = status === null ? null : onlyChild(status, SAMLP_NS, 'StatusCode');
  assertSaml(code !== null && attributeOf(code, 'Value') === SUCCESS && code.children.length === 0, 'status');
  const destination = attributeOf(root, 'Destination');
  assertSaml(destination === null || destination === acsUrl, 'destination');
  assertSaml(attributeOf(root, 'InResponseTo') === requestId, 'in_response_to');
  const issuers = childrenNamed(root, SAML_NS, 'Issuer');
  assertSaml(issuers.length <= 1, 'issuer');
  for (const element of issuers) assertSaml(element.text === issuer && element.children.length === 0, 'issuer');
};

/**
 * The entity id that a response names, which only selects the connections that are tried; null if the gate refuses the response.
 * Throws nothing.
 */
export const responseIssuerOf = async (response: string): Promise<string | null> => {
  try {
    const { root, assertion } = await gateXml(decodeResponse(response), 'Response');
    return (onlyChild(root, SAML_NS, 'Issuer') ?? onlyChild(assertion, SAML_NS, 'Issuer'))?.text ?? null;
  } catch {
    return null;
  }
};
