import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { hmacSha256 } from '../foundation/hash.ts';
import { newSigningSecret, signingKeyOf } from '../foundation/signing-secret.ts';
import { signedHeaders } from './sign.ts';

const id = '0198d2a5-0000-7000-8000-000000000001';
const body = Buffer.from('{"type":"email.delivered","data":{"name":"Zoë 🦊"}}\r\n');
const [secret, older] = [newSigningSecret(), newSigningSecret()];
/** The public verifiers look at the machine's clock and refuse what is older than five minutes. */
const at = new Date();

const verifiers = {
  standardwebhooks: (key: string) => new StandardWebhook(key),
  svix: (key: string) => new SvixWebhook(key),
};

describe('signedHeaders', () => {
  it.each(Object.entries(verifiers))(
    'is accepted by %s, with either of two secrets and with no third one',
    (_, make) => {
      const headers = signedHeaders({ id, at, body, secrets: [secret, older] });
      for (const key of [secret, older]) expect(() => make(key).verify(body.toString(), { ...headers })).not.toThrow();
      expect(() => make(newSigningSecret()).verify(body.toString(), { ...headers })).toThrow('No matching signature');
    },
  );

  it.each(Object.entries(verifiers))('%s rejects a signature if one byte of the body or the id differs', (_, make) => {
    const headers = signedHeaders({ id, at, body, secrets: [secret] });
    expect(() => make(secret).verify(body.toString().trimEnd(), { ...headers })).toThrow();
    expect(() => make(secret).verify(body.toString(), { ...headers, 'webhook-id': 'other' })).toThrow();
  });

  it('X-Service-Signature has the time, the id and one v1 per secret, newest first', () => {
    const moment = new Date('2026-03-01T10:00:00.999Z');
    const hex = (key: string): string =>
      Buffer.from(hmacSha256(signingKeyOf(key), Buffer.from(`${id}.1772359200.${body}`))).toString('hex');
    expect(signedHeaders({ id, at: moment, body, secrets: [secret, older] })).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': '1772359200',
      'x-service-signature': `t=1772359200,id=${id},v1=${hex(secret)},v1=${hex(older)}`,
    });
  });

  it('the signature covers the bytes of the body, text or not', () => {
    const bytes = Uint8Array.of(0xff, 0x00, 0x0d, 0x0a);
    const content = Buffer.concat([Buffer.from(`${id}.1772359200.`), bytes]);
    const { 'x-service-signature': signature } = signedHeaders({
      id,
      at: new Date(1_772_359_200_000),
      body: bytes,
      secrets: [secret],
    });
    expect(signature?.split('v1=')[1]).toBe(Buffer.from(hmacSha256(signingKeyOf(secret), content)).toString('hex'));
  });
});
