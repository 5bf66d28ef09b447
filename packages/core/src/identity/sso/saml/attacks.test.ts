// The named attack documents of the authentication design, each beside what node-saml alone makes of it. "Accepted" does not
// always mean a forged identity: often the signed identity was accepted in a response that is not for this service.

import { constants } from 'node:crypto';
import { SAML } from '@node-saml/node-saml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ACS,
  assertionXml,
  attributeXml,
  confirmationXml,
  encryptXml,
  IDP,
  REQUEST_ID,
  responseXml,
  SAML_NOW,
  SP,
  SUCCESS,
  signXml,
} from '../../../../test/support/identity/saml-provider.ts';
import { selfSigned } from '../../../../test/support/identity/x509.ts';
import { readIdpMetadata } from './metadata.ts';
import { type SamlConnection, type SamlVerification, verifySamlResponse } from './verify.ts';

const idp = selfSigned();
const foreign = selfSigned();
const service = selfSigned();

const encode = (xml: string): string => Buffer.from(xml).toString('base64');
const connection: SamlConnection = {
  entityId: IDP,
  certificates: [idp.pem],
  allowIdpInitiated: false,
  wantEncrypted: false,
  decryptionKey: service.privateKey,
};
const encrypting = { ...connection, wantEncrypted: true };

type Attack = { readonly response: string } & Partial<Omit<SamlVerification, 'response'>>;

const verify = (attack: Attack) =>
  verifySamlResponse({ connection, acsUrl: ACS, entityId: SP, requestId: REQUEST_ID, now: SAML_NOW, ...attack });

const nodeSamlAlone = async ({ response, connection: { certificates } = connection }: Attack): Promise<string> => {
  try {
    const saml = new SAML({
      ...{ callbackUrl: ACS, issuer: SP, idpCert: [...certificates], decryptionPvk: service.privateKey },
      ...{ wantAuthnResponseSigned: false, wantAssertionsSigned: false },
    });
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
    return profile === null ? 'refused' : 'accepted';
  } catch {
    return 'refused';
  }
};

const print = (line: string): void => {
  console.log(line);
};

