// Checks and decrypts an EncryptedAssertion before node-saml does. node-saml decrypts CBC and RSA 1.5 too, whose errors let an
// attacker decrypt step by step (padding oracle). AES-GCM with RSA-OAEP alone is accepted, and every failure is the same.

import { constants, createDecipheriv, privateDecrypt } from 'node:crypto';
import { type GatedDocument, gateXml } from './gate.ts';
import { SamlRefusal } from './refusal.ts';
import { allElements, attributeOf, bytesOfBase64, DS_NS, onlyChild, XENC_NS, type XmlElement } from './xml.ts';

const RSA_OAEP = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p';
/** The digest of RSA-OAEP. SHA-1 does not weaken it, and Node has no SHA-256 with the MGF1-SHA-1 of this algorithm. */
const OAEP_DIGEST = 'http://www.w3.org/2000/09/xmldsig#sha1';
const CIPHERS = {
  'http://www.w3.org/2009/xmlenc11#aes128-gcm': { name: 'aes-128-gcm', keyBytes: 16 },
  'http://www.w3.org/2009/xmlenc11#aes256-gcm': { name: 'aes-256-gcm', keyBytes: 32 },
} as const;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const isCipher = (algorithm: string): algorithm is keyof typeof CIPHERS => Object.hasOwn(CIPHERS, algorithm);

const fail = (): never => {
  throw new SamlRefusal('encryption');
};

const required = (element: XmlElement, namespace: string, local: string): XmlElement =>
  onlyChild(element, namespace, local) ?? fail();

const cipherValueOf = (element: XmlElement): Buffer => {
  const value = required(required(element, XENC_NS, 'CipherData'), XENC_NS, 'CipherValue');
  // xmlsec breaks the lines of a cipher value.
  return value.children.length === 0 ? (bytesOfBase64(value.text.replaceAll(/\s/g, '')) ?? fail()) : fail();
};

// xml-encryption looks these names up at any depth, so each stands where it is read here and nowhere else.
const countOf = (element: XmlElement, name: string): number =>
  [...allElements(element)].filter(({ local }) => local === name).length;

const contentKey = (encryptedKey: XmlElement, privateKey: string): Buffer => {
  const method = required(encryptedKey, XENC_NS, 'EncryptionMethod');
  if (attributeOf(method, 'Algorithm') !== RSA_OAEP) return fail();
  const [digest, ...more] = method.children;
  if (more.length > 0) return fail();
  if (digest !== undefined) {
    const isDigest = digest.namespace === DS_NS && digest.local === 'DigestMethod';
    if (!isDigest || attributeOf(digest, 'Algorithm') !== OAEP_DIGEST) return fail();
  }
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, cipherValueOf(encryptedKey));
};

const decrypt = (encryptedAssertion: XmlElement, privateKey: string): string => {
  for (const [name, count] of Object.entries({
    EncryptedData: 1,
    EncryptedKey: 1,
    EncryptionMethod: 2,
    CipherValue: 2,
  })) {
    if (countOf(encryptedAssertion, name) !== count) return fail();
  }
  const encrypted = required(encryptedAssertion, XENC_NS, 'EncryptedData');
  const algorithm = attributeOf(required(encrypted, XENC_NS, 'EncryptionMethod'), 'Algorithm') ?? '';
  if (!isCipher(algorithm)) return fail();
  const { name, keyBytes } = CIPHERS[algorithm];
  const key = contentKey(required(required(encrypted, DS_NS, 'KeyInfo'), XENC_NS, 'EncryptedKey'), privateKey);
  const bytes = cipherValueOf(encrypted);
  // A shorter tag would be easier to forge.
  if (key.length !== keyBytes || bytes.length <= IV_BYTES + TAG_BYTES) return fail();
  const decipher = createDecipheriv(name, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
};

/**
 * The assertion inside an EncryptedAssertion, after the rules of structure.
 *
 * @throws SamlRefusal with the fault `encryption`, for every reason.
 */
export const gateEncryptedAssertion = async (
  encryptedAssertion: XmlElement,
  privateKey: string,
): Promise<GatedDocument> => {
  try {
    return await gateXml(decrypt(encryptedAssertion, privateKey), 'Assertion');
  } catch {
    return fail();
  }
};
