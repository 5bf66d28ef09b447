import { describe, expect, it } from 'vitest';
import { newSigningSecret, signingKeyOf } from './signing-secret.ts';

describe('a signing secret', () => {
  it('a signing secret is whsec_ and the base64 of its key bytes', () => {
    const bytes = new Uint8Array(32).map((_, at) => at);
    const secret = newSigningSecret(() => bytes);
    expect(secret).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=');
    expect(Uint8Array.from(signingKeyOf(secret))).toEqual(bytes);
  });

  it('each signing secret is different', () => {
    expect(newSigningSecret()).not.toBe(newSigningSecret());
  });

  it.each(['', 'whsec_', 'whsec_AAEC', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='])(
    'signingKeyOf rejects %j',
    (text) => {
      expect(() => signingKeyOf(text)).toThrow(TypeError);
    },
  );
});
