import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type CallbackRequest, readCallback } from '../../callbacks/reader.ts';
import { telnyxReader } from './telnyx.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const PUBLIC = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const other = generateKeyPairSync('ed25519');
const OTHER = other.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
const ID = '40385f64-5717-4562-b3fc-2c963f66afa6';
const EVENT = '86f58db9-0fe3-4adc-9d1f-46e66e6e9323';
const PROFILE = '4000eba1-a0c0-4563-9925-b25e842a7cb6';
const now = new Date('2026-03-01T12:00:00.000Z');
const NOW_SECONDS = now.getTime() / 1_000;

const statusOf = (type: string, status: string, errors: readonly unknown[] = []) => ({
  data: {
    record_type: 'event',
    id: EVENT,
    event_type: type,
    occurred_at: '2026-03-01T11:59:58.000+00:00',
    payload: { id: ID, direction: 'outbound', to: [{ phone_number: '+14155550123', status }], errors },
  },
});
const INBOUND = {
  data: {
    id: EVENT,
    event_type: 'message.received',
    occurred_at: '2026-03-01T11:59:58.000Z',
    payload: {
      id: ID,
      direction: 'inbound',
      from: { phone_number: '+14155550123' },
      to: [{ phone_number: '+14155550100', status: 'webhook_delivered' }],
      text: 'Grüße 😀',
      messaging_profile_id: PROFILE,
      media: [{ url: 'https://media.telnyx.com/1.png', content_type: 'image/png' }],
    },
  },
};

const requestOf = (body: unknown, seconds = NOW_SECONDS, headers: Record<string, string> = {}): CallbackRequest => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = sign(null, Buffer.from(`${seconds}|${text}`), privateKey).toString('base64');
  const own = { 'telnyx-timestamp': `${seconds}`, 'telnyx-signature-ed25519': signature, ...headers };
  return {
    method: 'POST',
    url: new URL('https://beckon.shop.test/api/v1/sms/webhooks/telnyx/org?m=01890000-0000-7000-8000-000000000001'),
    headers: new Headers(Object.entries(own).filter(([, value]) => value !== '')),
    rawBody: Buffer.from(text),
  };
};
const read = (request: CallbackRequest, secrets: readonly string[] = [PUBLIC]) =>
  readCallback(telnyxReader, request, secrets, now);

