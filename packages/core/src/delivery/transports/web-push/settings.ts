import { createECDH } from 'node:crypto';
import type { SettingsProblem } from '../port.ts';

/** A project's Web Push settings: the VAPID key pair of its subscriptions, and a contact. */
export type WebPushSettings = {
  /** The uncompressed point of P-256: 65 bytes as base64url without padding. */
  readonly publicKey: string;
  /** 32 bytes as base64url without padding. */
  readonly privateKey: string;
  /** `mailto:` with an address, or an https URL: the contact for push services. */
  readonly subject: string;
};

const CURVE = 'prime256v1';
const PUBLIC_BYTES = 65;
const PRIVATE_BYTES = 32;
const BASE64URL = /^[\w-]{1,128}$/;
const MAILTO = /^mailto:[^\s@<>]+@[^\s@<>]+$/;
const MAX_SUBJECT = 254;

/** True for an uncompressed point, which begins with 4. Source: SEC 1, 2.3.3. */
export const isPoint = (bytes: Uint8Array): boolean => bytes.length === PUBLIC_BYTES && bytes[0] === 4;

const bytesOf = (text: string): Buffer => (BASE64URL.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0));

/** The public key of a private key; null if the number is outside the curve's range. */
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

/** Problems of the settings; empty if valid. No network. Throws nothing. */
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

/** Generates a key pair for `WebPushSettings`. Subscriptions made with another pair stop working with it. */
export const generateVapidKeys = async (): Promise<Pick<WebPushSettings, 'publicKey' | 'privateKey'>> =>
  (await import('web-push')).default.generateVAPIDKeys();
