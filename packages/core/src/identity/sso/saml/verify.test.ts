import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ACS,
  assertionXml,
  attributeXml,
  encryptXml,
  IDP,
  REQUEST_ID,
  responseXml,
  SAML_NOW,
  SP,
  signXml,
} from '../../../../test/support/identity/saml-provider.ts';
import { selfSigned } from '../../../../test/support/identity/x509.ts';
import { readIdpMetadata, serviceProviderMetadata } from './metadata.ts';
import { createAuthnRequest } from './request.ts';
import { type SamlVerification, verifySamlResponse } from './verify.ts';

const idp = selfSigned();
const next = selfSigned();
const service = selfSigned();
const connection = {
  entityId: IDP,
  certificates: [idp.pem],
  allowIdpInitiated: false,
  wantEncrypted: false,
  decryptionKey: null,
};

const verify = (xml: string, change: Partial<SamlVerification> = {}) =>
  verifySamlResponse({
    response: Buffer.from(xml).toString('base64'),
    ...{ connection, acsUrl: ACS, entityId: SP, requestId: REQUEST_ID, now: SAML_NOW, ...change },
  });

type Fields = Parameters<typeof assertionXml>[0];
const signedAssertion = (fields: Fields = {}, key = idp.privateKey): string =>
  signXml(assertionXml(fields), 'Assertion', key);
const signedResponse = (assertion: string, key = idp.privateKey): string =>
  signXml(responseXml(assertion), 'Response', key);
const later = (seconds: number): Date => new Date(SAML_NOW.getTime() + seconds * 1_000);
const accepted = { ok: true };
const refused = (reason: string) => ({ ok: false, reason });

// xml-crypto writes the prefix list into both transforms, and Okta into the canonicalisation alone. So the SignedInfo is
// rewritten in its canonical form and signed again.
const withPrefixList = (xml: string): string => {
  const [signedInfo = ''] = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml) ?? [];
  const canonical = signedInfo
    .replace(/<InclusiveNamespaces[^>]*enveloped-signature"\s*\/>/, '')
    .replace(/<InclusiveNamespaces (PrefixList="[^"]+") (xmlns="[^"]+")\s*\/>/, '<InclusiveNamespaces $2 $1/>')
    .replaceAll(/<([\w:]+)([^<>]*?)\s*\/>/g, '<$1$2></$1>');
  const namespaced = canonical.replace(
    '<ds:SignedInfo>',
    '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">',
  );
  const value = sign('sha256', Buffer.from(namespaced), idp.privateKey).toString('base64');
  return xml
    .replace(signedInfo, () => canonical)
    .replace(/<ds:SignatureValue>[^<]+/, () => `<ds:SignatureValue>${value}`);
};

