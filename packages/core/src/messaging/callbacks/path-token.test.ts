import { describe, expect, it } from 'vitest';
import { pathTokens } from './path-token.ts';

const key = (fill: number): Uint8Array => Buffer.alloc(32, fill);
const { sign, read } = pathTokens([key(1)]);

describe('callback URL tokens', () => {
  it('a token names its scope', () => {
    for (const scopeId of [0, 7, 4_294_967_295]) expect(read(sign({ scopeId }))).toEqual({ scopeId });
    expect(sign({ scopeId: 7 })).toMatch(/^[\w-]{27}$/);
  });

  it('a forged token is rejected', () => {
    const token = sign({ scopeId: 7 });
    const bytes = Buffer.from(token, 'base64url');
    for (const [at] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(read(changed.toString('base64url')), `byte ${at}`).toBe(null);
    }
    for (const odd of ['', 'x', `${token}=`, `${token}A`, token.slice(1), ` ${token}`])
      expect(read(odd), odd).toBe(null);
    expect(pathTokens([key(2)]).read(token)).toBe(null);
  });

  it('a token is signed with the first key and verified with any', () => {
    const both = pathTokens([key(2), key(1)]);
    expect(both.read(sign({ scopeId: 7 }))).toEqual({ scopeId: 7 });
    expect(read(both.sign({ scopeId: 7 }))).toBe(null);
  });
});
