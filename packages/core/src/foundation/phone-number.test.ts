import { describe, expect, it } from 'vitest';
import { isSender, phoneNumber } from './phone-number.ts';

describe('phoneNumber', () => {
  it.each(['+14155550123', '+491701234567', '+6834000', '+123456789012345'])('phoneNumber accepts %s', (number) => {
    expect(phoneNumber(number)).toBe(number);
  });

  it.each([
    '+1 415 555 0123',
    '+1 (415) 555-0123',
    '+1\u00a0415\u2011555\u2013 0123',
    '+1.415.555.0123',
    '+1(415)5550123',
    '\u0085+14155550123\n',
    '+[1] 415 555 0123',
  ])('phoneNumber removes the separators of %j', (text) => {
    expect(phoneNumber(text)).toBe('+14155550123');
  });

  it.each([
    '',
    '14155550123',
    '1 415 555 0123',
    '+44 (0)20 7946 0958',
    '0014155550123',
    '+0155550123',
    '+123456',
    '+1234567890123456',
    '+1415555０123',
    '+1/415/5550123',
    '+14155550123,+14155550124',
    'whatsapp:+14155550123',
  ])('phoneNumber rejects %j', (text) => {
    expect(phoneNumber(text)).toBeNull();
  });
});

describe('isSender', () => {
  it.each(['+14155550123', '12345', 'Acme', 'Acme & Co', '3M', 'ABCDEFGHIJK'])('isSender accepts %s', (sender) => {
    expect(isSender(sender)).toBe(true);
  });

  it.each(['', '12', '123456789', 'ABCDEFGHIJKL', '4-5', 'Acmé', 'A\n', '+1 415'])('isSender rejects %j', (sender) => {
    expect(isSender(sender)).toBe(false);
  });
});
