import { createECDH } from 'node:crypto';
import type { SettingsProblem } from '../port.ts';

/** What a project needs for Web Push: the key pair that its browsers subscribed with, and whom to write to. */
export type WebPushSettings = {
  /** The point of P-256, uncompressed: 65 bytes as base64url without padding. */
  readonly publicKey: string;
  /** 32 bytes as base64url without padding. */
  readonly privateKey: string;
  /** `mailto:` an address, or an https URL: where a push service turns to. */
  readonly subject: string;
};

const CURVE = 'prime256v1';
const PUBLIC_BYTES = 65;
const PRIVATE_BYTES = 32;
const BASE64URL = /^[\w-]{1,128}$/;
const MAILTO = /^mailto:[^\s@<>]+@[^\s@<>]+$/;
const MAX_SUBJECT = 254;

/** True for an uncompressed point: what comes before its coordinates is a 4. Source: SEC 1, 2.3.3. */
export const isPoint = (bytes: Uint8Array): boolean => bytes.length === PUBLIC_BYTES && bytes[0] === 4;

const bytesOf = (text: string): Buffer => (BASE64URL.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0));

/** The public half of a private key; null where the number is none of the curve's. */
const publicOf = (privateKey: Buffer): Buffer | null => {
  const curve = createECDH(CURVE);
  try {
    curve.setPrivateKey(privateKey);
    return curve.getPublicKey();
  } catch {
    return null;
  }
};

const isSubject = (subject: string): boolean => {
  if (subject.length > MAX_SUBJECT) return false;
  if (MAILTO.test(subject)) return !subject.endsWith('@localhost');
  const url = URL.parse(subject);
  // Apple refuses a subject that points to localhost.
  return url?.protocol === 'https:' && url.hostname !== 'localhost';
};

/** What is wrong with settings; empty when nothing is. Asks nobody. Throws nothing. */
export const checkWebPush = ({ publicKey, privateKey, subject }: WebPushSettings): readonly SettingsProblem[] => {
  const problems: SettingsProblem[] = [];
  const unless = (isRight: boolean, field: keyof WebPushSettings, message: string): void => {
    if (!isRight) problems.push({ field, message });
  };
  const point = bytesOf(publicKey);
  const secret = bytesOf(privateKey);
  const derived = secret.length === PRIVATE_BYTES ? publicOf(secret) : null;
  unless(isPoint(point), 'publicKey', 'The public key must be 65 bytes as base64url, the first of them 4.');
  unless(derived !== null, 'privateKey', 'The private key must be 32 bytes as base64url, a number of P-256.');
  if (isPoint(point) && derived)
    unless(derived.equals(point), 'privateKey', 'The private key does not belong to the public key.');
  unless(isSubject(subject), 'subject', 'The subject must be mailto: an address, or an https URL, not of localhost.');
  return problems;
};

/** A new key pair for `WebPushSettings`. Browsers that subscribed with another one are lost to it. */
export const generateVapidKeys = async (): Promise<Pick<WebPushSettings, 'publicKey' | 'privateKey'>> =>
  (await import('web-push')).default.generateVAPIDKeys();
