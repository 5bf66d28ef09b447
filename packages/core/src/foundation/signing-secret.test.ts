import { describe, expect, it } from 'vitest';
import { newSigningSecret, signingKeyOf } from './signing-secret.ts';

describe('a signing secret', () => {
  it('is whsec_ and the base64 of the bytes that sign', () => {
    const bytes = new Uint8Array(32).map((_, at) => at);
    const secret = newSigningSecret(() => bytes);
    expect(secret).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=');
    expect(Uint8Array.from(signingKeyOf(secret))).toEqual(bytes);
  });

  it('differs from every other one', () => {
    expect(newSigningSecret()).not.toBe(newSigningSecret());
  });

  it.each(['', 'whsec_', 'whsec_AAEC', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='])('is not %j', (text) => {
    expect(() => signingKeyOf(text)).toThrow(TypeError);
  });
});
