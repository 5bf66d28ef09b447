import { describe, expect, it } from 'vitest';
import { smtpOutcome } from './outcome.ts';

const refused = (command: string, response: string, attempt = 1) => {
  const error = Object.assign(new Error('refused'), {
    code: 'EENVELOPE',
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  });
  return smtpOutcome(error, false, attempt);
};

describe('a refusal by a mail server', () => {
  it('a temporary refusal of a recipient or a mail is retried for longer than servers greylist', () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => {
      const outcome = refused(
        'RCPT TO',
        '450 4.2.0 <ann@example.com>: Recipient address rejected: Greylisted',
        attempt,
      );
      return outcome.result === 'retry' ? (outcome.retryAfterMs ?? 0) / 60_000 : 0;
    });
    expect(waits).toEqual([1, 2, 5, 15, 30]);
    expect(refused('DATA', '451 4.7.1 Try later')).toMatchObject({ result: 'retry', retryAfterMs: 60_000 });
    for (const [command, reply] of [
      ['MAIL FROM', '451 4.3.0 Busy'],
      ['RCPT TO', '421 4.7.0 Too many'],
      ['RCPT TO', '503 Out of sequence'],
    ] as const)
      expect(refused(command, reply), reply).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    ['550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table', '5.1.1'],
    ['550-5.2.1 The email account that you tried to reach is\n550 5.2.1 disabled.', '5.2.1'],
    ['550 #5.1.0 Address rejected.', '5.1.0'],
    ['556 5.1.10 Recipient address has null MX', '5.1.10'],
    ['552 5.1.1 unknown', '5.1.1'],
    ['550 No such user', '550'],
    ['553 sorry, no mailbox here by that name', '553'],
  ])('lists the recipient for %j', (response, code) => {
    expect(refused('RCPT TO', response)).toMatchObject({ result: 'failed', code, address: 'bounced' });
    for (const command of ['MAIL FROM', 'DATA']) expect(refused(command, response)).not.toHaveProperty('address');
  });

  it.each([
    ['553 5.1.8 <news@shop.test>: Sender address rejected: Domain not found', 'sender_rejected'],
    ['550 5.1.7 Invalid sender', 'sender_rejected'],
    ['554 5.1.0 Sender denied', 'sender_rejected'],
    ['550 5.1.20 Multiple From addresses are not allowed', '5.1.20'],
    ['552 5.2.2 Over quota', '5.2.2'],
    ['552 5.2.3 Message exceeds maximum size', '5.2.3'],
    ['550 5.0.0 Access denied', '5.0.0'],
    ['550 5.4.1 Recipient address rejected: Access denied', '5.4.1'],
    ['554 5.5.0 Too many recipients', '5.5.0'],
    ['550 Your host is on a list of blocked hosts (#5.7.1)', '5.7.1'],
    ['550 5.7.1 Service unavailable; client host blocked', '5.7.1'],
    ['552 5.7.0 This message was blocked', '5.7.0'],
    ['554 Refused', '554'],
  ])('keeps the address of the recipient for %j', (response, code) => {
    const outcome = refused('RCPT TO', response);
    expect(outcome).toMatchObject({ result: 'failed', code });
    expect(outcome).not.toHaveProperty('address');
  });
});
