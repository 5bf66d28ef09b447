import { describe, expect, it } from 'vitest';
import { callbackContract, NOW } from '../../../../test/support/email/callbacks/contract.ts';
import {
  MAILGUN_KEY,
  OTHER_SENDGRID_KEY,
  RESEND_SECRET,
  requestOf,
  SENDGRID_KEY,
  signMailgun,
  signPostmark,
  signResend,
  signSendgrid,
} from '../../../../test/support/email/callbacks/signers.ts';
import { readCallback } from '../../callbacks/reader.ts';
import { mailgunReader } from './mailgun.ts';
import { postmarkReader } from './postmark.ts';
import { resendReader } from './resend.ts';
import { sendgridReader } from './sendgrid.ts';

const AT = '2026-03-01T11:59:30.000Z';
const at = new Date(AT);
const SECONDS = at.getTime() / 1_000;
const OURS = '01890000-0000-7000-8000-00000000000a';
const UA = 'Mozilla/5.0 (Macintosh)';

const resend = (type: string, more: object = {}): string =>
  JSON.stringify({ type, created_at: AT, data: { email_id: 'r1', tags: { messageId: OURS }, to: ['a@b.c'], ...more } });
const ofResend = { ids: ['msg_1'], providerIds: ['r1'], messageId: OURS, at };

callbackContract('Resend', () => ({
  reader: resendReader(),
  secret: RESEND_SECRET,
  other: `whsec_${Buffer.alloc(24, 'x').toString('base64')}`,
  signed: (body, when) => signResend(body, when),
  samples: [
    [resend('email.delivered'), [{ ...ofResend, type: 'delivered' }]],
    [resend('email.sent', { tags: [{ name: 'messageId', value: OURS }] }), [{ ...ofResend, type: 'sent' }]],
    [
      resend('email.bounced', { bounce: { type: 'Permanent', subType: 'General' } }),
      [{ ...ofResend, type: 'bounced', isPermanent: true, code: 'General' }],
    ],
    [
      resend('email.bounced', { bounce: { type: 'Transient', subType: 'MailboxFull' } }),
      [{ type: 'bounced', isPermanent: false, code: 'MailboxFull' }],
    ],
    [
      resend('email.bounced', {
        bounce: { type: 'Permanent', subType: 'General', diagnosticCode: ['smtp; 550 5.7.1 blocked'] },
      }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1' }],
    ],
    [
      resend('email.bounced', { bounce: { type: 'Permanent', subType: 'Suppressed', message: 'On a list.' } }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: 'Suppressed' }],
    ],
    [resend('email.bounced'), [{ type: 'bounced', isPermanent: false, isFinal: false, code: null }]],
    [resend('email.complained'), [{ type: 'complained' }]],
    [resend('email.opened'), [{ type: 'opened', userAgent: null }]],
    [
      resend('email.clicked', { click: { link: 'https://x.test/', userAgent: UA } }),
      [{ type: 'clicked', url: 'https://x.test/', userAgent: UA }],
    ],
    [resend('email.failed', { failed: { reason: 'quota' } }), [{ type: 'failed', message: 'quota' }]],
    [resend('email.scheduled'), [{ type: 'unrecognised', name: 'email.scheduled' }]],
  ],
  windowMs: 300_000,
  coversBody: true,
}));

const sendgrid = (...events: readonly object[]): string =>
  // As SendGrid sends it: one line per event, with CRLF at the end, which is signed too.
  `${JSON.stringify(
    events.map((event, index) => ({
      email: 'a@b.c',
      timestamp: SECONDS,
      sg_event_id: `e${index}`,
      sg_message_id: 'g1.filter0001.12345-0',
      messageId: OURS,
      ...event,
    })),
  ).replaceAll('},{', '},\r\n{')}\r\n`;
const ofSendgrid = { ids: ['e0'], providerIds: ['g1.filter0001.12345-0', 'g1'], messageId: OURS, at };

