import { describe, expect, it } from 'vitest';
import { p8 } from '../../../../test/support/transports/apns-peer.ts';
import { virtualClock } from '../../../foundation/clock.ts';
import { memorySharedToken, type ProviderToken, providerTokens } from './token.ts';

const START = '2030-01-02T03:04:05.000Z';
const MINUTE = 60_000;
const settings = { keyId: 'KEY0000001', teamId: 'TEAM000001', key: p8() };

const open = (sharedToken = memorySharedToken()) => {
  const clock = virtualClock(START);
  return { clock, sharedToken, tokens: providerTokens(settings, { clock, sharedToken }) };
};

const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));

/** Verifies with Web Crypto, which shares no code with the signer. */
const isSignedBy = async (pem: string, jwt: string): Promise<boolean> => {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']);
  const { kty = '', crv = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', key);
  const publicKey = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify']);
  const [head, claims, signature] = jwt.split('.');
  return crypto.subtle.verify(
    { name: 'ECDSA', hash: 'SHA-256' },
    publicKey,
    Buffer.from(signature ?? '', 'base64url'),
    Buffer.from(`${head}.${claims}`),
  );
};

describe('a provider token', () => {
  it('a provider token is an ES256 token that an independent verifier accepts', async () => {
    const { tokens } = open();
    const token = await tokens.current();
    const [head, claims] = token?.jwt.split('.') ?? [];
    expect(decoded(head)).toEqual({ alg: 'ES256', kid: 'KEY0000001' });
    expect(decoded(claims)).toEqual({ iss: 'TEAM000001', iat: Date.parse(START) / 1000 });
    expect(await isSignedBy(settings.key, token?.jwt ?? '')).toBe(true);
    expect(await isSignedBy(p8(), token?.jwt ?? '')).toBe(false);
  });

  it('concurrent callers share one signed provider token', async () => {
    const { tokens } = open();
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.current()));
    expect(new Set(all.map((token) => token?.jwt)).size).toBe(1);
  });

  it('a provider token lasts 50 minutes', async () => {
    const { tokens, clock } = open();
    const first = await tokens.current();
    clock.advance(50 * MINUTE - 1_000);
    expect(await tokens.current()).toEqual(first);
    clock.advance(1_000);
    expect(await tokens.current()).not.toEqual(first);
  });

  it('a provider token is renewed if the clock went back by more than the allowed skew', async () => {
    const { tokens, clock } = open();
    const first = await tokens.current();
    clock.advance(-4 * MINUTE);
    expect(await tokens.current()).toEqual(first);
    clock.advance(-2 * MINUTE);
    expect(await tokens.current()).not.toEqual(first);
  });

  it('a valid shared token of another worker is used', async () => {
    const sharedToken = memorySharedToken();
    const [one, two] = [open(sharedToken), open(sharedToken)];
    const first = await one.tokens.current();
    expect(await two.tokens.current()).toEqual(first);
    for (const { clock } of [one, two]) clock.advance(30 * MINUTE);
    const next = await one.tokens.renew(first?.jwt ?? '');
    expect(next).not.toEqual(first);
    expect(await two.tokens.renew(first?.jwt ?? '')).toEqual(next);
  });

  it('a shared token of another key is ignored', async () => {
    const sharedToken = memorySharedToken();
    const clock = virtualClock(START);
    const other = await providerTokens({ ...settings, keyId: 'KEY0000002' }, { clock, sharedToken }).current();
    const { tokens } = open(sharedToken);
    const ours = await tokens.current();
    expect(decoded(other?.jwt.split('.')[0])).toMatchObject({ kid: 'KEY0000002' });
    expect(decoded(ours?.jwt.split('.')[0])).toMatchObject({ kid: 'KEY0000001' });
  });

  it("a worker that lost the race for the shared token uses the winner's token", async () => {
    const winner: ProviderToken = { jwt: 'winner', issuedAtSeconds: Date.parse(START) / 1000 };
    const { tokens } = open({ read: async () => null, replace: async () => winner });
    expect(await tokens.current()).toEqual(winner);
    expect(tokens.held()).toEqual(winner);
  });

  it('a fetched token that turns out to be the expired one is renewed', async () => {
    const shared = memorySharedToken();
    const old = await open(shared).tokens.current();
    let give = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      give = resolve;
    });
    const { tokens } = open({
      ...shared,
      read: async () => {
        await asked;
        return shared.read();
      },
    });
    const fetching = tokens.current();
    const renewing = tokens.renew(old?.jwt ?? '');
    give();
    expect(await fetching).toEqual(old);
    expect((await renewing)?.jwt).not.toBe(old?.jwt);
  });

  it('a provider token is not renewed again within 20 minutes, and is after that', async () => {
    const { tokens, clock } = open();
    const first = await tokens.current();
    const second = await tokens.renew(first?.jwt ?? '');
    expect(await tokens.renew(second?.jwt ?? '')).toBeNull();
    clock.advance(20 * MINUTE);
    expect(await tokens.renew(second?.jwt ?? '')).not.toBeNull();
  });

  it('a key that cannot sign gives no provider token', async () => {
    const tokens = providerTokens(
      { ...settings, key: 'no key' },
      { clock: virtualClock(START), sharedToken: memorySharedToken() },
    );
    expect(await tokens.current()).toBeNull();
  });
});

describe('memorySlot', () => {
  it('a memory slot replaces a token only if the caller saw the current one', async () => {
    const sharedToken = memorySharedToken();
    const at = (issuedAtSeconds: number): ProviderToken => ({ jwt: `${issuedAtSeconds}`, issuedAtSeconds });
    const [a, b, c] = [at(1), at(2), at(3)] as const;
    expect(await sharedToken.read()).toBeNull();
    expect(await sharedToken.replace(null, a)).toEqual(a);
    expect(await sharedToken.replace(null, b)).toEqual(a);
    expect(await sharedToken.replace(1, b)).toEqual(b);
    expect(await sharedToken.replace(1, c)).toEqual(b);
    expect(await sharedToken.read()).toEqual(b);
  });
});
