import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../foundation/json.ts';
import { accountMetadataOf } from './metadata.ts';

const ofBytes = (bytes: number) => ({ bio: 'x'.repeat(bytes - utf8Bytes({ bio: '' })) });

describe('accountMetadataOf', () => {
  it.each([
    ['a guest', true, 4_096],
    ['a user', false, 16_384],
  ])('the metadata of %s is cut to its size', (_, isGuest, max) => {
    const fitting = ofBytes(max);
    expect(accountMetadataOf(fitting, isGuest)).toEqual({ metadata: fitting, isTruncated: false });
    const cut = accountMetadataOf({ ...ofBytes(max + 1), last: 1 }, isGuest);
    expect(utf8Bytes(cut.metadata)).toBe(max);
    expect(cut).toEqual({ metadata: { bio: expect.any(String), _truncated: true }, isTruncated: true });
  });

  it('a second cut changes nothing', () => {
    const { metadata } = accountMetadataOf(ofBytes(1_000_000), false);
    expect(accountMetadataOf(metadata, false)).toEqual({ metadata, isTruncated: true });
  });

  it('the mark of a client is removed', () => {
    expect(accountMetadataOf({ a: 1, _truncated: true }, false)).toEqual({ metadata: { a: 1 }, isTruncated: false });
  });

  it('characters that no database stores are replaced, and the key __proto__ is rejected', () => {
    expect(accountMetadataOf({ a: 'x\0\ud800' }, false).metadata).toEqual({ a: 'x\ufffd\ufffd' });
    const fieldErrors = { 'metadata.__proto__': [expect.any(String)] };
    expect(() => accountMetadataOf(JSON.parse('{"__proto__":{"a":1}}'), false)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: { fieldErrors } }),
    );
  });
});
