import { describe, expect, it } from 'vitest';
import { certificateFor } from '../../../../test/support/email/callbacks/certificate.ts';
import { callbackContract, NOW } from '../../../../test/support/email/callbacks/contract.ts';
import { signSns } from '../../../../test/support/email/callbacks/signers.ts';
import { readCallback } from '../../callbacks/reader.ts';
import { sesReader } from './ses.ts';
import { certificateUrl, snsUrl } from './sns.ts';

const AT = '2026-03-01T11:59:30.000Z';
const at = new Date(AT);
const OURS = '01890000-0000-7000-8000-00000000000a';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail';
const CERTIFICATE = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-abc.pem';
const YEAR_MS = 365 * 86_400_000;
const span = [new Date(NOW.getTime() - YEAR_MS), new Date(NOW.getTime() + YEAR_MS)] as const;
const amazon = certificateFor('sns.amazonaws.com', span);

const event = (name: string, more: object = {}): string =>
  JSON.stringify({
    eventType: name,
    mail: { messageId: 's1', timestamp: AT, tags: { messageId: [OURS], 'ses:from-domain': ['x.test'] } },
    [name.toLowerCase()]: { timestamp: AT, ...more },
  });
const bounce = (bounceSubType: string, status: string, diagnosticCode: string): string =>
  event('Bounce', {
    bounceType: 'Permanent',
    bounceSubType,
    bouncedRecipients: [{ emailAddress: 'ann@example.com', action: 'failed', status, diagnosticCode }],
  });
const message = (more: Readonly<Record<string, string>>, when = NOW): Record<string, string> => ({
  Type: 'Notification',
  MessageId: 'n1',
  TopicArn: TOPIC,
  Timestamp: when.toISOString(),
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE,
  Message: event('Delivery'),
  ...more,
});
const fetched: string[] = [];
const reader = (pem = amazon.pem) =>
  sesReader({
    fetchCertificate: async (url) => {
      fetched.push(url.href);
      return pem;
    },
  });
const ofSes = { ids: ['n1'], providerIds: ['s1'], messageId: OURS, at };

callbackContract('Amazon SES', () => ({
  reader: reader(),
  secret: TOPIC,
  other: `${TOPIC}2`,
  signed: (body, when) => signSns(message({ Message: body }, when), amazon.privateKey),
  samples: [
    [event('Delivery'), [{ ...ofSes, type: 'delivered' }]],
    [event('Delivery').replace('eventType', 'notificationType'), [{ ...ofSes, type: 'delivered' }]],
    [
      event('Bounce', { bounceType: 'Permanent', bounceSubType: 'General' }),
      [{ ...ofSes, type: 'bounced', isPermanent: true, code: 'General' }],
    ],
    [
      event('Bounce', { bounceType: 'Transient', bounceSubType: 'MailboxFull' }),
      [{ type: 'bounced', isPermanent: false, code: 'MailboxFull' }],
    ],
    [event('Bounce', { bounceType: 'Undetermined' }), [{ type: 'bounced', isPermanent: false, isFinal: false }]],
    [
      bounce('NoEmail', '5.1.1', 'smtp; 550 5.1.1 user unknown'),
      [{ type: 'bounced', isPermanent: true, isFinal: true, code: 'NoEmail' }],
    ],
    [
      bounce('General', '5.0.0', 'smtp; 550 5.7.1 rejected by policy'),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1' }],
    ],
    [
      bounce('General', '5.2.2', 'smtp; 552 5.2.2 over quota'),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.2.2' }],
    ],
    [bounce('General', '5.0.0', 'smtp; 550 no such user'), [{ type: 'bounced', isPermanent: true, code: 'General' }]],
    // Decisions of SES, whatever status comes with them.
    ...['UnsubscribedRecipient', 'Suppressed', 'OnAccountSuppressionList', 'SomethingNew'].map(
      (subtype): readonly [string, readonly object[]] => [
        bounce(subtype, '5.1.1', 'Amazon SES did not send the mail'),
        [{ type: 'bounced', isPermanent: false, isFinal: true, code: subtype }],
      ],
    ),
    [
      event('Bounce', { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: 'none' }),
      [{ type: 'bounced', isPermanent: true }],
    ],
    [event('Complaint'), [{ type: 'complained' }]],
    [event('Open', { userAgent: 'Mozilla/5.0' }), [{ type: 'opened', userAgent: 'Mozilla/5.0' }]],
    [event('Click', { link: 'https://x.test/' }), [{ type: 'clicked', url: 'https://x.test/' }]],
    [event('Send'), [{ type: 'sent' }]],
    [event('Reject', { reason: 'Bad content' }), [{ type: 'failed', code: 'Reject', message: 'Bad content' }]],
    [event('DeliveryDelay'), [{ type: 'unrecognised', name: 'DeliveryDelay' }]],
    ['Successfully validated SNS topic for Amazon SES event publishing.', [{ type: 'unrecognised' }]],
  ],
  windowMs: 24 * 3_600_000,
  coversBody: false,
}));

