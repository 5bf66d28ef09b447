import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challengeHint, isCodeChallenge, isVerifierOf } from './pkce.ts';

// Source: RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('PKCE', () => {
  it('the verifier of RFC 7636, appendix B fits its challenge', () => {
    expect(isVerifierOf(VERIFIER, CHALLENGE)).toBe(true);
    expect(isCodeChallenge(CHALLENGE)).toBe(true);
    expect(challengeHint(CHALLENGE)).toBe('E9Melhoa');
  });

  it('O3: a plain verifier, a missing one and a missing challenge are refused', () => {
    expect(isVerifierOf(VERIFIER, VERIFIER)).toBe(false);
    for (const value of [undefined, null, '', 7, {}, [VERIFIER]]) {
      expect(isVerifierOf(value, CHALLENGE)).toBe(false);
      expect(isVerifierOf(VERIFIER, value)).toBe(false);
      expect(isVerifierOf(value, value)).toBe(false);
      expect(isCodeChallenge(value)).toBe(false);
    }
  });

  it('O12: another verifier is refused', () => {
    for (const verifier of [`${VERIFIER}A`, VERIFIER.slice(1), VERIFIER.replace('d', 'e'), `${VERIFIER}\n`, CHALLENGE])
      expect(isVerifierOf(verifier, CHALLENGE)).toBe(false);
    for (const challenge of [
      `${CHALLENGE}=`,
      CHALLENGE.replace('-', '+'),
      CHALLENGE.slice(1),
      `${CHALLENGE}\n`,
      CHALLENGE.toLowerCase(),
    ])
      expect(isVerifierOf(VERIFIER, challenge)).toBe(false);
  });

  it('a verifier has 43 to 128 characters', () => {
    for (const [length, isAccepted] of [
      [42, false],
      [43, true],
      [128, true],
      [129, false],
    ] as const) {
      const verifier = 'a'.repeat(length);
      expect(isVerifierOf(verifier, createHash('sha256').update(verifier).digest('base64url'))).toBe(isAccepted);
    }
  });

  it('any text is refused without an exception', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (verifier, challenge) => {
        expect(isVerifierOf(verifier, CHALLENGE)).toBe(false);
        expect(isVerifierOf(VERIFIER, challenge)).toBe(false);
      }),
    );
  });
});
