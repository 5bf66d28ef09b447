import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, withAddressTraits } from './address-text.ts';

/** Every character with the Unicode property White_Space. */
const WHITE_SPACE = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((text) =>
  /^\p{White_Space}$/u.test(text),
);
const padding = fc.array(fc.constantFrom(...WHITE_SPACE, '\ufeff'), { maxLength: 6 }).map((parts) => parts.join(''));

describe('addressText', () => {
  it('addressText removes every white space of Unicode around an address', () => {
    expect(WHITE_SPACE).toHaveLength(25);
    fc.assert(
      fc.property(
        padding,
        padding,
        fc.constantFrom('ada@example.com', '+14155550123', '0151 234', '+44 (0)20', 'a b', ''),
        (before, behind, text) => {
          expect(addressText(before + text + behind)).toBe(text);
        },
      ),
    );
  });

  it('addressText keeps the separators of a number without a plus sign', () => {
    for (const text of ['0151 / 23 45', '(415) 555-0123', '001 415', '1-415-555']) expect(addressText(text)).toBe(text);
  });

  it('addressText keeps a text with a plus sign that is no phone number', () => {
    for (const text of ['+tag.a-b@example.com', '+ see notes', '+', '+1 415 ext. 5'])
      expect(addressText(text)).toBe(text);
  });

  it('addressText is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), padding, (text, before) => {
        const once = addressText(`${before}+${text}`);
        expect(addressText(once)).toBe(once);
      }),
    );
  });

  it('addressText takes linear time for a long text', () => {
    // A pattern anchored at the end takes seconds for this text.
    const text = `x${' '.repeat(200_000)}x`;
    expect(addressText(` ${text} `)).toBe(text);
  });
});

describe('withAddressTraits', () => {
  it('withAddressTraits normalises email and phone and keeps other traits', () => {
    const patch = { email: ' ada@example.com', phone: '+1 (415) 555-0123', name: ' Ada ', Email: ' x ' };
    expect(withAddressTraits(patch)).toEqual({ ...patch, email: 'ada@example.com', phone: '+14155550123' });
    expect(patch.email).toBe(' ada@example.com');
  });

  it('withAddressTraits returns the patch itself if nothing changes', () => {
    for (const patch of [{}, { email: null, phone: 5 }, { email: 'ada@example.com' }, { email: [' a '] }])
      expect(withAddressTraits(patch)).toBe(patch);
  });

  it('withAddressTraits keeps a trait named __proto__', () => {
    const patch = JSON.parse('{"__proto__": 1, "email": " a@b.example"}');
    expect(Object.entries(withAddressTraits(patch))).toEqual([
      ['__proto__', 1],
      ['email', 'a@b.example'],
    ]);
  });
});
