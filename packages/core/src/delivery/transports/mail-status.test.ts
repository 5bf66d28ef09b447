import { describe, expect, it } from 'vitest';
import { codeText, enhancedCodeIn, isDeadAddress, replyCodeIn, reportedCode } from './mail-status.ts';

describe('enhanced status codes', () => {
  it.each([
    ['550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown', '5.1.1'],
    ['550-5.1.1 The email account does not exist.\n550 5.1.1 Learn more', '5.1.1'],
    ['smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found', '5.1.10'],
    ['5.2.2 mailbox full', '5.2.2'],
    ['550 #5.1.0 Address rejected.', '5.1.0'],
    ['Sorry, no mailbox here by that name. (#5.1.1)', '5.1.1'],
    ["smtp; 5.1.0 - Unknown address error 550-'5.7.1 rejected' (delivery attempts: 0)", '5.7.1'],
    ['554 5.0.0 Service unavailable (in reply to: 552 5.2.2 over quota)', '5.2.2'],
    ['550 5.0.0 Access denied', '5.0.0'],
    ['The code is 5.4.7.', '5.4.7'],
    ['550 No such user', null],
    ['550 host 5.1.1.9 said no', null],
    ['550 blocked by mx (Exim 4.94.2)', null],
    ['550 see https://example.com/5.1.1', null],
    ['550 5.1.1234', null],
    ['2.1.5 OK', null],
    ['', null],
  ])('are found in %j as %j', (text, expected) => {
    expect(enhancedCodeIn(text)).toBe(expected);
  });

  it.each([
    ['5.1.1', 'smtp; 550 5.7.1 blocked', '5.1.1'],
    ['5.1.8 (bad sender)', '', '5.1.8'],
    ['5.0.0', 'smtp; 550 5.7.1 rejected by policy', '5.7.1'],
    ['4.0.0', 'smtp; 550 5.1.1 unknown', '4.0.0'],
    ['', 'smtp; 552 5.2.2 mailbox full', '5.2.2'],
    ['5.0.0', 'smtp; 550 no such user', '5.0.0'],
    ['', 'smtp; 550 no such user', null],
    ['unknown', '', null],
  ])('of a report with status %j and text %j are %j', (status, text, expected) => {
    expect(reportedCode(status, text)).toBe(expected);
  });

  it('codes that call an address wrong, unknown or disabled suppress it', () => {
    for (const code of ['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10', '5.2.1'])
      expect(isDeadAddress(code, `550 ${code} no such user`), code).toBe(true);
  });

  it('all other enhanced codes leave the address unsuppressed', () => {
    const others = [
      '5.1.5',
      '5.1.7',
      '5.1.8',
      '5.1.9',
      '5.1.20',
      '5.1.90',
      '5.2.0',
      '5.2.2',
      '5.2.3',
      '5.2.4',
      '5.0.0',
    ];
    const subjects = ['5.3', '5.4', '5.5', '5.6', '5.7'].flatMap((one) =>
      ['0', '1', '4', '7'].map((end) => `${one}.${end}`),
    );
    for (const code of [...others, ...subjects, '4.1.1', '4.2.1', '5.1.11', '5.2.10', '2.1.1', '550', ''])
      expect(isDeadAddress(code, `550 ${code} no such user`), code).toBe(false);
  });

  it("5.1.0 is decided by its text, which may be about the sender or hold another server's code", () => {
    expect(isDeadAddress('5.1.0', '554 5.1.0 Sender denied')).toBe(false);
    expect(isDeadAddress('5.1.0', "5.1.0 - Unknown address error 550-'5.7.1 blocked'")).toBe(false);
    expect(isDeadAddress('5.1.0', "5.1.0 - Unknown address error 550-'5.1.1 no such user'")).toBe(true);
    expect(isDeadAddress('5.1.0', "5.1.0 - Unknown address error 550-'no such user'")).toBe(true);
  });

  it("the explanation of a code never repeats a server's text", () => {
    for (const code of ['5.1.1', '5.1.8', '5.2.2', '5.2.3', '5.3.4', '5.4.4', '5.4.7', '4.4.7', '5.6.0', '5.7.26'])
      expect(codeText(code, 'secret words'), code).toMatch(/^The [a-z ]+\.$/);
    expect(codeText('5.0.0', '')).toBe(null);
  });
});

describe('reply codes', () => {
  it.each([
    ['smtp; 550 No such user', '550'],
    ['550-Blocked', '550'],
    ['smtp;421', '421'],
    ['host 192.0.2.550 said', null],
    ['order 1550 failed', null],
    ['250 OK', null],
  ])('in %j are %j', (text, expected) => {
    expect(replyCodeIn(text)).toBe(expected);
  });
});
