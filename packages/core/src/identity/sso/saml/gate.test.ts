// The gate alone, without the signature check behind it, so that each refusal has its own rule as the cause.

import { describe, expect, it } from 'vitest';
import {
  ACS,
  assertionXml,
  confirmationXml,
  encryptXml,
  IDP,
  REQUEST_ID,
  responseXml,
  SAML_NOW,
  SP,
  signXml,
} from '../../../../test/support/identity/saml-provider.ts';
import { selfSigned } from '../../../../test/support/identity/x509.ts';
import { readVerifiedAssertion } from './after.ts';
import { gateEncryptedAssertion } from './decrypt.ts';
import { gateXml } from './gate.ts';

const idp = selfSigned();
const good = responseXml(signXml(assertionXml(), 'Assertion', idp.privateKey));
const signedInfo = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(good)?.[0] ?? '';

describe('gateXml', () => {
  it('passes a signed response', async () => {
    expect(await gateXml(good, 'Response')).toMatchObject({ isResponseSigned: false, isAssertionSigned: true });
  });

  it.each([
    ['ids', '<saml:Subject>', '<saml:Subject Id="_x">'],
    ['ids', '<saml:Subject>', '<saml:Subject xml:id="_x">'],
    ['ids', '<saml:Subject>', '<saml:Subject saml:ID="_x">'],
    ['ids', '<saml:Subject>', '<saml:Subject ID="_r1">'],
    ['ids', '<saml:Subject>', '<saml:Subject ID="1">'],
    ['signatures', '</ds:Signature>', `<ds:KeyInfo>${signedInfo}</ds:KeyInfo></ds:Signature>`],
    ['signatures', '<ds:SignedInfo>', `${signedInfo}<ds:SignedInfo>`],
    ['signatures', '</ds:Signature>', '<ds:Object/></ds:Signature>'],
    ['signatures', 'URI="#_a1"', 'URI=""'],
    ['signatures', '<ds:DigestValue>', '<ds:DigestValue> '],
    ['signatures', '<saml:Subject>', '<saml:Subject><e:Signature xmlns:e="urn:e"/>'],
    ['assertions', '<saml:Subject>', '<saml:Subject><e:Assertion xmlns:e="urn:e"/>'],
    ['algorithm', /2001\/04\/xmlenc#sha256/, '2000/09/xmldsig#sha1'],
    ['namespaces', '<saml:Subject>', '<saml:Subject xmlns:x="">'],
    ['namespaces', '<saml:Subject>', '<saml:Subject xmlns:x="urn:a b">'],
    ['xml', '<saml:Subject>', '<!---->  <saml:Subject>'],
    ['xml', '<saml:Subject>', '<saml:Subject>&#1;'],
    ['xml', '<saml:Subject>', '<saml:Subject>&nbsp;'],
    ['xml', '<saml:Subject>', '<saml:Subject a=b>'],
    ['too_large', '<saml:Subject>', `<saml:Subject>${'<saml:x>'.repeat(38)}${'</saml:x>'.repeat(38)}`],
  ])('refuses with the fault %s where %s becomes %s', async (fault, from, to) => {
    const altered = good.replace(from, () => to);
    expect(altered).not.toBe(good);
    await expect(gateXml(altered, 'Response')).rejects.toMatchObject({ fault });
  });

  it('refuses another root', async () => {
    await expect(gateXml(assertionXml(), 'Response')).rejects.toMatchObject({ fault: 'root' });
  });
});

describe('gateEncryptedAssertion', () => {
  const service = selfSigned();
  it('refuses the name of RSA 1.5 and of CBC even where the bytes are those of OAEP and GCM', async () => {
    const options = [
      { keyUri: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' },
      { cipherUri: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' },
    ];
    for (const option of options) {
      const { assertion } = await gateXml(responseXml(encryptXml(assertionXml(), service.pem, option)), 'Response');
      const result = gateEncryptedAssertion(assertion, service.privateKey);
      await expect(result).rejects.toMatchObject({ fault: 'encryption' });
    }
  });
});

describe('readVerifiedAssertion', () => {
  const expectations = { issuer: IDP, acsUrl: ACS, entityId: SP, requestId: REQUEST_ID, now: SAML_NOW };
  const nested = confirmationXml().replace('<saml:SubjectConfirmationData', '<saml:NameID>x</saml:NameID>$&');

  it.each([
    ['subject', assertionXml({ confirmations: nested })],
    ['subject', assertionXml({ confirmations: '' })],
    ['subject', assertionXml({ confirmations: confirmationXml().replace('cm:bearer', 'cm:holder-of-key') })],
    [
      'subject',
      assertionXml({ confirmations: confirmationXml().replace(' Recipient', ' NotBefore="2026-11-29T07:00:00Z"$&') }),
    ],
    ['subject', assertionXml({ nameId: ' ' })],
    ['expired', assertionXml({ confirmations: confirmationXml({ end: -60 }) })],
    ['in_response_to', assertionXml({ requestId: null })],
    ['session', assertionXml().replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '')],
    ['audience', assertionXml().replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '')],
    ['audience', assertionXml().replace('</saml:Conditions>', '<saml:AudienceRestriction/></saml:Conditions>')],
  ])('refuses with the fault %s: %s', async (fault, xml) => {
    await expect(readVerifiedAssertion(xml, expectations)).rejects.toMatchObject({ fault });
  });
});
