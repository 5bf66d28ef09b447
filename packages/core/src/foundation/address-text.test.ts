import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, withAddressTraits } from './address-text.ts';

/** Every character that Unicode calls white space, found by its own property. */
const WHITE_SPACE = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter((text) =>
  /^\p{White_Space}$/u.test(text),
);
const padding = fc.array(fc.constantFrom(...WHITE_SPACE, '\ufeff'), { maxLength: 6 }).map((parts) => parts.join(''));

describe('the text of an address', () => {
  it('has no white space of Unicode around it, whatever the padding', () => {
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

  it('keeps what a number without a plus sign is written with', () => {
    for (const text of ['0151 / 23 45', '(415) 555-0123', '001 415', '1-415-555']) expect(addressText(text)).toBe(text);
  });

  it('keeps what begins with a plus sign and is no number', () => {
    for (const text of ['+tag.a-b@example.com', '+ see notes', '+', '+1 415 ext. 5'])
      expect(addressText(text)).toBe(text);
  });

  it('is the same when it is read twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), padding, (text, before) => {
        const once = addressText(`${before}+${text}`);
        expect(addressText(once)).toBe(once);
      }),
    );
  });

  it('of a long text is read in one pass', () => {
    // A pattern anchored at the end takes seconds for this one.
    const text = `x${' '.repeat(200_000)}x`;
    expect(addressText(` ${text} `)).toBe(text);
  });
});

describe('traits that hold addresses', () => {
  it('are read as addresses, and other traits stay as they are', () => {
    const patch = { email: ' ada@example.com', phone: '+1 (415) 555-0123', name: ' Ada ', Email: ' x ' };
    expect(withAddressTraits(patch)).toEqual({ ...patch, email: 'ada@example.com', phone: '+14155550123' });
    expect(patch.email).toBe(' ada@example.com');
  });

  it('are the patch itself where nothing changes', () => {
    for (const patch of [{}, { email: null, phone: 5 }, { email: 'ada@example.com' }, { email: [' a '] }])
      expect(withAddressTraits(patch)).toBe(patch);
  });

  it('keep a trait named __proto__', () => {
    const patch = JSON.parse('{"__proto__": 1, "email": " a@b.example"}');
    expect(Object.entries(withAddressTraits(patch))).toEqual([
      ['__proto__', 1],
      ['email', 'a@b.example'],
    ]);
  });
});
