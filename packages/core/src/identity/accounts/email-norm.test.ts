import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountEmailOf, mailboxKeyOf } from './email-norm.ts';

const normOf = (input: unknown) => accountEmailOf(input)?.emailNorm ?? null;

describe('accountEmailOf', () => {
  it('the key ignores case and white space around the address, and keeps dots and tags', () => {
    expect(accountEmailOf(' Ada.B+News@Example.COM\n')).toEqual({
      email: 'Ada.B+News@example.com',
      emailNorm: 'ada.b+news@example.com',
    });
  });

  it('the key has the domain in punycode and letters composed', () => {
    expect(accountEmailOf('A\u0308da@Bu\u0308cher.example')).toEqual({
      email: '\u00c4da@xn--bcher-kva.example',
      emailNorm: '\u00e4da@xn--bcher-kva.example',
    });
    expect(normOf('ada@xn--bcher-kva.example')).toBe(normOf('ada@B\u00dcCHER.example'));
  });

  it('the Kelvin sign has the key of the letter k, and the address to send to is that of the letter', () => {
    expect(accountEmailOf('\u212aim@example.com')).toEqual({ email: 'Kim@example.com', emailNorm: 'kim@example.com' });
  });

  it.each([
    ['no text', undefined],
    ['null', null],
    ['a number', 7],
    ['an empty text', ''],
    ['no at sign', 'ada'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['a line break', 'ada@example.com\r\nBcc: eve@example.com'],
    ['a NUL', 'ada\0@example.com'],
    ['a control', 'ada\u0007@example.com'],
    ['a zero-width space', 'a\u200bda@example.com'],
    ['a right-to-left mark', 'a\u202eda@example.com'],
    ['a soft hyphen', 'a\u00adda@example.com'],
    ['quotes', '"ada"@example.com'],
    ['a comment', 'ada(home)@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['two addresses', 'ada@example.com,eve@example.com'],
    ['an IP literal', 'ada@[127.0.0.1]'],
    ['an IP address', 'ada@127.0.0.1'],
    ['255 octets', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(59)}.io`],
    ['65 octets before the at sign', `${'a'.repeat(65)}@example.com`],
    ['a megabyte', `${'a'.repeat(1_000_000)}@example.com`],
  ])('an address with %s is refused', (_, input) => {
    expect(accountEmailOf(input)).toBeNull();
  });

  it('an address of 254 octets is accepted', () => {
    const address = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.io`;
    expect(address).toHaveLength(254);
    expect(normOf(address)).toBe(address);
  });

  it('an address whose lower case has too many octets is refused', () => {
    // The capital I with a dot has two octets, and three in lower case.
    expect(normOf(`${'\u0130'.repeat(21)}@example.com`)).not.toBeNull();
    expect(normOf(`${'\u0130'.repeat(32)}@example.com`)).toBeNull();
  });

  it('an address may have white space around it, up to 1,024 characters in all', () => {
    const padded = (length: number) => 'ada@example.com'.padStart(length);
    expect(normOf(padded(1_024))).toBe('ada@example.com');
    expect(normOf(padded(1_025))).toBeNull();
  });

  it('the key of any key is the same key', () => {
    const local = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(local, (text) => {
        const norm = normOf(`${text}@Example.com`);
        if (norm === null) return;
        expect(accountEmailOf(norm)).toEqual({ email: norm, emailNorm: norm });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('mailboxKeyOf', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['ada+news@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
    ['a.d.a+x@gmail.com', 'ada@gmail.com'],
    ['a.d.a@googlemail.com', 'ada@gmail.com'],
    ['a.da@mail.gmail.com', 'a.da@mail.gmail.com'],
    ['a+x@example.com', 'a@example.com'],
    ['+@example.com', '+@example.com'],
    ['+news@example.com', '+news@example.com'],
    ['...@gmail.com', '...@gmail.com'],
  ])('the mailbox of %s is %s', (address, mailbox) => {
    expect(mailboxKeyOf(address)).toBe(mailbox);
    expect(mailboxKeyOf(mailbox)).toBe(mailbox);
  });
});
