import { describe, expect, it } from 'vitest';
import { DELIVERY_REPORTS, REPORTED_MESSAGE } from '../../../test/support/email/delivery-reports.ts';
import { growthOf, LINEAR } from '../../../test/support/growth.ts';
import { messageOfReturnPath, readBounceMail, returnPathOf } from './bounce-mail.ts';

const ID = '01890000-0000-7000-8000-000000000001';

const dsn = (action: string, status: string, { encoding = '7bit', fold = '' } = {}) => {
  const text = `Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; ann@example.com\r\nAction: ${action}\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; 550 5.9.9 other words\r\n`;
  const body = encoding === 'base64' ? Buffer.from(text).toString('base64') : text;
  return Buffer.from(
    [
      `Delivered-To: b+${ID}@bounces.example`,
      'From: MAILER-DAEMON@mx.example',
      `Content-Type: multipart/report; report-type=delivery-status;${fold} boundary="b1"`,
      '',
      'A preamble that says Status: 5.1.1',
      '--b1',
      'Content-Type: text/plain',
      '',
      'Action: failed',
      'Status: 5.1.1',
      '--b1',
      'Content-Type: message/delivery-status; charset=us-ascii',
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      body,
      '--b1--',
      '',
    ].join('\r\n'),
  );
};
const arf = (type: string, more = '') =>
  Buffer.from(
    [
      'To: fbl@example.com',
      'Content-Type: multipart/report; boundary=b2; report-type=feedback-report',
      '',
      '--b2',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      'User-Agent: Provider/1.0',
      more,
      '',
      '--b2--',
    ].join('\n'),
  );

describe('delivery status notifications', () => {
  const OUTCOMES = {
    listed: { isPermanent: true, isFinal: true },
    failed: { isPermanent: false, isFinal: true },
    noted: { isPermanent: false, isFinal: false },
  };

  it.each(DELIVERY_REPORTS.map((sample) => [sample.says, sample] as const))(
    'a report lists the address, fails the message, or changes nothing: %s',
    (_, { mail, expected }) => {
      const read = readBounceMail(Buffer.from(mail, 'latin1'));
      if (expected === null) return expect(read).toBeNull();
      const { code, outcome } = expected;
      expect(read).toMatchObject({ kind: 'bounced', code, ...OUTCOMES[outcome] });
      expect(messageOfReturnPath(read?.recipients ?? [])).toBe(REPORTED_MESSAGE);
    },
  );

  it('the stored explanation repeats no text of the report', () => {
    for (const { says, mail } of DELIVERY_REPORTS) {
      const read = readBounceMail(Buffer.from(mail, 'latin1'));
      if (read?.kind === 'bounced') expect(read.message, says).toMatch(/^(?:The|A) [a-z ]+\.$/);
    }
  });
});

describe('bounce and complaint emails', () => {
  it.each([
    ['failed', '5.1.1', { kind: 'bounced', isPermanent: true, code: '5.1.1' }],
    ['failed', '5.0.0 (other)', { kind: 'bounced', isPermanent: false, code: '5.0.0' }],
    ['Failed', '5.2.2', { kind: 'bounced', isPermanent: false, code: '5.2.2' }],
    ['failed', '5.7.26', { kind: 'bounced', isPermanent: false, code: '5.7.26' }],
    ['delayed', '4.4.1', null],
    ['failed', '4.4.7', { kind: 'bounced', isPermanent: false, isFinal: true, code: '4.4.7' }],
    ['failed', '5.1.8', { kind: 'bounced', isPermanent: false, isFinal: true, code: '5.1.8' }],
    ['delivered', '2.0.0', null],
    ['delayed', '5.1.1', null],
  ])('action %s with status %s is classified', (action, status, expected) => {
    for (const options of [{}, { encoding: 'base64' }, { fold: '\r\n\t' }]) {
      const read = readBounceMail(dsn(action, status, options));
      if (expected === null) expect(read).toBeNull();
      else expect(read).toMatchObject({ ...expected, recipients: [`b+${ID}@bounces.example`] });
    }
  });

  it('a feedback report is a complaint unless it says that the email was wanted', () => {
    expect(readBounceMail(arf('abuse', `Original-Mail-From: <b+${ID}@bounces.example>`))).toEqual({
      kind: 'complained',
      recipients: [`<b+${ID}@bounces.example>`],
    });
    expect(readBounceMail(arf('fraud'))).toEqual({ kind: 'complained', recipients: [] });
    for (const type of ['not-spam', 'auth-failure', '']) expect(readBounceMail(arf(type))).toBeNull();
  });

  it('an email without a report is ignored', () => {
    const broken = dsn('failed', '5.1.1').toString();
    for (const text of [
      '',
      'no header',
      'Content-Type: text/plain\n\nAction: failed\nStatus: 5.1.1',
      broken.replace('boundary="b1"', ''),
      broken.replace('message/delivery-status', 'text/plain'),
      broken.replace('report-type=delivery-status', 'report-type=disposition-notification'),
    ])
      expect(readBounceMail(Buffer.from(text)), text.slice(0, 40)).toBeNull();
  });

  it('parsing time is bounded, whatever the email contains', () => {
    const head = 'Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n';
    for (const make of [
      (bytes: number) => head + '\n--x'.repeat(bytes / 4),
      (bytes: number) => `${head}--x\nContent-Type: message/delivery-status\n\n${'\n'.repeat(bytes)}`,
      (bytes: number) => `${'A: b\n '.repeat(bytes / 6)}\n\n`,
      (bytes: number) => `${'A: b\n'.repeat(bytes / 5)}\n\n`,
    ])
      expect(growthOf((bytes) => Buffer.from(make(bytes)), readBounceMail, 120_000)).toBeLessThan(LINEAR);
  });

  it('the return path names the message', () => {
    const path = returnPathOf(ID, 'bounces.example');
    expect(path).toBe(`b+${ID}@bounces.example`);
    expect(messageOfReturnPath(['ann@example.com', `<${path.toUpperCase()}>`])).toBe(ID);
    for (const other of ['b+1@bounces.example', `ab+${ID}@bounces.example`, `b+${ID}`, ID, ''])
      expect(messageOfReturnPath([other])).toBeNull();
  });
});