describe('Telnyx callbacks', () => {
  it('a callback signed for one of the keys is accepted', async () => {
    expect(await read(requestOf(INBOUND))).toMatchObject({ ok: true });
    expect(await read(requestOf(INBOUND), [OTHER, PUBLIC])).toMatchObject({ ok: true });
  });

  it('a changed callback, another key, and a missing signature or timestamp are rejected', async () => {
    const good = requestOf(INBOUND);
    const refused = { ok: false, reason: 'bad_signature' };
    expect(await read({ ...good, rawBody: Buffer.concat([good.rawBody, Buffer.from('\n')]) })).toEqual(refused);
    expect(await read(good, [OTHER])).toEqual(refused);
    expect(await read(good, ['no key', ''])).toEqual(refused);
    expect(await read(good, [])).toEqual({ ok: false, reason: 'no_secret' });
    expect(await read(requestOf(INBOUND, NOW_SECONDS, { 'telnyx-timestamp': `${NOW_SECONDS + 1}` }))).toEqual(refused);
    expect(await read(requestOf(INBOUND, NOW_SECONDS, { 'telnyx-timestamp': 'soon' }))).toEqual(refused);
    expect(await read(requestOf(INBOUND, NOW_SECONDS, { 'telnyx-timestamp': '' }))).toMatchObject({
      reason: 'unsigned',
    });
    expect(await read(requestOf(INBOUND, NOW_SECONDS, { 'telnyx-signature-ed25519': '' }))).toMatchObject({
      reason: 'unsigned',
    });
    expect(await read(requestOf('{}'))).toEqual({ ok: false, reason: 'malformed' });
    expect(await read(requestOf('no JSON'))).toEqual({ ok: false, reason: 'malformed' });
  });

  it('a post with a text, without event type and delivery status, is an inbound text', async () => {
    const { event_type: _, payload, ...data } = INBOUND.data;
    const bare = { data: { ...data, payload: { ...payload, to: [{ phone_number: '+14155550100' }] } } };
    expect(await read(requestOf(bare))).toEqual(await read(requestOf(INBOUND)));
    const reported = { data: { ...data, payload: { ...payload, to: [{ status: 'delivered' }] } } };
    expect(await read(requestOf(reported))).toEqual({ ok: false, reason: 'malformed' });
    const silent = { data: { ...bare.data, payload: { ...bare.data.payload, text: null } } };
    expect(await read(requestOf(silent))).toEqual({ ok: false, reason: 'malformed' });
  });

  it('bodies nested too deeply are not read', () => {
    const within = (levels: number): CallbackRequest => {
      const text = JSON.stringify({ ...statusOf('message.sent', 'sent'), deep: 0 });
      const rawBody = Buffer.from(text.replace('"deep":0', `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`));
      return { method: 'POST', url: new URL('https://beckon.test/x'), headers: new Headers(), rawBody };
    };
    expect(telnyxReader.parse(within(31))?.events).toHaveLength(1);
    expect(telnyxReader.parse(within(32))).toBe(null);
  });

  it('a callback may be at most 5 minutes old or ahead', async () => {
    for (const seconds of [-300, 300])
      expect(await read(requestOf(INBOUND, NOW_SECONDS + seconds))).toMatchObject({ ok: true });
    for (const seconds of [-301, 301])
      expect(await read(requestOf(INBOUND, NOW_SECONDS + seconds))).toEqual({ ok: false, reason: 'stale' });
  });

  it.each([
    ['message.sent', 'sent', { type: 'sent' }],
    ['message.finalized', 'delivered', { type: 'delivered' }],
    ['message.finalized', 'delivery_unconfirmed', { type: 'sent' }],
    ['message.finalized', 'delivery_failed', { type: 'failed', code: '40012', isOptedOut: false }],
    ['message.finalized', 'sending_failed', { type: 'failed', code: '40012' }],
    ['message.finalized', 'expired', { type: 'failed', code: '40012' }],
    ['message.finalized', 'unheard_of', { type: 'unrecognised', name: 'message.finalized/unheard_of' }],
    ['call.hangup', 'delivered', { type: 'unrecognised' }],
  ])('the event %s with status %s is mapped and names its message', async (type, status, expected) => {
    const request = requestOf(statusOf(type, status, [{ code: '40012', title: 'x' }]));
    expect(await read(request)).toMatchObject({
      ok: true,
      events: [
        {
          ids: [EVENT],
          providerIds: [ID],
          messageId: '01890000-0000-7000-8000-000000000001',
          to: '+14155550123',
          at: new Date('2026-03-01T11:59:58.000Z'),
          ...expected,
        },
      ],
    });
    expect(telnyxReader.claimedIds(request)).toContain(ID);
  });

  it('an opt-out differs from other failures, and a missing code has a default', async () => {
    const failed = (errors: readonly unknown[]) => requestOf(statusOf('message.finalized', 'sending_failed', errors));
    expect(await read(failed([{ code: '40300' }]))).toMatchObject({ events: [{ isOptedOut: true }] });
    expect(await read(failed([]))).toMatchObject({ events: [{ code: 'sending_failed', isOptedOut: false }] });
  });

  it('an inbound text is read completely', async () => {
    expect(await read(requestOf(INBOUND))).toMatchObject({
      events: [
        {
          type: 'inbound',
          from: '+14155550123',
          to: '+14155550100',
          body: 'Grüße 😀',
          service: PROFILE,
          keyword: null,
          mediaUrls: ['https://media.telnyx.com/1.png'],
        },
      ],
    });
  });
});