describe('verifySamlResponse', () => {
  it('returns the name id, the assertion id, its end and all attributes of a signed assertion', async () => {
    const attributes = attributeXml('groups', 'a', 'b') + attributeXml('__proto__', 'x');
    const result = await verify(responseXml(signedAssertion({ attributes })));
    expect(result).toEqual({
      ok: true,
      identity: {
        nameId: 'ada@corp.example',
        issuer: IDP,
        assertionId: '_a1',
        expiresAt: later(360),
        attributes: Object.fromEntries([
          ['groups', ['a', 'b']],
          ['__proto__', ['x']],
        ]),
      },
    });
  });

  it.each(['Response', 'Assertion', 'both'])('accepts a signature of: %s', async (name) => {
    const assertion = name === 'Response' ? assertionXml() : signedAssertion();
    const xml = name === 'Assertion' ? responseXml(assertion) : signedResponse(assertion);
    expect(await verify(xml)).toMatchObject(accepted);
  });

  it('refuses a response of which one of two signatures is by a foreign key', async () => {
    expect(await verify(signedResponse(signedAssertion({}, next.privateKey)))).toEqual(refused('signature'));
    expect(await verify(signedResponse(signedAssertion(), next.privateKey))).toEqual(refused('signature'));
  });

  it('accepts SHA-512, an XML declaration and the prefix list that Okta sends', async () => {
    const sha512 = {
      signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha512',
    };
    const xml = responseXml(signXml(assertionXml(), 'Assertion', idp.privateKey, sha512));
    expect(await verify(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`)).toMatchObject(accepted);
    expect(
      await verify(
        responseXml(
          withPrefixList(signXml(assertionXml(), 'Assertion', idp.privateKey, { inclusivePrefixes: ['xs', 'saml'] })),
        ),
      ),
    ).toMatchObject(accepted);
  });

  it('accepts a sign-in that the identity provider starts only where the connection allows it', async () => {
    const xml = responseXml(signedAssertion({ requestId: null }), { requestId: null });
    const allowing = { ...connection, allowIdpInitiated: true };
    expect(await verify(xml, { requestId: null })).toEqual(refused('idp_initiated'));
    expect(await verify(xml, { requestId: null, connection: allowing })).toMatchObject(accepted);
    expect(await verify(responseXml(signedAssertion()), { requestId: null, connection: allowing })).toEqual(
      refused('in_response_to'),
    );
  });

  it.each([
    [359, accepted],
    [360, refused('expired')],
    [-90, accepted],
    [-91, refused('not_yet_valid')],
  ])('tolerates clocks that differ by 60 seconds: %d seconds after issue', async (seconds, expected) => {
    expect(await verify(responseXml(signedAssertion()), { now: later(seconds) })).toMatchObject(expected);
  });

  it('refuses an assertion whose session has ended', async () => {
    const session = ` SessionNotOnOrAfter="${later(-60).toISOString()}"`;
    expect(await verify(responseXml(signedAssertion({ session })))).toEqual(refused('session'));
  });

  it('accepts the old and the new certificate during a rotation, until the old one expires', async () => {
    const old = selfSigned({ validTo: later(10) });
    const rotating = { connection: { ...connection, certificates: [old.pem, next.pem] } };
    const byOld = responseXml(signedAssertion({}, old.privateKey));
    const byNext = responseXml(signedAssertion({}, next.privateKey));
    expect(await verify(byOld, rotating)).toMatchObject(accepted);
    expect(await verify(byNext, rotating)).toMatchObject(accepted);
    expect(await verify(byOld, { ...rotating, now: later(10) })).toEqual(refused('signature'));
    expect(await verify(byNext, { ...rotating, now: later(10) })).toMatchObject(accepted);
  });
});

describe('encrypted assertions', () => {
  const encrypting = { connection: { ...connection, wantEncrypted: true, decryptionKey: service.privateKey } };

  it.each(['aes-128-gcm', 'aes-256-gcm'])(
    '%s is accepted with the signature inside, outside or both',
    async (cipher) => {
      const inside = encryptXml(signedAssertion(), service.pem, { cipher });
      const plain = encryptXml(assertionXml(), service.pem, { cipher });
      for (const xml of [responseXml(inside), signedResponse(plain), signedResponse(inside)])
        expect(await verify(xml, encrypting)).toMatchObject(accepted);
      expect(await verify(responseXml(plain), encrypting)).toEqual(refused('unsigned'));
    },
  );

  it('a connection without encryption refuses them, and one with encryption refuses plain assertions', async () => {
    expect(await verify(responseXml(encryptXml(signedAssertion(), service.pem)))).toEqual(refused('encryption'));
    expect(await verify(responseXml(signedAssertion()), encrypting)).toEqual(refused('encryption'));
  });

  it.each([
    ['another key', encryptXml(signedAssertion(), next.pem)],
    ['changed ciphertext', encryptXml(signedAssertion(), service.pem, { tamper: true })],
    ['no XML', encryptXml('text', service.pem)],
    ['an empty text', encryptXml('', service.pem)],
    ['two assertions', encryptXml(signedAssertion() + assertionXml(), service.pem)],
    ['another element', encryptXml('<x xmlns="urn:x"/>', service.pem)],
    ['a comment inside', encryptXml(signedAssertion({ nameId: 'a<!--x-->b' }), service.pem)],
  ])('%s has the same reason as every failure to decrypt', async (_name, encrypted) => {
    expect(await verify(responseXml(encrypted), encrypting)).toEqual(refused('encryption'));
  });
});

describe('createAuthnRequest', () => {
  it('deflates a request with a random id and keeps the query of the identity provider', () => {
    const options = {
      ssoUrl: 'https://idp.example/sso?tenant=1&x=2',
      acsUrl: ACS,
      entityId: SP,
      relayState: 's+1',
      now: SAML_NOW,
    };
    const { id, url } = createAuthnRequest(options);
    const { searchParams } = new URL(url);
    expect(searchParams.get('tenant')).toBe('1');
    expect(searchParams.get('RelayState')).toBe('s+1');
    const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    expect(xml).toContain(` ID="${id}" Version="2.0" IssueInstant="2026-11-29T08:00:00.000Z"`);
    expect(xml).toContain('Destination="https://idp.example/sso?tenant=1&amp;x=2"');
    expect(xml).toContain(`<saml:Issuer>${SP}</saml:Issuer>`);
    expect(createAuthnRequest(options).id).not.toBe(id);
  });
});

describe('metadata', () => {
  const key = (pem: string, use: string): string =>
    `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>` +
    `${pem.replaceAll(/-----[^-]+-----/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
  const entity = (keys: string, location = 'https://idp.example/sso'): string =>
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${IDP}"><md:IDPSSODescriptor` +
    ` protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys}<md:SingleSignOnService` +
    ` Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${location}"/></md:IDPSSODescriptor></md:EntityDescriptor>`;

  it('reads entity id, redirect URL and all signing certificates, and no encryption certificate', async () => {
    const keys = key(idp.pem, ' use="signing"') + key(next.pem, '') + key(service.pem, ' use="encryption"');
    expect(await readIdpMetadata(`<?xml version="1.0"?>\n${entity(keys)}\n`)).toEqual({
      ok: true,
      metadata: { entityId: IDP, ssoUrl: 'https://idp.example/sso', certificates: [idp.pem, next.pem] },
    });
  });

  it('two providers, no certificate, a weak one, and a URL that runs scripts are refused', async () => {
    const signing = key(idp.pem, '');
    const two = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${entity(signing).repeat(2)}</md:EntitiesDescriptor>`;
    expect(await readIdpMetadata(two)).toEqual(refused('root'));
    expect(await readIdpMetadata(entity(''))).toEqual(refused('certificate'));
    expect(await readIdpMetadata(entity(key(selfSigned({ bits: 1_024 }).pem, '')))).toEqual(refused('certificate'));
    expect(await readIdpMetadata(entity(signing, 'javascript:alert(1)'))).toEqual(refused('destination'));
    expect(await readIdpMetadata('no xml')).toEqual(refused('xml'));
  });

  it('of this service names the ACS, and an encryption key only where there is one', () => {
    const plain = serviceProviderMetadata({ entityId: `${SP}&x=1`, acsUrl: ACS, encryptionCertificate: null });
    expect(plain).toContain(`entityID="${SP}&amp;x=1"`);
    expect(plain).toContain(`Location="${ACS}"`);
    expect(plain).not.toContain('KeyDescriptor');
    const encrypted = serviceProviderMetadata({ entityId: SP, acsUrl: ACS, encryptionCertificate: service.pem });
    expect(encrypted).toContain('use="encryption"');
    expect(encrypted).not.toContain('cbc');
  });
});

describe('@xmldom/xmldom', () => {
  it('one copy is installed and loaded by all libraries, because two parsers can read one document differently', () => {
    const lock: unknown = JSON.parse(
      readFileSync(new URL('../../../../../../package-lock.json', import.meta.url), 'utf8'),
    );
    const copies = Object.keys(Object(lock).packages).filter((path) => path.endsWith('node_modules/@xmldom/xmldom'));
    expect(copies).toEqual(['node_modules/@xmldom/xmldom']);
    const core = createRequire(import.meta.url);
    const nodeSaml = createRequire(core.resolve('@node-saml/node-saml'));
    const users = ['xml-crypto', 'xml-encryption'].map((name) => createRequire(nodeSaml.resolve(name)));
    const paths = [core, nodeSaml, ...users].map((require) => require.resolve('@xmldom/xmldom'));
    expect(new Set(paths)).toHaveProperty('size', 1);
  });
});