callbackContract('SendGrid', () => ({
  reader: sendgridReader(),
  secret: SENDGRID_KEY,
  other: OTHER_SENDGRID_KEY,
  signed: (body, when) => signSendgrid(body, when),
  samples: [
    [sendgrid({ event: 'delivered' }), [{ ...ofSendgrid, type: 'delivered' }]],
    [
      sendgrid(
        { event: 'processed' },
        { event: 'open', useragent: UA, sg_machine_open: true },
        { event: 'group_resubscribe' },
      ),
      [
        { type: 'sent' },
        { type: 'opened', ids: ['e1'], userAgent: UA, isMachine: true },
        { type: 'unrecognised', name: 'group_resubscribe' },
      ],
    ],
    [
      sendgrid(
        { event: 'bounce', type: 'bounce', status: '5.1.1' },
        { event: 'bounce', type: 'blocked', status: '4.7.1' },
        { event: 'bounce', type: 'blocked', status: '5.1.1', reason: '550 5.1.1 unknown' },
      ),
      [
        { type: 'bounced', isPermanent: true, code: '5.1.1' },
        { type: 'bounced', isPermanent: false, isFinal: true, code: '4.7.1' },
        { type: 'bounced', isPermanent: false, isFinal: true, code: '5.1.1' },
      ],
    ],
    [
      sendgrid(
        { event: 'bounce', type: 'bounce', status: '5.0.0', reason: '550 5.7.1 rejected by policy' },
        { event: 'bounce', type: 'bounce', status: '5.2.2', reason: '552 5.2.2 mailbox full' },
        { event: 'bounce', type: 'bounce', status: '550', reason: '550 no', bounce_classification: 'Reputation' },
        { event: 'bounce', type: 'bounce', status: '5.0.0', bounce_classification: 'Unclassified' },
        { event: 'bounce', type: 'bounce', status: '5.0.0', bounce_classification: 'Invalid Address' },
        { event: 'bounce', type: 'bounce', status: '5.1.1', bounce_classification: 'Unclassified' },
        { event: 'bounce', type: 'bounce', status: '550', reason: '550 no such user' },
      ),
      [
        { type: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1' },
        { type: 'bounced', isPermanent: false, isFinal: true, code: '5.2.2' },
        { type: 'bounced', isPermanent: false, isFinal: true, code: '550' },
        { type: 'bounced', isPermanent: false, isFinal: true, code: '5.0.0' },
        { type: 'bounced', isPermanent: true, isFinal: true, code: '5.0.0' },
        { type: 'bounced', isPermanent: true, isFinal: true, code: '5.1.1' },
        { type: 'bounced', isPermanent: true, isFinal: true, code: '550' },
      ],
    ],
    [
      // SendGrid's lists and account limits: the recipient's server was not asked.
      sendgrid(
        ...['Bounced Address', 'Invalid', 'Unsubscribed Address', 'Spam Reporting Address'].map((reason) => ({
          event: 'dropped',
          reason,
        })),
      ),
      ['Bounced Address', 'Invalid', 'Unsubscribed Address', 'Spam Reporting Address'].map((code) => ({
        type: 'bounced' as const,
        isPermanent: false,
        isFinal: true,
        code,
      })),
    ],
    [
      sendgrid({ event: 'spamreport' }, { event: 'click', url: 'https://x.test/', useragent: UA }),
      [{ type: 'complained' }, { type: 'clicked', url: 'https://x.test/', userAgent: UA, isMachine: false }],
    ],
    ['[]', []],
  ],
  windowMs: 25 * 3_600_000,
  coversBody: true,
}));

const mailgun = (event: string, more: object = {}): string =>
  JSON.stringify({
    id: 'ev1',
    event,
    timestamp: SECONDS + 0.25,
    message: { headers: { 'message-id': 'm1@mg.example' } },
    'user-variables': { messageId: OURS },
    ...more,
  });
const ofMailgun = {
  providerIds: ['<m1@mg.example>', 'm1@mg.example'],
  messageId: OURS,
  at: new Date(SECONDS * 1_000 + 250),
};

callbackContract('Mailgun', () => ({
  reader: mailgunReader(),
  secret: MAILGUN_KEY,
  other: 'key-other',
  signed: (body, when) => signMailgun(JSON.parse(body), when),
  samples: [
    [mailgun('delivered'), [{ ...ofMailgun, ids: ['token:token-1', 'ev1'], type: 'delivered' }]],
    [
      mailgun('failed', { severity: 'permanent', reason: 'bounce', 'delivery-status': { code: 550 } }),
      [{ type: 'bounced', isPermanent: true, isFinal: true, code: 'bounce' }],
    ],
    [
      mailgun('failed', {
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': { code: 550, 'enhanced-code': '5.7.1', message: 'Rejected by policy' },
      }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1' }],
    ],
    [
      mailgun('failed', {
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': { code: 552, 'bounce-code': '5.0.0', message: 'smtp; 552 5.2.2 over quota' },
      }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.2.2' }],
    ],
    [
      mailgun('failed', {
        severity: 'permanent',
        reason: 'bounce',
        'delivery-status': { code: 550, message: '5.1.1 <ann@example.com>: User unknown' },
      }),
      [{ type: 'bounced', isPermanent: true, isFinal: true, code: 'bounce' }],
    ],
    // Decisions of Mailgun, whatever code comes with them.
    ...['old', 'espblock', 'generic', 'suppress-bounce', 'suppress-complaint', 'suppress-unsubscribe', 'new-one'].map(
      (reason): readonly [string, readonly object[]] => [
        mailgun('failed', {
          severity: 'permanent',
          reason,
          'delivery-status': { code: 550, message: '5.1.1 unknown' },
        }),
        [{ type: 'bounced', isPermanent: false, isFinal: true, code: reason }],
      ],
    ),
    [
      mailgun('failed', { severity: 'temporary', 'delivery-status': { code: 451 } }),
      [{ type: 'bounced', isPermanent: false, isFinal: false, code: '451' }],
    ],
    [mailgun('complained'), [{ type: 'complained' }]],
    [
      mailgun('opened', { 'client-info': { 'user-agent': UA, bot: 'apple' } }),
      [{ type: 'opened', userAgent: UA, isMachine: true }],
    ],
    [
      mailgun('clicked', { url: 'https://x.test/', 'client-info': { 'user-agent': UA, bot: '' } }),
      [{ type: 'clicked', url: 'https://x.test/', userAgent: UA, isMachine: false }],
    ],
    [mailgun('accepted'), [{ type: 'sent' }]],
    [mailgun('unsubscribed'), [{ type: 'unrecognised', name: 'unsubscribed' }]],
  ],
  windowMs: 72 * 3_600_000,
  coversBody: false,
}));

const postmark = (RecordType: string, more: object): string =>
  JSON.stringify({ RecordType, MessageID: 'p1', Recipient: 'a@b.c', Metadata: { messageId: OURS }, ...more });
const ofPostmark = { providerIds: ['p1'], messageId: OURS, at };

callbackContract('Postmark', () => ({
  reader: postmarkReader(),
  secret: `authorization:Basic ${Buffer.from('hook:pass').toString('base64')}`,
  other: `authorization:Basic ${Buffer.from('hook:word').toString('base64')}`,
  signed: (body) => signPostmark(JSON.parse(body)),
  samples: [
    [postmark('Delivery', { DeliveredAt: AT }), [{ ...ofPostmark, ids: [], type: 'delivered' }]],
    [
      postmark('Bounce', { ID: 42, Type: 'HardBounce', BouncedAt: '2026-03-01T06:59:30.0000000-05:00' }),
      [{ ...ofPostmark, ids: ['Bounce/42'], type: 'bounced', isPermanent: true, code: 'HardBounce' }],
    ],
    [
      postmark('Bounce', { ID: 43, Type: 'SoftBounce', BouncedAt: AT }),
      [{ type: 'bounced', isPermanent: false, isFinal: false, code: 'SoftBounce' }],
    ],
    [
      postmark('Bounce', { ID: 46, Type: 'HardBounce', Details: 'smtp;550 5.7.1 blocked', BouncedAt: AT }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: '5.7.1' }],
    ],
    [
      postmark('Bounce', { ID: 47, Type: 'HardBounce', Details: 'smtp;550 5.1.1 unknown', BouncedAt: AT }),
      [{ type: 'bounced', isPermanent: true, isFinal: true, code: 'HardBounce' }],
    ],
    [
      postmark('Bounce', { ID: 48, Type: 'ManuallyDeactivated', Details: '550 5.1.1', BouncedAt: AT }),
      [{ type: 'bounced', isPermanent: false, isFinal: true, code: 'ManuallyDeactivated' }],
    ],
    [postmark('Bounce', { ID: 44, Type: 'AutoResponder', BouncedAt: AT }), [{ type: 'unrecognised' }]],
    [postmark('SpamComplaint', { ID: 45, BouncedAt: AT }), [{ type: 'complained' }]],
    [postmark('Open', { ReceivedAt: AT, UserAgent: UA }), [{ type: 'opened', userAgent: UA }]],
    [
      postmark('Click', { ReceivedAt: AT, OriginalLink: 'https://x.test/', UserAgent: UA }),
      [{ type: 'clicked', url: 'https://x.test/', userAgent: UA }],
    ],
    [postmark('SubscriptionChange', { ChangedAt: AT }), [{ type: 'unrecognised', name: 'SubscriptionChange' }]],
  ],
  windowMs: null,
  coversBody: false,
}));

describe('Postmark callbacks', () => {
  it('a Postmark callback may be authenticated by a header instead of a password', async () => {
    const request = requestOf('postmark', postmark('Delivery', { DeliveredAt: AT }), { 'x-webhook-secret': 's3cret' });
    expect(await readCallback(postmarkReader(), request, ['x-webhook-secret:s3cret'], NOW)).toMatchObject({ ok: true });
    for (const secret of ['authorization:s3cret', 'x-webhook-secret:s3cre', 'x-webhook-secret:', 's3cret'])
      expect(await readCallback(postmarkReader(), request, [secret], NOW)).toMatchObject({ reason: 'bad_signature' });
  });
});

describe('SendGrid callbacks', () => {
  it('the signature of a SendGrid callback covers the final line break', async () => {
    const request = signSendgrid(sendgrid({ event: 'delivered' }), NOW);
    const { rawBody } = request;
    const trimmed = { ...request, rawBody: rawBody.subarray(0, rawBody.length - 2) };
    expect(await readCallback(sendgridReader(), trimmed, [SENDGRID_KEY], NOW)).toMatchObject({ ok: false });
  });

  it('a SendGrid event with wrong types is ignored', () => {
    const { parse } = sendgridReader();
    for (const odd of [{ event: 1 }, { event: 'open', timestamp: 'soon' }, { event: 'open', timestamp: 1e30 }])
      expect(parse(signSendgrid(sendgrid(odd), NOW)), JSON.stringify(odd)).toBe(null);
  });
});