// Documents. Signed ones are made once, because a signature takes most of the time.
const signAssertion = (assertion: string, key = idp.privateKey): string => signXml(assertion, 'Assertion', key);
const signResponse = (response: string, key = idp.privateKey): string => signXml(response, 'Response', key);
const signed = signAssertion(assertionXml());
const good = responseXml(signed);
const goodResponse = signResponse(responseXml(assertionXml()));
const signatureOf = (xml: string): string => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
const unsigned = (xml: string): string => xml.replace(signatureOf(xml), '');
const evil = assertionXml({ id: '_evil', nameId: 'admin@corp.example' });
const withSignature = (xml: string, signature: string): string =>
  xml.replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`);
const evilResponse = (signature: string, rest = ''): string =>
  withSignature(responseXml(evil + rest).replace('ID="_r1"', 'ID="_evil_r"'), signature);
const insideSignature = (signature: string, xml: string): string =>
  signature.replace('</ds:Signature>', () => `${xml}</ds:Signature>`);
const objectOf = (xml: string): string => `<ds:Object>${xml}</ds:Object>`;
const alter = (from: string | RegExp, to: string, xml = good): string => {
  const altered = xml.replace(from, to);
  if (altered === xml) throw new Error(`Nothing to alter: ${from}`);
  return altered;
};
const fieldAttack = (fields: Parameters<typeof assertionXml>[0]): string =>
  responseXml(signAssertion(assertionXml(fields)));

const assertionSignature = signatureOf(signed);
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
const NS_EVIL = 'urn:evil:confusion';

const xml = (...documents: readonly string[]): readonly Attack[] =>
  documents.map((document) => ({ response: encode(document) }));

const ATTACKS: Readonly<Record<string, () => readonly Attack[]>> = {
  'S1 XSW1, the signed Response inside its signature under a forged Response': () =>
    xml(evilResponse(insideSignature(signatureOf(goodResponse), unsigned(goodResponse)))),
  'S2 XSW2, the signed Response beside its signature under a forged Response': () =>
    xml(evilResponse(signatureOf(goodResponse), unsigned(goodResponse))),
  'S3 XSW3, a forged Assertion before the signed one': () => xml(responseXml(evil + signed)),
  'S4 XSW4, the signed Assertion as a child of a forged one': () =>
    xml(responseXml(evil.replace('</saml:Assertion>', `${signed}</saml:Assertion>`))),
  'S5 XSW5, the signature in a forged Assertion with the signed one at the end': () =>
    xml(responseXml(withSignature(evil, assertionSignature) + unsigned(signed))),
  'S6 XSW6, the signed Assertion inside the signature of a forged one': () =>
    xml(responseXml(withSignature(evil, insideSignature(assertionSignature, unsigned(signed))))),
  'S7 XSW7, a forged Assertion in Extensions with the signed one beside it': () =>
    xml(responseXml(`<samlp:Extensions>${assertionXml({ nameId: 'admin@corp.example' })}</samlp:Extensions>${signed}`)),
  'S8 XSW8, the signed Assertion in a ds:Object of a forged one': () =>
    xml(responseXml(withSignature(evil, insideSignature(assertionSignature, objectOf(unsigned(signed)))))),
  'S9 a forged Assertion before a signed Response': () =>
    xml(alter('</saml:Issuer><ds:', `</saml:Issuer>${evil}<ds:`, goodResponse)),
  'S10 the signed Assertion in Extensions, a forged one in its place': () =>
    xml(responseXml(`<samlp:Extensions>${signed}</samlp:Extensions>${evil}`)),
  'S11 a duplicate ID': () =>
    xml(responseXml(signed.replace('<saml:Subject>', '<saml:Subject ID="_a1">')), alter('ID="_r1"', 'ID="_a1"')),
  'S12 a ds:Object in the signature': () => xml(alter('</ds:Signature>', `${objectOf('<saml:x/>')}</ds:Signature>`)),
  'S13 two SignedInfo in one signature': () => {
    const signedInfo = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(good)?.[0] ?? '';
    return xml(
      alter(signedInfo, signedInfo + signedInfo),
      alter('</ds:Signature>', `<ds:KeyInfo>${signedInfo}</ds:KeyInfo></ds:Signature>`),
    );
  },
  'S14 a comment in the DigestValue': () => xml(alter('<ds:DigestValue>', '<ds:DigestValue><!--x-->')),
  'S15 an HMAC keyed with the public certificate': () =>
    xml(
      responseXml(
        signXml(assertionXml(), 'Assertion', idp.pem, {
          signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
        }),
      ),
    ),
  'S16 a foreign key, with its certificate in KeyInfo': () =>
    xml(responseXml(signXml(assertionXml(), 'Assertion', foreign.privateKey, { certificate: foreign.pem }))),
  'S17 another Audience': () => xml(fieldAttack({ audience: 'https://other.example' })),
  'S18 another Recipient': () => xml(fieldAttack({ recipient: 'https://other.example/acs' })),
  'S19 InResponseTo of another request': () =>
    xml(fieldAttack({ requestId: '_other' }), responseXml(signed, { requestId: '_other' })),
  'S20 no InResponseTo': () => xml(fieldAttack({ requestId: null }), responseXml(signed, { requestId: null })),
  'S21 another Issuer': () =>
    xml(fieldAttack({ issuer: 'https://evil.example' }), responseXml(signed, { issuer: 'https://evil.example' })),
  'S22 another Destination': () => xml(responseXml(signed, { destination: 'https://other.example/acs' })),
  'S23 a DOCTYPE': () =>
    xml(`<!DOCTYPE samlp:Response>${good}`, `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${good}`),
  'S24 a comment in the NameID': () =>
    xml(fieldAttack({ nameId: 'admin@corp.example<!--x-->.evil' }), alter('ada@', 'ada<!--x-->@')),
  'S25 a SHA-1 signature': () =>
    xml(responseXml(signXml(assertionXml(), 'Assertion', idp.privateKey, { signatureAlgorithm: RSA_SHA1 }))),
  'S26 a SHA-1 digest': () =>
    xml(responseXml(signXml(assertionXml(), 'Assertion', idp.privateKey, { digestAlgorithm: SHA1 }))),
  'S27 no signature': () => xml(responseXml(assertionXml())),
  'S28 an expired assertion': () => xml(fieldAttack({ end: -61 })),
  'S29 an assertion that is not valid yet': () => xml(fieldAttack({ start: 61 })),
  'S30 a failed Status, also over a signed assertion': () => {
    const failed = SUCCESS.replace('status:Success', 'status:Requester');
    const nested = SUCCESS.replace(
      '/></samlp:Status>',
      '><samlp:StatusCode Value="urn:x"/></samlp:StatusCode></samlp:Status>',
    );
    return xml(
      responseXml(signed, { status: failed }),
      responseXml(signed, { status: nested }),
      responseXml('', { status: failed }),
    );
  },
  'S31 two assertions, both signed': () => xml(responseXml(signed + signAssertion(evil))),
  'S32 Id, xml:id and a prefixed ID': () =>
    xml(
      ...['Id="_a1"', 'id="_a1"', 'xml:id="_a1"', 'saml:ID="_a1"'].map((id) =>
        responseXml(signed.replace('<saml:Subject>', `<saml:Subject ${id}>`)),
      ),
      alter('ID="_r1"', 'ID="_r1" Id="_a1"'),
    ),
  'S33 an empty reference URI': () =>
    xml(
      alter('URI="#_a1"', 'URI=""'),
      signXml(responseXml(assertionXml()), 'Response', idp.privateKey, { isEmptyUri: true }),
    ),
  'S34 XPath and XSLT transforms': () =>
    xml(
      ...['http://www.w3.org/TR/1999/REC-xpath-19991116', 'http://www.w3.org/TR/1999/REC-xslt-19991116'].map((uri) =>
        alter('<ds:Transforms>', `<ds:Transforms><ds:Transform Algorithm="${uri}"/>`),
      ),
    ),
  'S35 processing instructions and CDATA': () =>
    xml(
      alter('ada@corp.example', 'ada@corp<?x .example?>', good),
      responseXml(signAssertion(assertionXml({ nameId: 'admin@corp<?x .evil?>' }))),
      alter('ada@corp.example', '<![CDATA[ada@corp.example]]>'),
    ),
  'S36 entity, depth and node bombs': () => {
    const entities = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const deep = '<saml:x>'.repeat(1_000) + '</saml:x>'.repeat(1_000);
    return xml(
      entities + good,
      responseXml(`<samlp:Extensions>${deep}</samlp:Extensions>${signed}`),
      responseXml(`<samlp:Extensions>${'<saml:x/>'.repeat(5_000)}</samlp:Extensions>${signed}`),
    );
  },
  'S37 sign-in that the identity provider starts, where the connection forbids it': () => {
    const initiated = responseXml(signAssertion(assertionXml({ requestId: null })), { requestId: null });
    return [{ response: encode(initiated), requestId: null }, ...xml(initiated)];
  },
  'S39 a signature by the certificate of another connection': () => [
    { response: encode(good), connection: { ...connection, certificates: [foreign.pem] } },
  ],
  'S40 the request id of another state than RelayState names': () => [
    { response: encode(good), requestId: '_of_another_state' },
  ],
  'S41 no certificate, or none that is usable': () =>
    [[], [''], ['not a certificate'], [selfSigned({ bits: 1_024 }).pem], [selfSigned({ validTo: SAML_NOW }).pem]].map(
      (certificates) => ({ response: encode(good), connection: { ...connection, certificates } }),
    ),
  'S43 garbage, 64 KB, and 256 KB of plaintext': () => [
    ...['', '%%%', 'AAAA', ` ${encode(good)}`, `${encode(good)}\n`, encode('<'), encode('{}')].map((response) => ({
      response,
    })),
    ...xml(good.replace('</samlp:Response>', `${' '.repeat(50_000)}</samlp:Response>`)),
    {
      response: encode(responseXml(encryptXml(signed + ' '.repeat(262_144), service.pem))),
      connection: encrypting,
    },
  ],
  'S44 a relative namespace URI with the digest of an empty text': () => {
    const empty = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
    return xml(
      alter(/<ds:DigestValue>[^<]+/, `<ds:DigestValue>${empty}`).replace(
        '<saml:Assertion ',
        '<saml:Assertion xmlns:x="1" ',
      ),
      responseXml(signed, { xmlns: ' xmlns:x="relative"' }),
    );
  },
  'S45 attribute pollution': () =>
    xml(
      responseXml(signed.replace(' ID="_a1"', ' ID="_evil" ID="_a1"')),
      responseXml(signed.replace(' ID="_a1"', ' ID="_a1" samlp:ID="_evil"')),
      responseXml(signAssertion(assertionXml({ attributes: attributeXml('email', 'a') + attributeXml('email', 'b') }))),
    ),
  'S46 namespace confusion of Signature and Assertion': () =>
    xml(
      alter('</saml:Issuer><samlp:Status>', `</saml:Issuer><e:Signature xmlns:e="${NS_EVIL}"/><samlp:Status>`),
      responseXml(`<e:Assertion xmlns:e="${NS_EVIL}">${signed}</e:Assertion>`),
      responseXml(`<e:Assertion xmlns:e="${NS_EVIL}"/>${signed}`),
    ),
  'S47 a prefix list added to the canonicalisation': () => {
    const list = `<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="samlp"/>`;
    const method = /<ds:(CanonicalizationMethod) Algorithm="([^"]+)"\s*\/>/;
    return xml(
      alter(method, `<ds:$1 Algorithm="$2">${list}</ds:$1>`),
      alter(/<ds:(Transform) Algorithm="([^"]+c14n#)"\s*\/>/, `<ds:$1 Algorithm="$2">${list}</ds:$1>`),
    );
  },
  'S48 another encoding, declared or real': () => [
    ...xml(
      `<?xml version="1.0" encoding="ISO-8859-1"?>${good}`,
      `<?xml version="1.0" encoding="UTF-7"?>${good}`,
      `\ufeff${good}`,
    ),
    { response: Buffer.from(good, 'utf16le').toString('base64') },
    { response: Buffer.concat([Buffer.from(good), Buffer.from([0xff])]).toString('base64') },
  ],
  'S49 CBC and RSA 1.5': () => {
    const cbc = { cipher: 'aes-256-cbc', cipherUri: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' };
    const rsa15 = { keyUri: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5', padding: constants.RSA_PKCS1_PADDING };
    return [cbc, rsa15, { ...cbc, ...rsa15 }, { tamper: true }].map((options) => ({
      response: encode(responseXml(encryptXml(signed, service.pem, options))),
      connection: encrypting,
    }));
  },
  'S50 two SubjectConfirmations': () =>
    xml(fieldAttack({ confirmations: confirmationXml() + confirmationXml({ recipient: 'https://other.example' }) })),
  'S51 an undeclared prefix': () =>
    xml(
      alter('</saml:Issuer><samlp:Status>', '</saml:Issuer><nope:x/><samlp:Status>'),
      alter('ID="_r1"', 'ID="_r1" nope:y="1"'),
    ),
  'S52 text after the root': () =>
    xml(`${good}text`, `${good}<x/>`, `${good}text</samlp:Response>`, `text${good}`, `${good}a>`),
};

describe('attack documents', () => {
  // node-saml compares times with the clock of the process.
  beforeAll(() => void vi.useFakeTimers({ now: SAML_NOW, toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  it('the unaltered documents are accepted, so refusals have the named cause', async () => {
    expect(await verify({ response: encode(good) })).toMatchObject({
      ok: true,
      identity: { nameId: 'ada@corp.example' },
    });
    expect(await verify({ response: encode(goodResponse) })).toMatchObject({ ok: true });
    const encrypted = responseXml(encryptXml(signed, service.pem));
    expect(await verify({ response: encode(encrypted), connection: encrypting })).toMatchObject({ ok: true });
  });

  it.each(Object.entries(ATTACKS))('%s is refused', async (title, documents) => {
    const attacks = documents();
    const ours = await Promise.all(attacks.map(verify));
    const theirs = await Promise.all(attacks.map(nodeSamlAlone));
    const accepted = theirs.filter((answer) => answer === 'accepted').length;
    const wrong = ours.filter(({ ok }) => ok).length;
    const alone = accepted === 0 ? 'refused' : `accepted (${accepted} of ${attacks.length})`;
    print(`saml ${title.split(' ')[0]} ours ${wrong === 0 ? 'refused' : 'ACCEPTED'}, node-saml ${alone}`);
    expect(ours.map((result) => (result.ok ? 'accepted' : 'refused'))).toEqual(attacks.map(() => 'refused'));
  });

  it('S38 a replay, also four at once, has one assertion id, so an insert of the id lets one through', async () => {
    const attack = { response: encode(good) };
    const results = await Promise.all([1, 2, 3, 4].map(() => verify(attack)));
    const ids = results.map((result) =>
      result.ok ? `${result.identity.issuer} ${result.identity.assertionId}` : 'refused',
    );
    expect(new Set(ids)).toEqual(new Set([`${IDP} _a1`]));
    const alone = await Promise.all([1, 2, 3, 4].map(() => nodeSamlAlone(attack)));
    const count = alone.filter((answer) => answer === 'accepted').length;
    print(`saml S38 ours one assertion id, node-saml accepted (${count} of 4)`);
  });

  it('S42 metadata with a document type is refused', async () => {
    const metadata = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x xmlns="urn:x">&e;</x>';
    expect(await readIdpMetadata(metadata)).toEqual({ ok: false, reason: 'xml' });
    print('saml S42 ours refused, node-saml reads no metadata');
  });

  it('S49 every failure to decrypt has the same reason', async () => {
    const results = await Promise.all((ATTACKS['S49 CBC and RSA 1.5']?.() ?? []).map(verify));
    expect(new Set(results.map((result) => (result.ok ? 'ok' : result.reason)))).toEqual(new Set(['encryption']));
  });

  it('the table names all 52 attacks', () => {
    const ids = [...Object.keys(ATTACKS), 'S38 ', 'S42 '].map((title) => title.split(' ')[0]);
    expect(ids.toSorted()).toEqual(Array.from({ length: 52 }, (_, index) => `S${index + 1}`).toSorted());
  });
});
