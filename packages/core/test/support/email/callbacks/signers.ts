// Requests as providers would post them, in their documented forms and with their signatures.

import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { CallbackRequest } from '../../../../src/messaging/callbacks/reader.ts';
import { signedText } from '../../../../src/messaging/email/callbacks/sns.ts';

/** A request, with the secret that signed it. */

export const requestOf = (
  provider: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): CallbackRequest => ({
  method: 'POST',
  url: new URL(`https://push.example/api/v1/email/webhooks/${provider}`),
  headers: new Headers(headers),
  rawBody: Buffer.from(body),
});

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1_000));

const svixKey = Buffer.alloc(24, 'resend');
/** The secret of Resend. */
export const RESEND_SECRET = `whsec_${svixKey.toString('base64')}`;
export const signResend = (body: string, at: Date, id = 'msg_1', key: Uint8Array = svixKey): CallbackRequest => {
  const code = createHmac('sha256', key)
    .update(`${id}.${seconds(at)}.${body}`)
    .digest('base64');
  return requestOf('resend', body, {
    'svix-id': id,
    'svix-timestamp': seconds(at),
    'svix-signature': `v1,${code}`,
  });
};

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const spkiOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64');
/** The public key of SendGrid, as its settings show it. */
export const SENDGRID_KEY = spkiOf(pair.publicKey);
/** A foreign key. */
export const OTHER_SENDGRID_KEY = spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
export const signSendgrid = (body: string, at: Date): CallbackRequest =>
  requestOf('sendgrid', body, {
    'x-twilio-email-event-webhook-timestamp': seconds(at),
    'x-twilio-email-event-webhook-signature': createSign('sha256')
      .update(seconds(at))
      .update(body)
      .sign(pair.privateKey, 'base64'),
  });

/** The webhook signing key of Mailgun. */
export const MAILGUN_KEY = 'key-mailgun';
export const signMailgun = (event: object, at: Date, token = 'token-1', key = MAILGUN_KEY): CallbackRequest => {
  const timestamp = seconds(at);
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return requestOf('mailgun', JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event }));
};

export const signPostmark = (record: object, user = 'hook', password = 'pass'): CallbackRequest =>
  requestOf('postmark', JSON.stringify(record), {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  });

/** An SNS message signed with this key. */
export const signSns = (fields: Readonly<Record<string, string>>, key: KeyObject): CallbackRequest => {
  const digest = fields['SignatureVersion'] === '2' ? 'sha256' : 'sha1';
  const Signature = sign(digest, Buffer.from(signedText(fields) ?? ''), key).toString('base64');
  return requestOf('ses', JSON.stringify({ ...fields, Signature }));
};
