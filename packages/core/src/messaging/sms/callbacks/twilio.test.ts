import { createHash } from 'node:crypto';
import twilio from 'twilio';
import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../../test/support/growth.ts';
import { type CallbackRequest, readCallback } from '../../callbacks/reader.ts';
import { twilioReader } from './twilio.ts';

const TOKEN = '12345678901234567890123456789012';
const URL_ = 'https://beckon.shop.test/api/v1/sms/webhooks/twilio/org?m=01890000-0000-7000-8000-000000000001';
const SID = `SM${'1'.repeat(32)}`;
const STATUS = { MessageSid: SID, SmsSid: SID, MessageStatus: 'delivered', To: '+14155550123', From: '+14155550100' };
const INBOUND = {
  MessageSid: SID,
  SmsStatus: 'received',
  From: '+14155550123',
  To: '+14155550100',
  Body: 'Grüße & "co" + 50% 😀\n',
  NumMedia: '1',
  MediaUrl0: 'https://api.twilio.com/media/1',
};
const now = new Date('2026-03-01T12:00:00.000Z');

const requestOf = (
  fields: Readonly<Record<string, string | readonly string[]>> | string,
  { url = URL_, signedFor = url, token = TOKEN, signature }: { [key: string]: string | undefined } = {},
): CallbackRequest => {
  const form = new URLSearchParams();
  if (typeof fields !== 'string')
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  const params = typeof fields === 'string' ? {} : fields;
  const made = signature ?? twilio.getExpectedTwilioSignature(token ?? '', signedFor ?? '', params);
  const headers = new Headers(made === '' ? {} : { 'x-twilio-signature': made });
  const rawBody = Buffer.from(typeof fields === 'string' ? fields : form.toString());
  return { method: 'POST', url: new URL(url ?? ''), headers, rawBody };
};
const read = (request: CallbackRequest, secrets: readonly string[] = [TOKEN]) =>
  readCallback(twilioReader, request, secrets, now);

