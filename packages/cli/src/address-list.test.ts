import { describe, expect, it } from 'vitest';
import { addressesIn } from './address-list.ts';

const read = (text: string) => addressesIn(text).map(({ line, address }) => `${line} ${address}`);

describe('a file of addresses', () => {
  it('is one address a line', () => {
    expect(read('\ufeffann@example.com\r\n\r\n  bob@example.com  \n+14155550123\n')).toEqual([
      '1 ann@example.com',
      '3 bob@example.com',
      '4 +14155550123',
    ]);
  });

  it('is the column of a table that is named so, else its first', () => {
    expect(read('Reason,"E-mail Address",At\nhard,"ann@example.com",2026\nsoft,bob@example.com,2026')).toEqual([
      '2 ann@example.com',
      '3 bob@example.com',
    ]);
    expect(read('who;why\nann@example.com;x')).toEqual(['2 ann@example.com']);
    expect(read('ann@example.com\tx\nbob@example.com\ty')).toEqual(['1 ann@example.com', '2 bob@example.com']);
    expect(read('"a ""b""@example.com",1')).toEqual(['1 a "b"@example.com']);
  });

  it('keeps what is no address, for whoever refuses it by its line', () => {
    expect(read('email\nnobody\nann@example.com')).toEqual(['2 nobody', '3 ann@example.com']);
    expect(read('')).toEqual([]);
  });
});
