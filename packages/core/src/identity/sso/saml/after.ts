// Checks an assertion after its signature was verified, and reads the identity. Both see the signed bytes alone.

import { gateXml, isNcName } from './gate.ts';
import { assertSaml, refuse } from './refusal.ts';
import { allElements, attributeOf, childrenNamed, onlyChild, SAML_NS, type XmlElement } from './xml.ts';

/** Clocks of two servers may differ by this. Source: authentication design, SAML. */
export const CLOCK_SKEW_MS = 60_000;
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
/** Chosen: a name id is stored in an index. SAML core allows 256 for persistent ids; addresses reach 320. */
const MAX_NAME_ID_CHARACTERS = 512;

/** A user at a SAML identity provider. */
export type SamlIdentity = {
  readonly nameId: string;
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Stored until `expiresAt`, so that an assertion signs in once. */
  readonly assertionId: string;
  readonly expiresAt: Date;
  /** Values by the name of the attribute. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
};

export type AssertionExpectations = {
  readonly issuer: string;
  readonly acsUrl: string;
  readonly entityId: string;
  readonly requestId: string | null;
  readonly now: Date;
};

// SAML core, 1.3.3: times are in UTC.
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const instantOf = (element: XmlElement, name: string): number | null => {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const time = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? refuse('xml') : time;
};

const assertBefore = (end: number, now: Date): void => assertSaml(now.getTime() < end + CLOCK_SKEW_MS, 'expired');

const required = (element: XmlElement, local: string): XmlElement =>
  onlyChild(element, SAML_NS, local) ?? refuse('subject');

const readSubject = (
  assertion: XmlElement,
  { acsUrl, requestId, now }: AssertionExpectations,
): { readonly nameId: string; readonly end: number } => {
  const subject = required(assertion, 'Subject');
  const nameId = required(subject, 'NameID');
  assertSaml(nameId.children.length === 0 && nameId.text.trim() !== '', 'subject');
  assertSaml(nameId.text.length <= MAX_NAME_ID_CHARACTERS, 'subject');
  // A transient name changes with every sign-in, so it identifies nobody.
  assertSaml(attributeOf(nameId, 'Format') !== TRANSIENT, 'subject');
  const confirmation = required(subject, 'SubjectConfirmation');
  assertSaml(attributeOf(confirmation, 'Method') === BEARER, 'subject');
  const data = required(confirmation, 'SubjectConfirmationData');
  assertSaml(attributeOf(data, 'Recipient') === acsUrl, 'recipient');
  assertSaml(attributeOf(data, 'InResponseTo') === requestId, 'in_response_to');
  // SAML profiles, 4.1.4.2: a bearer confirmation has an end and no beginning.
  assertSaml(attributeOf(data, 'NotBefore') === null, 'subject');
  const end = instantOf(data, 'NotOnOrAfter') ?? refuse('expired');
  assertBefore(end, now);
  return { nameId: nameId.text, end };
};

const readConditions = (assertion: XmlElement, { entityId, now }: AssertionExpectations): number => {
  const conditions = onlyChild(assertion, SAML_NS, 'Conditions') ?? refuse('audience');
  const start = instantOf(conditions, 'NotBefore');
  assertSaml(start === null || now.getTime() >= start - CLOCK_SKEW_MS, 'not_yet_valid');
  const end = instantOf(conditions, 'NotOnOrAfter') ?? refuse('expired');
  assertBefore(end, now);
  const restrictions = childrenNamed(conditions, SAML_NS, 'AudienceRestriction');
  assertSaml(restrictions.length > 0, 'audience');
  for (const restriction of restrictions) {
    const audiences = childrenNamed(restriction, SAML_NS, 'Audience');
    assertSaml(
      audiences.some(({ text, children }) => text === entityId && children.length === 0),
      'audience',
    );
  }
  return end;
};

const checkSession = (assertion: XmlElement, now: Date): void => {
  const statements = childrenNamed(assertion, SAML_NS, 'AuthnStatement');
  assertSaml(statements.length > 0, 'session');
  for (const statement of statements) {
    const end = instantOf(statement, 'SessionNotOnOrAfter');
    assertSaml(end === null || now.getTime() < end + CLOCK_SKEW_MS, 'session');
  }
};

const readAttributes = (assertion: XmlElement): Readonly<Record<string, readonly string[]>> => {
  const attributes = new Map<string, readonly string[]>();
  for (const statement of childrenNamed(assertion, SAML_NS, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, SAML_NS, 'Attribute')) {
      const name = attributeOf(attribute, 'Name') ?? refuse('attributes');
      // Libraries differ in which of two equal names they read.
      assertSaml(name !== '' && !attributes.has(name), 'attributes');
      const values = childrenNamed(attribute, SAML_NS, 'AttributeValue').filter(
        ({ children }) => children.length === 0,
      );
      attributes.set(
        name,
        values.map(({ text }) => text),
      );
    }
  }
  // Own properties, so the name "__proto__" is a name like any other.
  return Object.fromEntries(attributes);
};

/**
 * The identity of a verified assertion.
 *
 * @param assertionXml the bytes that were signed, or decrypted from signed bytes.
 * @throws SamlRefusal
 */
export const readVerifiedAssertion = async (
  assertionXml: string,
  expectations: AssertionExpectations,
): Promise<SamlIdentity> => {
  const { root } = await gateXml(assertionXml, 'Assertion');
  assertSaml(attributeOf(root, 'Version') === '2.0', 'version');
  const assertionId = attributeOf(root, 'ID') ?? refuse('ids');
  assertSaml(isNcName(assertionId), 'ids');
  const issuer = onlyChild(root, SAML_NS, 'Issuer');
  assertSaml(issuer !== null && issuer.text === expectations.issuer && issuer.children.length === 0, 'issuer');
  // One of each in the whole assertion, so that no other reader finds a second one elsewhere.
  for (const name of ['Subject', 'NameID', 'SubjectConfirmation', 'SubjectConfirmationData']) {
    const count = [...allElements(root)].filter(({ local }) => local === name).length;
    assertSaml(count === 1, 'subject');
  }
  const subject = readSubject(root, expectations);
  const conditionsEnd = readConditions(root, expectations);
  checkSession(root, expectations.now);
  return {
    nameId: subject.nameId,
    issuer: expectations.issuer,
    assertionId,
    expiresAt: new Date(Math.min(subject.end, conditionsEnd) + CLOCK_SKEW_MS),
    attributes: readAttributes(root),
  };
};