describe('Twilio callbacks', () => {
  it("the signature equals that of Twilio's library for any fields", async () => {
    const odd = { ...INBOUND, Z: ['b', 'a', 'b'], a: '', 'k=&': 'é' };
    for (const fields of [STATUS, INBOUND, odd]) {
      const request = requestOf(fields);
      const signature = request.headers.get('x-twilio-signature') ?? '';
      expect(twilio.validateRequest(TOKEN, signature, URL_, fields)).toBe(true);
      expect(await read(request)).toMatchObject({ ok: true });
    }
  });

  it('a signature over the URL with or without the default port is accepted', async () => {
    const plain = 'https://beckon.shop.test/x';
    const withPort = 'https://beckon.shop.test:443/x';
    const other = 'https://beckon.shop.test:8443/x';
    expect(await read(requestOf(STATUS, { url: plain, signedFor: withPort }))).toMatchObject({ ok: true });
    expect(await read(requestOf(STATUS, { url: withPort, signedFor: plain }))).toMatchObject({ ok: true });
    expect(await read(requestOf(STATUS, { url: other, signedFor: other }))).toMatchObject({ ok: true });
    expect(await read(requestOf(STATUS, { url: other, signedFor: plain }))).toMatchObject({ ok: true });
    expect(await read(requestOf(STATUS, { url: plain, signedFor: other }))).toMatchObject({ ok: false });
    expect(await read(requestOf(STATUS, { url: 'https://h/h', signedFor: 'https://h:443/h' }))).toMatchObject({
      ok: true,
    });
  });

  it('a JSON body whose hash is in the URL is accepted', async () => {
    const body = JSON.stringify({ MessageSid: SID, MessageStatus: 'sent', To: '+14155550123' });
    const hash = createHash('sha256').update(body).digest('hex');
    const url = `${URL_}&bodySHA256=${hash}`;
    const request = requestOf(body, { url });
    const signature = request.headers.get('x-twilio-signature') ?? '';
    expect(twilio.validateRequestWithBody(TOKEN, signature, url, body)).toBe(true);
    expect(await read(request)).toMatchObject({ ok: true, events: [{ type: 'sent', providerIds: [SID] }] });
    expect(await read({ ...request, rawBody: Buffer.from(`${body} `) })).toEqual({
      ok: false,
      reason: 'bad_signature',
    });
    expect(
      await read(requestOf('[]', { url: `${URL_}&bodySHA256=${createHash('sha256').update('[]').digest('hex')}` })),
    ).toEqual({ ok: false, reason: 'malformed' });
  });

  it('a changed field, URL, secret or signature, and a missing signature, are rejected', async () => {
    const good = requestOf(STATUS);
    const changed = Buffer.from(Buffer.from(good.rawBody).toString().replace('delivered', 'failed'));
    expect(await read({ ...good, rawBody: changed })).toEqual({ ok: false, reason: 'bad_signature' });
    const elsewhere = new URL(URL_.replace('m=0', 'm=1'));
    expect(await read({ ...good, url: elsewhere })).toEqual({ ok: false, reason: 'bad_signature' });
    expect(await read(good, ['another'])).toEqual({ ok: false, reason: 'bad_signature' });
    expect(await read(good, ['another', TOKEN])).toMatchObject({ ok: true });
    expect(await read(good, [])).toEqual({ ok: false, reason: 'no_secret' });
    expect(await read(requestOf(STATUS, { signature: 'AAAA' }))).toEqual({ ok: false, reason: 'bad_signature' });
    expect(await read(requestOf(STATUS, { signature: '' }))).toEqual({ ok: false, reason: 'unsigned' });
    expect(await read(requestOf({ a: 'b' }))).toEqual({ ok: false, reason: 'malformed' });
  });

  it('a post with a body and without a delivery status is the same inbound text as one with a status', async () => {
    const { SmsStatus: _, ...bare } = INBOUND;
    const announced = await read(requestOf(INBOUND));
    expect(announced).toMatchObject({ ok: true, events: [{ type: 'inbound', body: INBOUND.Body }] });
    expect(await read(requestOf(bare))).toEqual(announced);
    expect(await read(requestOf({ ...bare, MessageStatus: '' }))).toEqual(announced);
    // A picture message has an empty body.
    expect(await read(requestOf({ ...bare, Body: '' }))).toMatchObject({ events: [{ type: 'inbound', body: '' }] });
    const { Body: _body, ...neither } = bare;
    expect(await read(requestOf(neither))).toEqual({ ok: false, reason: 'malformed' });
    // A delivery report may repeat the message's body.
    expect(await read(requestOf({ ...STATUS, Body: 'Hi' }))).toMatchObject({ events: [{ type: 'delivered' }] });
  });

  it('a request with very many fields costs Beckon less than its sender', async () => {
    const many = requestOf({ ...STATUS, a: Array.from({ length: 900 }, (_, at) => String(at)) });
    expect(await read(many)).toMatchObject({ ok: true });
    for (const [part, head] of [
      ['a&', ''],
      ['&', ''],
      ['b=c&', `MessageSid=${SID}&`],
    ] as const) {
      const make = (bytes: number) => requestOf(head + part.repeat(bytes / part.length), { signature: 'AAAA' });
      const request = make(1_048_000);
      expect(twilioReader.claimedIds(request)).toEqual([]);
      expect(twilioReader.parse(request)).toBeNull();
      expect(await read(request)).toEqual({ ok: false, reason: 'bad_signature' });
      const look = (one: typeof request): void => {
        twilioReader.claimedIds(one);
        twilioReader.parse(one);
      };
      expect(growthOf(make, look, 65_500)).toBeLessThan(LINEAR);
    }
  });

  it.each([
    ['accepted', []],
    ['queued', []],
    ['sending', []],
    ['sent', [{ type: 'sent' }]],
    ['delivered', [{ type: 'delivered' }]],
    ['read', [{ type: 'delivered' }]],
    ['undelivered', [{ type: 'failed', code: '30003', isOptedOut: false }]],
    ['failed', [{ type: 'failed', code: '30003' }]],
    ['canceled', [{ type: 'failed', code: '30003' }]],
    ['unheard_of', [{ type: 'unrecognised', name: 'unheard_of' }]],
  ])('the status %s is mapped and names its message', async (status, events) => {
    const request = requestOf({ ...STATUS, MessageStatus: status, ErrorCode: '30003' });
    const about = {
      ids: [`${SID}/${status}`],
      providerIds: [SID],
      messageId: '01890000-0000-7000-8000-000000000001',
      to: '+14155550123',
    };
    const verdict = await read(request);
    expect(verdict).toMatchObject({ ok: true, events: events.map((event) => ({ ...about, ...event })) });
    expect('events' in verdict && verdict.events).toHaveLength(events.length);
    expect(twilioReader.claimedIds(request)).toEqual([SID]);
    expect(await read(request)).toEqual(verdict);
  });

  it('an opt-out differs from other failures', async () => {
    const failed = { ...STATUS, MessageStatus: 'failed' };
    expect(await read(requestOf({ ...failed, ErrorCode: '21610' }))).toMatchObject({
      events: [{ code: '21610', isOptedOut: true }],
    });
    expect(await read(requestOf(failed))).toMatchObject({ events: [{ code: 'failed', isOptedOut: false }] });
  });

  it('an inbound text is read completely and the reply is empty', async () => {
    expect(await read(requestOf(INBOUND))).toMatchObject({
      events: [
        {
          type: 'inbound',
          from: '+14155550123',
          to: '+14155550100',
          body: INBOUND.Body,
          service: null,
          keyword: null,
          mediaUrls: ['https://api.twilio.com/media/1'],
        },
      ],
      reply: { contentType: 'text/xml; charset=utf-8', body: '<Response/>' },
    });
    const stop = { ...INBOUND, Body: 'Weg damit', OptOutType: 'STOP', MessagingServiceSid: `MG${'2'.repeat(32)}` };
    expect(await read(requestOf(stop))).toMatchObject({
      events: [{ keyword: 'stop', service: `MG${'2'.repeat(32)}` }],
    });
    expect(await read(requestOf({ ...INBOUND, OptOutType: 'OTHER' }))).toMatchObject({ events: [{ keyword: null }] });
  });
});
