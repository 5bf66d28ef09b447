import { describe, expect, it } from 'vitest';
import { headerProblems, isOneLine } from './headers.ts';

describe('mail headers of a caller', () => {
  it('may be anything that is one line and not ours', () => {
    const headers = {
      'X-Campaign': 'Frühling "1", <ok>',
      'Auto-Submitted': 'auto-generated',
      References: '<1@x.test>',
    };
    expect([...headerProblems(headers)]).toEqual([]);
  });

  it.each(['\r\nBcc: eve@x.test', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'a\u001bb'])(
    'may not hold %j as a value',
    (value) => {
      expect([...headerProblems({ 'X-A': value }).keys()]).toEqual(['X-A']);
    },
  );

  it.each(['X A', 'X:A', 'X\r\nBcc', '', 'Ünicode', '1-A', 'X_A', '__proto__', 'X'.repeat(77)])(
    'may not be called %j',
    (name) => {
      expect([...headerProblems(Object.fromEntries([[name, 'v']])).keys()]).toEqual([name]);
    },
  );

  it.each([
    'To',
    'cc',
    'BCC',
    'From',
    'Sender',
    'Reply-To',
    'Subject',
    'Message-Id',
    'Date',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'DKIM-Signature',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'Return-Path',
    'Resent-To',
    'X-Service-Send-Id',
  ])('may not replace %s', (name) => {
    expect(headerProblems({ [name]: 'v' }).size).toBe(1);
  });

  it('may not be given twice in different case', () => {
    expect([...headerProblems({ 'X-A': '1', 'x-a': '2' }).keys()]).toEqual(['x-a']);
  });

  it('are lines of at most 998 octets', () => {
    expect(headerProblems({ 'X-A': 'v'.repeat(993) }).size).toBe(0);
    expect(headerProblems({ 'X-A': 'v'.repeat(994) }).size).toBe(1);
    expect(headerProblems({ 'X-A': 'ü'.repeat(497) }).size).toBe(1);
  });
});

describe('one line', () => {
  it('may hold a tab and nothing else that controls', () => {
    expect(isOneLine('a\tb')).toBe(true);
    expect(isOneLine('a\u0001b')).toBe(false);
    expect(isOneLine('a\u007fb')).toBe(false);
  });
});
