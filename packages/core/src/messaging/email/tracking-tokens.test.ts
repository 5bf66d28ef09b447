import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { hmacSha256 } from '../../foundation/hash.ts';
import { deriveKey, newDataKey } from '../../foundation/secrets.ts';
import { MAX_URL_CHARACTERS } from './tracked-html.ts';
import { type TrackingClaims, trackingTokens } from './tracking-tokens.ts';

const key = newDataKey();
const clock = virtualClock('2026-03-01T12:00:00.000Z');
const tokens = trackingTokens([key], { clock });
const claims: TrackingClaims = {
  scopeId: 16_777_217,
  sendId: '0197a000-0000-7000-8000-0000000000e1',
  messageId: '0197a000-0000-7000-8000-0000000000e2',
  url: 'https://shop.test/a?b=c#d',
};

describe('trackingTokens', () => {
  it('a token contains its claims and fits into a URL', () => {
    const id = fc.oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme-ascii' }));
    const scopeId = fc.integer({ min: 1, max: 2_147_483_647 });
    const url = fc.option(fc.webUrl({ withFragments: true, withQueryParameters: true }));
    const any = fc.record({ scopeId, sendId: id, messageId: id, url });
    fc.assert(
      fc.property(any, (original) => {
        const token = tokens.sign(original);
        expect(token).toMatch(/^[\w-]+$/);
        expect(tokens.read(token)).toEqual(original);
      }),
    );
  });

  it("a token takes 102 characters, plus four thirds of the URL's length", () => {
    expect(tokens.sign({ ...claims, url: null })).toHaveLength(102);
    const longest = `https://a.test/${'x'.repeat(MAX_URL_CHARACTERS - 15)}`;
    expect(tokens.sign({ ...claims, url: longest })).toHaveLength(102 + 2_730);
    expect(tokens.read(tokens.sign({ ...claims, url: longest }))).toEqual({ ...claims, url: longest });
  });

  it('a token with one changed character is rejected', () => {
    const token = tokens.sign(claims);
    for (let at = 0; at < token.length; at += 1)
      for (const other of ['A', 'B', '_', '.', '='])
        if (token[at] !== other) expect(tokens.read(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
  });

  it('a token has one spelling: characters that a decoder would ignore are rejected', () => {
    const token = tokens.sign(claims);
    // Its last character has unused bits.
    expect(Buffer.from(token, 'base64url').length % 3).not.toBe(0);
    for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      if (!token.endsWith(other)) expect(tokens.read(token.slice(0, -1) + other)).toBeNull();
    for (const odd of [`${token}=`, `.${token}`, `${token} `, `${token.slice(0, 9)}\n${token.slice(9)}`])
      expect(tokens.read(odd)).toBeNull();
    expect(tokens.read(token)).toEqual(claims);
  });

  it.each([
    ['nothing', ''],
    ['a word', 'token'],
    ['a cut one', tokens.sign(claims).slice(0, -2)],
    ['a longer one', `${tokens.sign(claims)}AA`],
    ['its content without code', Buffer.from('x'.repeat(100)).toString('base64url')],
    ['a megabyte', 'A'.repeat(1_048_576)],
    ['32 bytes', Buffer.alloc(32).toString('base64url')],
  ])('%s is no token', (_, token) => {
    expect(tokens.read(token)).toBeNull();
  });

  it('tokens of another deployment or purpose are rejected', () => {
    expect(trackingTokens([newDataKey()], { clock }).read(tokens.sign(claims))).toBeNull();
    expect(trackingTokens([deriveKey(key, 'other')], { clock }).read(tokens.sign(claims))).toBeNull();
  });

  it('tokens of an old key work while that key is configured', () => {
    const later = trackingTokens([newDataKey(), key], { clock });
    expect(later.read(tokens.sign(claims))).toEqual(claims);
    expect(tokens.read(later.sign(claims))).toBeNull();
  });

  it('tokens lead to http and https only, even if another URL was signed', () => {
    expect(tokens.read(tokens.sign({ ...claims, url: 'javascript:alert(1)' }))).toBeNull();
  });

  it('tokens of another version are rejected', () => {
    const bytes = Buffer.from(tokens.sign(claims), 'base64url');
    const body = Buffer.concat([Buffer.of(2), bytes.subarray(1, -32)]);
    const token = Buffer.concat([body, hmacSha256(key, body)]).toString('base64url');
    expect(tokens.read(token)).toBeNull();
  });

  it("tokens expire after 400 days, or after the operator's maximum age", () => {
    const day = 86_400_000;
    const then = virtualClock('2026-03-01T12:00:00.500Z');
    const [usual, short] = [
      trackingTokens([key], { clock: then }),
      trackingTokens([key], { clock: then, maxAgeDays: 2 }),
    ];
    const [link, pixel] = [usual.sign(claims), usual.sign({ ...claims, url: null })];
    then.advance(2 * day - 500);
    expect(short.read(link)).toEqual(claims);
    then.advance(1);
    expect([short.read(link), short.read(pixel)]).toEqual([null, null]);
    then.advance(398 * day - 1);
    expect([usual.read(link), usual.read(pixel)]).toEqual([claims, { ...claims, url: null }]);
    then.advance(1);
    expect([usual.read(link), usual.read(pixel)]).toEqual([null, null]);
  });

  it('an id that does not fit throws', () => {
    for (const sendId of ['', 'x'.repeat(256)]) expect(() => tokens.sign({ ...claims, sendId })).toThrow(RangeError);
  });
});
