import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKey, mailAddress } from './email-address.ts';

describe('mailAddress', () => {
  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['Ann.B+tag@Example.COM', 'Ann.B+tag@example.com'],
    ["o'neil_%&=/?^{|}~!#$*-@example.com", "o'neil_%&=/?^{|}~!#$*-@example.com"],
    ['jürgen@bücher.example', 'jürgen@xn--bcher-kva.example'],
    ['dev@localhost', 'dev@localhost'],
    [' \t\u0085\u3000ann@example.com\u2028\r\n', 'ann@example.com'],
    ['+tag.a-b@example.com', '+tag.a-b@example.com'],
    ['a..b.@example.com', 'a..b.@example.com'],
  ])('mailAddress accepts %s', (given, kept) => {
    expect(mailAddress(given)).toBe(kept);
  });

  it.each([
    ['', 'nothing'],
    ['ann', 'no at sign'],
    ['@example.com', 'no local part'],
    ['ann@', 'no domain'],
    ['ann@example.com\r\nBcc: eve@example.com', 'a second header'],
    ['"x" <ann@example.com>', 'a display name'],
    ['ann@example.com, eve@example.com', 'a second mailbox'],
    ['ann@example.com\r\nRCPT TO:<eve@example.com>', 'a second recipient'],
    ['a\0nn@example.com', 'NUL'],
    ['ann\u2028@example.com', 'a line separator'],
    ['an\tn@example.com', 'a tab in the local part'],
    ['ann@exam\tple.com', 'a tab in the domain'],
    ['ann@exa\nmple.com', 'a line break in the domain'],
    ['ann @example.com', 'white space before the at sign'],
    ['ann@eve@example.com', 'two at signs'],
    ['"a b"@example.com', 'a quoted local part'],
    ['a,b@example.com', 'a comma in the local part'],
    ['"a,b"@example.com', 'a comma in a quoted local part'],
    ['ann,@example.com', 'a comma at its end'],
    ['ann@example.com,', 'a comma behind the domain'],
    ['a;b@example.com', 'a semicolon in the local part'],
    ['ann@[127.0.0.1]', 'a literal address'],
    ['ann@127.0.0.1', 'an address as a domain'],
    ['ann@0x7f.1', 'an address in disguise'],
    ['ann@exa_mple.com', 'an underscore in the domain'],
    ['ann@-example.com', 'a hyphen at the edge'],
    ['ann@example..com', 'an empty label'],
    ['ann@example.com.', 'a dot at the end'],
    ['ann@example.com#x', 'a fragment'],
    ['ann@example.com/x', 'a path'],
    ['\ud800@example.com', 'half a character'],
    [`${'a'.repeat(65)}@example.com`, 'a long local part'],
    [`ann@${'a'.repeat(64)}.com`, 'a long label'],
    [`ann@${'a.'.repeat(126)}com`, 'a long domain'],
  ])('mailAddress rejects %j: %s', (given) => {
    expect(mailAddress(given)).toBeNull();
  });

  it('mailAddress accepts no character that ends a mailbox', () => {
    const part = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const address = mailAddress(`${local}@${domain}`);
        if (address === null) return;
        expect(address).not.toMatch(/[\s\p{Cc}\u2028\u2029<>,;:"()[\]\\]/u);
        expect(address.split('@')).toHaveLength(2);
        expect(mailAddress(address)).toBe(address);
      }),
    );
  });

  it('mailAddress accepts its own results unchanged', () => {
    const local = fc.stringMatching(/^[a-zA-Z0-9.+_-]{1,20}$/);
    const domain = fc.stringMatching(/^[a-zäöü]{1,10}\.[a-z]{2,5}$/);
    fc.assert(
      fc.property(local, domain, (name, host) => {
        const address = mailAddress(`${name}@${host}`);
        expect(address).not.toBeNull();
        expect(mailAddress(address ?? '')).toBe(address);
      }),
    );
  });

  it('addressKey ignores case', () => {
    expect(addressKey('Ann@example.com')).toBe(addressKey('ann@example.com'));
    expect(addressKey('ann+1@example.com')).not.toBe(addressKey('ann@example.com'));
  });
});
