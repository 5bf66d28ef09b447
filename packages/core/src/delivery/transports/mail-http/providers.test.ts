import { describe, expect, it } from 'vitest';
import type { ApiReply } from '../../../../test/support/transports/mail-api.ts';
import {
  MAIL_PROVIDERS,
  type MailProviderUnderTest,
  mailProviderForTest,
} from '../../../../test/support/transports/mail-providers.ts';
import { postmarkError } from '../../../../test/support/transports/postmark-api.ts';
import { resendError } from '../../../../test/support/transports/resend-api.ts';
import type { EmailMessage, SendOutcome } from '../port.ts';

/** A mail that uses every field: a copy, whose header names another recipient than its envelope. */
const FULL: Partial<EmailMessage> = {
  messageId: '0190-row',
  envelope: { from: 'news@shop.test', to: 'dee@private-domain.test' },
  from: { email: 'news@shop.test', name: 'Shop "Grüße", Ltd.' },
  to: { email: 'ann@private-domain.test', name: 'Änn' },
  cc: [{ email: 'bob@private-domain.test', name: null }],
  replyTo: { email: 'help@bücher.test', name: 'Help' },
  subject: 'Grüße',
  text: 'Text',
  html: '<p>HTML</p>',
  headers: {
    'Message-ID': '<0190-row@shop.test>',
    'X-Service-Send-Id': 's-1',
    'List-Unsubscribe': '<https://shop.test/u/abc>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
  attachments: [
    { filename: 'logo.png', contentType: 'image/png', content: 'AAEC', cid: 'logo' },
    { filename: 'bill.pdf', contentType: 'application/pdf', content: 'AAEC', cid: null },
  ],
};
const LIST = { 'List-Unsubscribe': '<https://shop.test/u/abc>', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

const sent = async <S>(provider: MailProviderUnderTest<S>) => {
  const { api, send } = await mailProviderForTest(provider);
  expect(await send(api.mail(FULL))).toMatchObject({
    result: 'accepted',
    providerId: expect.stringMatching(/^[^<>]+$/),
  });
  return { fields: api.mails[0]?.fields, request: api.requests[0] };
};

/** The outcome of one mail per prepared answer. */
const outcomes = async <S>(provider: MailProviderUnderTest<S>, replies: readonly ApiReply[]) => {
  const { api, send } = await mailProviderForTest(provider);
  const found: string[] = [];
  for (const reply of replies) {
    api.replyNext(reply);
    const outcome: SendOutcome = await send(api.mail());
    const code = outcome.result === 'accepted' ? outcome.providerId : outcome.code;
    const more = 'address' in outcome ? ` ${outcome.address}` : 'processed' in outcome ? ` ${outcome.processed}` : '';
    found.push(`${outcome.result} ${code}${more}`);
    expect(JSON.stringify(outcome)).not.toContain('private-domain');
  }
  return found;
};
const ses = (status: number, name: string, message = 'no, not private-domain.test'): ApiReply => ({
  status,
  headers: { 'x-amzn-ErrorType': `${name}:http://internal.amazon.com/` },
  body: { message },
});

describe('Amazon SES', () => {
  it("SES receives the whole mail, the envelope, the message's argument and the configuration set", async () => {
    const { fields } = await sent(MAIL_PROVIDERS.ses);
    expect(fields).toMatchObject({
      Destination: { ToAddresses: ['dee@private-domain.test'] },
      EmailTags: [{ Name: 'messageId', Value: '0190-row' }],
      ConfigurationSetName: 'events',
      headers: {
        to: 'Änn <ann@private-domain.test>',
        cc: 'bob@private-domain.test',
        'message-id': '<0190-row@shop.test>',
        'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
        date: 'Sun, 01 Mar 2026 12:00:00 +0000',
      },
      raw: expect.stringContaining('Content-ID: <logo>'),
    });
  });

  it('SES errors distinguish mail, sender, recipient and account', async () => {
    expect(
      await outcomes(MAIL_PROVIDERS.ses, [
        ses(400, 'MessageRejected'),
        ses(400, 'MessageRejected', 'Email address is not verified. news@shop.test'),
        ses(400, 'MailFromDomainNotVerifiedException'),
        ses(400, 'BadRequestException', "Missing final '@domain'"),
        ses(400, 'BadRequestException'),
        ses(400, 'AccountSuspendedException'),
        ses(400, 'SendingPausedException'),
        ses(403, 'AccessDeniedException'),
        ses(403, 'ExpiredTokenException'),
        ses(400, 'ThrottlingException'),
        ses(400, 'LimitExceededException'),
        ses(500, 'InternalFailure'),
        { status: 404, body: '<html>' },
      ]),
    ).toEqual([
      'failed MessageRejected',
      'failed sender_rejected',
      'failed sender_rejected',
      'failed BadRequestException bounced',
      'failed BadRequestException',
      'credential AccountSuspendedException',
      'credential SendingPausedException',
      'credential AccessDeniedException',
      'credential ExpiredTokenException',
      'retry ThrottlingException no',
      'retry LimitExceededException no',
      'retry http_500 unknown',
      'failed http_404',
    ]);
  });

  it('an SES key that may only send passes the probe', async () => {
    const { api, probe } = await mailProviderForTest(MAIL_PROVIDERS.ses);
    expect(await probe()).toEqual({ result: 'accepted', providerId: null });
    api.replyNext(ses(403, 'AccessDeniedException'));
    expect(await probe()).toMatchObject({ result: 'accepted' });
    expect(await probe('wrong')).toMatchObject({ result: 'credential' });
    expect(api.requests.map(({ path }) => path)).toContain('/v2/email/account');
  });
});

describe('SendGrid', () => {
  it("SendGrid receives one recipient, headers, both bodies, files and the message's argument", async () => {
    const { fields } = await sent(MAIL_PROVIDERS.sendgrid);
    expect(fields).toEqual({
      personalizations: [{ to: [{ email: 'dee@private-domain.test' }] }],
      from: { email: 'news@shop.test', name: 'Shop "Grüße", Ltd.' },
      reply_to: { email: 'help@xn--bcher-kva.test', name: 'Help' },
      subject: 'Grüße',
      content: [
        { type: 'text/plain', value: 'Text' },
        { type: 'text/html', value: '<p>HTML</p>' },
      ],
      headers: { 'Message-ID': '<0190-row@shop.test>', 'X-Service-Send-Id': 's-1', ...LIST },
      custom_args: { messageId: '0190-row' },
      attachments: [
        { content: 'AAEC', filename: 'logo.png', type: 'image/png', disposition: 'inline', content_id: 'logo' },
        { content: 'AAEC', filename: 'bill.pdf', type: 'application/pdf', disposition: 'attachment' },
      ],
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
        subscription_tracking: { enable: false },
      },
    });
  });

  it('SendGrid errors distinguish recipient, sender and key, and rate limits give the wait', async () => {
    const errors = (field: string | null) => ({ errors: [{ field, message: 'no, not private-domain.test' }] });
    expect(
      await outcomes(MAIL_PROVIDERS.sendgrid, [
        { status: 400, body: errors('personalizations.0.to.0.email') },
        { status: 400, body: errors('from.email') },
        { status: 403, body: errors('from') },
        { status: 403, body: errors(null) },
        { status: 401, body: errors(null) },
        { status: 413, body: errors(null) },
        { status: 503, body: '' },
      ]),
    ).toEqual([
      'failed http_400 bounced',
      'failed sender_rejected',
      'failed sender_rejected',
      'credential http_403',
      'credential http_401',
      'failed http_413',
      'retry http_503 unknown',
    ]);
    const { api, send } = await mailProviderForTest(MAIL_PROVIDERS.sendgrid);
    api.replyNext({ status: 429, headers: { 'X-RateLimit-Reset': String(Date.UTC(2026, 2, 1, 12, 0, 20) / 1_000) } });
    expect(await send(api.mail())).toMatchObject({ result: 'retry', processed: 'no', retryAfterMs: 20_000 });
  });
});

describe('Postmark', () => {
  it("Postmark receives one recipient, a Message-ID to keep, files and the message's argument", async () => {
    const { fields } = await sent(MAIL_PROVIDERS.postmark);
    expect(fields).toEqual({
      From: '"Shop \\"Grüße\\", Ltd." <news@shop.test>',
      To: 'dee@private-domain.test',
      ReplyTo: '"Help" <help@xn--bcher-kva.test>',
      Subject: 'Grüße',
      TextBody: 'Text',
      HtmlBody: '<p>HTML</p>',
      Headers: [
        { Name: 'Message-ID', Value: '<0190-row@shop.test>' },
        { Name: 'X-PM-KeepID', Value: 'true' },
        { Name: 'X-Service-Send-Id', Value: 's-1' },
        ...Object.entries(LIST).map(([Name, Value]) => ({ Name, Value })),
      ],
      Metadata: { messageId: '0190-row' },
      TrackOpens: false,
      TrackLinks: 'None',
      Attachments: [
        { Name: 'logo.png', Content: 'AAEC', ContentType: 'image/png', ContentID: 'cid:logo' },
        { Name: 'bill.pdf', Content: 'AAEC', ContentType: 'application/pdf' },
      ],
    });
  });

  it('a Postmark outcome follows the error code of the answer', async () => {
    expect(
      await outcomes(MAIL_PROVIDERS.postmark, [
        postmarkError(422, 406),
        postmarkError(422, 300),
        postmarkError(422, 300, "Invalid 'To' address: 'ann@example'."),
        postmarkError(422, 300, "Invalid 'From' address: 'shop@example'."),
        postmarkError(422, 400),
        postmarkError(422, 401),
        postmarkError(422, 405),
        postmarkError(422, 412),
        postmarkError(422, 413),
        postmarkError(401, 10),
        postmarkError(503, 100),
        { status: 500, body: '' },
      ]),
    ).toEqual([
      'failed 406',
      'failed http_422',
      'failed 300 bounced',
      'failed http_422',
      'failed sender_rejected',
      'failed sender_rejected',
      'credential 405',
      'credential 412',
      'credential 413',
      'credential 10',
      'retry 100 no',
      'retry http_500 unknown',
    ]);
  });

  it('Postmark receives the message stream if one is configured', async () => {
    const { api, send } = await mailProviderForTest(MAIL_PROVIDERS.postmark, { messageStream: 'broadcast' });
    await send(api.mail());
    expect(api.mails[0]?.fields).toMatchObject({ MessageStream: 'broadcast' });
  });
});

describe('Mailgun', () => {
  it("Mailgun receives the whole mail, the envelope and the message's argument", async () => {
    const { fields } = await sent(MAIL_PROVIDERS.mailgun);
    expect(fields).toMatchObject({
      to: 'dee@private-domain.test',
      'v:messageId': '0190-row',
      'o:tracking': 'no',
      headers: {
        to: 'Änn <ann@private-domain.test>',
        cc: 'bob@private-domain.test',
        'message-id': '<0190-row@shop.test>',
        'list-unsubscribe': '<https://shop.test/u/abc>',
      },
    });
  });

  it('a Mailgun outcome follows status and text of the answer', async () => {
    const said = (status: number, message: string): ApiReply => ({ status, body: { message } });
    expect(
      await outcomes(MAIL_PROVIDERS.mailgun, [
        said(400, "'to' parameter is not a valid address. please check documentation"),
        said(400, 'to parameter is not a valid address. please check documentation'),
        said(400, "'from' parameter is not a valid address. please check documentation"),
        said(400, 'no, not private-domain.test'),
        said(403, 'Please add your own domain or add the address to authorized recipients'),
        said(403, 'Domain mg.shop.test is not allowed to send: account disabled'),
        said(404, 'Domain not found: mg.shop.test'),
        said(402, 'payment required'),
        { status: 401, body: 'Forbidden' },
        said(500, 'oh'),
      ]),
    ).toEqual([
      'failed http_400 bounced',
      'failed http_400 bounced',
      'failed sender_rejected',
      'failed http_400',
      'failed http_403',
      'credential http_403',
      'credential http_404',
      'credential http_402',
      'credential http_401',
      'retry http_500 unknown',
    ]);
  });
});

describe('Resend', () => {
  it("Resend receives one recipient, headers, files, the message's argument and an idempotency key", async () => {
    const { fields, request } = await sent(MAIL_PROVIDERS.resend);
    expect(request?.headers['idempotency-key']).toBe('0190-row');
    expect(fields).toEqual({
      from: '"Shop \\"Grüße\\", Ltd." <news@shop.test>',
      to: ['dee@private-domain.test'],
      reply_to: '"Help" <help@xn--bcher-kva.test>',
      subject: 'Grüße',
      text: 'Text',
      html: '<p>HTML</p>',
      headers: { 'Message-ID': '<0190-row@shop.test>', 'X-Service-Send-Id': 's-1', ...LIST },
      tags: [{ name: 'messageId', value: '0190-row' }],
      attachments: [
        { filename: 'logo.png', content: 'AAEC', content_type: 'image/png', content_id: 'logo' },
        { filename: 'bill.pdf', content: 'AAEC', content_type: 'application/pdf' },
      ],
    });
  });

  it('a Resend outcome follows the name of the error', async () => {
    expect(
      await outcomes(MAIL_PROVIDERS.resend, [
        resendError(422, 'validation_error', 'Invalid `to` field.'),
        resendError(422, 'validation_error', 'Missing `subject` field.'),
        resendError(403, 'validation_error', 'The shop.test domain is not verified.'),
        resendError(422, 'invalid_from_address'),
        resendError(403, 'invalid_api_key'),
        resendError(401, 'missing_api_key'),
        resendError(429, 'daily_quota_exceeded'),
        resendError(409, 'concurrent_idempotent_requests'),
        resendError(409, 'invalid_idempotent_request'),
        resendError(500, 'application_error'),
      ]),
    ).toEqual([
      'failed validation_error bounced',
      'failed validation_error',
      'failed sender_rejected',
      'failed sender_rejected',
      'credential invalid_api_key',
      'credential missing_api_key',
      'retry daily_quota_exceeded no',
      'retry concurrent_idempotent_requests no',
      'accepted null',
      'retry http_500 unknown',
    ]);
  });

  it('a Resend key that may only send passes the probe', async () => {
    const { api, probe } = await mailProviderForTest(MAIL_PROVIDERS.resend);
    api.replyNext(resendError(401, 'restricted_api_key'));
    expect(await probe()).toEqual({ result: 'accepted', providerId: null });
    expect(await probe('wrong')).toMatchObject({ result: 'credential', code: 'invalid_api_key' });
  });
});

describe('a provider of mail over HTTP', () => {
  it('a mail API receives no request for an ambiguous mail or an unsupported address', async () => {
    const { api, send } = await mailProviderForTest(MAIL_PROVIDERS.resend);
    const bad = api.to('a', { replyTo: { email: 'x@y.test>, <z@y.test', name: null } });
    expect(await send(bad)).toMatchObject({ result: 'failed', code: 'invalid_message' });
    expect(await send(api.to('jürgen'))).toMatchObject({ result: 'failed', code: 'smtputf8_unsupported' });
    expect(api.requests).toEqual([]);
  });

  it('a mail API receives no request if the settings are invalid', async () => {
    const { api, send } = await mailProviderForTest(MAIL_PROVIDERS.mailgun, { domain: '../x' });
    expect(await send(api.mail())).toMatchObject({ result: 'credential', code: 'settings_invalid' });
    expect(api.requests).toEqual([]);
  });
});