describe('Amazon SES callbacks', () => {
  const read = (fields: Record<string, string>, { key = amazon.privateKey, pem = amazon.pem } = {}) =>
    readCallback(reader(pem), signSns(fields, key), [TOPIC], NOW);
  const subscription = {
    Type: 'SubscriptionConfirmation',
    Token: 't',
    Message: 'You have chosen to subscribe',
    SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t',
  };

  it('both signature versions are accepted, with and without a subject', async () => {
    for (const version of ['1', '2'])
      for (const subject of [{}, { Subject: 'Amazon SES' }])
        expect(await read(message({ SignatureVersion: version, ...subject }))).toMatchObject({ ok: true });
    expect(await read(message({ SignatureVersion: '3' }))).toMatchObject({ ok: false, reason: 'bad_signature' });
  });

  it('a change of any signed part is rejected', async () => {
    for (const name of ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type', 'Subject']) {
      const request = signSns(message({ Subject: 'x' }), amazon.privateKey);
      const body = JSON.parse(Buffer.from(request.rawBody).toString());
      body[name] = name === 'Timestamp' ? new Date(NOW.getTime() - 1_000).toISOString() : `${body[name]}x`;
      const changed = { ...request, rawBody: Buffer.from(JSON.stringify(body)) };
      expect(await readCallback(reader(), changed, [TOPIC, `${TOPIC}x`], NOW), name).toMatchObject({ ok: false });
    }
  });

  it('a foreign topic is rejected before a certificate is fetched', async () => {
    fetched.length = 0;
    const request = signSns(message({ TopicArn: `${TOPIC}-evil` }), amazon.privateKey);
    expect(await readCallback(reader(), request, [TOPIC], NOW)).toEqual({ ok: false, reason: 'bad_signature' });
    expect(fetched).toEqual([]);
  });

  it('only certificates from SNS are accepted', async () => {
    const evil = [
      'http://sns.eu-west-1.amazonaws.com/a.pem',
      'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
      'https://user@sns.eu-west-1.amazonaws.com/a.pem',
      'https://sns.eu-west-1.amazonaws.com.evil.com/a.pem',
      'https://evil.com/sns.eu-west-1.amazonaws.com/a.pem',
      'https://evil.com#.amazonaws.com/a.pem',
      'https://evil.com\\.amazonaws.com/a.pem',
      'https://s3.eu-west-1.amazonaws.com/a.pem',
      'https://sns.eu-west-1.amazonaws.com/a.pem?x=.pem',
      'https://sns.eu-west-1.amazonaws.com/a.txt',
      'https://sns.eu-west-1.amazonaws.com#/a.pem',
      'https://sns..amazonaws.com/a.pem',
      'https://127.0.0.1/a.pem',
      'nonsense',
    ];
    fetched.length = 0;
    for (const url of evil) {
      expect(certificateUrl(url), url).toBe(null);
      expect(await read(message({ SigningCertURL: url })), url).toEqual({ ok: false, reason: 'bad_signature' });
    }
    expect(fetched).toEqual([]);
    expect(certificateUrl('https://sns.cn-north-1.amazonaws.com.cn/a.pem')?.hostname).toBe(
      'sns.cn-north-1.amazonaws.com.cn',
    );
  });

  it('a valid certificate is cached for a day, an invalid one not at all', async () => {
    fetched.length = 0;
    const one = reader();
    const get = (now = NOW) => readCallback(one, signSns(message({}, now), amazon.privateKey), [TOPIC], now);
    await get();
    await get();
    expect(fetched).toEqual([CERTIFICATE]);
    await get(new Date(NOW.getTime() + 86_400_001));
    expect(fetched).toEqual([CERTIFICATE, CERTIFICATE]);
    const broken = reader('<html>not now</html>');
    for (const _ of [1, 2])
      expect(await readCallback(broken, signSns(message({}), amazon.privateKey), [TOPIC], NOW)).toMatchObject({
        ok: false,
      });
    expect(fetched).toHaveLength(4);
  });

  it('a certificate with a wrong name, time or chain is rejected', async () => {
    const authority = certificateFor('Amazon RSA 2048 M01', span);
    const issuer = { name: 'Amazon RSA 2048 M01', privateKey: authority.privateKey };
    const issued = certificateFor('sns.amazonaws.com', span, issuer);
    const stranger = certificateFor('Amazon RSA 2048 M01', span);
    const gone = certificateFor('sns.amazonaws.com', [span[0], new Date(NOW.getTime() - 1_000)]);
    const other = certificateFor('sns.amazonaws.com.evil.com', span);
    const by = ({ pem, privateKey }: typeof issued, more = '') =>
      read(message({}), { key: privateKey, pem: `${pem}${more}` });
    expect(await by(issued, authority.pem)).toMatchObject({ ok: true });
    for (const refused of [
      by(issued, stranger.pem),
      by(gone),
      by(other),
      read(message({}), { key: issued.privateKey }),
    ])
      expect(await refused).toEqual({ ok: false, reason: 'bad_signature' });
  });

  it('subscriptions are confirmed at SNS only', async () => {
    expect(await read(message(subscription))).toMatchObject({
      ok: true,
      events: [{ type: 'subscription', url: subscription.SubscribeURL }],
    });
    for (const url of [
      'https://169.254.169.254/',
      'https://evil.com/?sns.eu-west-1.amazonaws.com',
      'http://sns.eu-west-1.amazonaws.com/',
    ]) {
      expect(snsUrl(url)).toBe(null);
      expect(await read(message({ ...subscription, SubscribeURL: url }))).toEqual({ ok: false, reason: 'malformed' });
    }
  });
});
