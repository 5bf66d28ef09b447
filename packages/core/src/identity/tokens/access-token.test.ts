import { createHmac, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { CompactSign, createLocalJWKSet, decodeJwt, exportSPKI, importJWK, jwtVerify, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { issuerOf, jwkSetOf } from '../signing-keys/jwks.ts';
import {
  type GeneratedSigningKey,
  generateSigningKey,
  keyImporter,
  SIGNING_ALGS,
  type SigningAlg,
} from '../signing-keys/signing-key.ts';
import {
  ACCESS_TOKEN_TYP,
  MAX_TOKEN_CHARACTERS,
  signAccessToken,
  type TokenRefusal,
  verifyAccessToken,
} from './access-token.ts';
import { type AccessTokenClaims, STANDARD_CLAIMS } from './claims.ts';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');
const SECONDS = NOW / 1_000;
const issuer = issuerOf({ publicUrl: 'https://beckon.example.com', projectId: 'project-1', environment: 'prod' });
const claims: AccessTokenClaims = {
  iss: issuer,
  sub: '019aced0-0000-7000-8000-000000000001',
  uid: 'ada',
  aud: 'project-1',
  iat: SECONDS,
  exp: SECONDS + 900,
  jti: '019aced0-0000-7000-8000-000000000002',
  sid: '019aced0-0000-7000-8000-000000000003',
  org_id: '019aced0-0000-7000-8000-000000000004',
  project_id: 'project-1',
  env: 'prod',
  amr: ['pwd'],
  aal: 'aal1',
  auth_time: SECONDS,
  email: 'ada@example.com',
  email_verified: true,
  is_anonymous: false,
};

const importer = keyImporter();
// Filled before the first test.
const generated = new Map<SigningAlg, GeneratedSigningKey>();
const keyOf = (alg: SigningAlg): GeneratedSigningKey => {
  const key = generated.get(alg);
  if (!key) throw new Error(`no ${alg} key`);
  return key;
};
const signWith = (alg: SigningAlg, change: Partial<AccessTokenClaims> = {}): string =>
  signAccessToken({ key: importer.signingKey(keyOf(alg)), claims: { ...claims, ...change } });
const allKeys = () => [...generated.values()].map((key) => importer.verificationKey(key));
const verify = (token: unknown, change: Partial<Parameters<typeof verifyAccessToken>[0]> = {}) =>
  verifyAccessToken({ token, keys: allKeys(), issuer, audience: 'project-1', nowMs: NOW, ...change });
const refusal = (detail: TokenRefusal) => ({ ok: false, reason: 'token_invalid', detail });
const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that jose signs with the scope's ES256 key, with any header and payload. */
const forged = async (header: Record<string, unknown>, payload: Record<string, unknown> = { ...claims }) => {
  const { kid, privateJwk } = keyOf('ES256');
  const key = await importJWK({ ...privateJwk }, 'ES256');
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', typ: ACCESS_TOKEN_TYP, kid, ...header })
    .sign(key, { crit: { 'x-unknown': true } });
};
const without = (...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));

beforeAll(async () => {
  for (const alg of SIGNING_ALGS) generated.set(alg, await generateSigningKey(alg));
});

describe('access tokens', () => {
  it('a token whose signature is known is verified once, and refused for everything else as before', async () => {
    const signatures = new Map<string, KeyObject>();
    const token = signWith('ES256');
    expect(verify(token, { signatures })).toEqual({ ok: true, claims });
    expect([...signatures.keys()]).toEqual([token]);
    expect(verify(token, { signatures })).toEqual({ ok: true, claims });
    expect(verify(token, { signatures, nowMs: NOW + 900_000 })).toEqual(refusal('expired'));
    expect(verify(token, { signatures, audience: 'project-2' })).toEqual(refusal('aud'));
    expect(verify(token, { signatures, issuer: `${issuer}x` })).toEqual(refusal('iss'));
    expect(verify(token, { signatures, keys: [] })).toEqual(refusal('kid'));
    // Another key of the same name: the signature is checked again.
    const { kid } = keyOf('ES256');
    const other = importer.verificationKey(await generateSigningKey('ES256'));
    expect(verify(token, { signatures, keys: [{ ...other, kid }] })).toEqual(refusal('signature'));
    const wrong = `${token.slice(0, -4)}AAAA`;
    expect(verify(wrong, { signatures })).toEqual(refusal('signature'));
    expect(signatures.has(wrong)).toBe(false);
  });

  it.each(SIGNING_ALGS)(
    'K9: a token signed with %s is accepted by Beckon and by jose with the published key set',
    async (alg) => {
      const token = signWith(alg);
      expect(verify(token)).toEqual({ ok: true, claims });
      const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwksOfAll()), {
        issuer,
        audience: 'project-1',
        typ: ACCESS_TOKEN_TYP,
        algorithms: [...SIGNING_ALGS],
        currentDate: new Date(NOW),
      });
      expect(payload).toEqual(claims);
      expect(protectedHeader).toEqual({ alg, typ: 'at+jwt', kid: keyOf(alg).kid });
    },
  );

  it('an ES256 token with the usual claims has at most 900 bytes', () => {
    expect(signWith('ES256').length).toBeLessThanOrEqual(900);
  });

  it('claims keep their documented order, and absent ones are left out', () => {
    const { email, ...guest } = claims;
    const token = signAccessToken({ key: importer.signingKey(keyOf('EdDSA')), claims: guest });
    expect(Object.keys(decodeJwt(token))).toEqual(STANDARD_CLAIMS.filter((name) => name !== 'email' && name !== 'act'));
    expect(email).toBe('ada@example.com');
    expect(verify(token)).toEqual({ ok: true, claims: guest });
  });

  it('K10: an impersonation token names the administrator in the claim act', () => {
    const act = { sub: 'key:019aced0-0000-7000-8000-000000000009' };
    expect(verify(signWith('ES256', { act }))).toEqual({ ok: true, claims: { ...claims, act } });
  });

  it('K1: a token with alg none is refused', () => {
    for (const alg of ['none', 'None', 'NONE']) {
      const header = b64({ alg, typ: ACCESS_TOKEN_TYP, kid: keyOf('ES256').kid });
      expect(verify(`${header}.${b64(claims)}.`)).toEqual(refusal('malformed'));
      expect(verify(`${header}.${b64(claims)}.AA`)).toEqual(refusal('alg'));
    }
  });

  it('K1: a token whose HMAC key is the public key is refused', async () => {
    const { kid, publicJwk } = keyOf('RS256');
    const pem = await exportSPKI(createPublicKey({ key: { ...publicJwk }, format: 'jwk' }));
    for (const alg of ['HS256', 'RS256'])
      for (const secret of [pem, JSON.stringify(publicJwk)]) {
        const input = `${b64({ alg, typ: ACCESS_TOKEN_TYP, kid })}.${b64(claims)}`;
        const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
        expect(verify(token)).toEqual(refusal(alg === 'HS256' ? 'alg' : 'signature'));
      }
  });

  it('K1: a token with an unknown or absent kid, or with the kid of another key, is refused', async () => {
    for (const kid of ['unknown', '', undefined, 7, null, '__proto__'])
      expect(verify(await forged({ kid }))).toEqual(refusal('kid'));
    const other = await generateSigningKey('ES256');
    const token = signAccessToken({ key: importer.signingKey(other), claims });
    expect(verify(token)).toEqual(refusal('kid'));
    const [, payload, signature] = token.split('.');
    const header = b64({ alg: 'ES256', typ: ACCESS_TOKEN_TYP, kid: keyOf('ES256').kid });
    expect(verify(`${header}.${payload}.${signature}`)).toEqual(refusal('signature'));
    expect(verify(await forged({ kid: keyOf('EdDSA').kid }))).toEqual(refusal('alg'));
  });

  it('K1: a key inside or linked from the header is ignored', async () => {
    const attacker = await generateSigningKey('ES256');
    const foreign = {
      jwk: attacker.publicJwk,
      jku: 'https://evil.example/jwks.json',
      x5u: 'https://evil.example/x.pem',
    };
    const key = await importJWK({ ...attacker.privateJwk }, 'ES256');
    for (const kid of [attacker.kid, keyOf('ES256').kid]) {
      const header = { alg: 'ES256', typ: ACCESS_TOKEN_TYP, kid, ...foreign };
      const token = await new SignJWT({ ...claims }).setProtectedHeader(header).sign(key);
      expect(verify(token)).toEqual(refusal(kid === attacker.kid ? 'kid' : 'signature'));
    }
    expect(verify(await forged(foreign))).toEqual({ ok: true, claims });
  });

  it('K2: a token is valid until the millisecond before exp', () => {
    const token = signWith('ES256');
    const end = claims.exp * 1_000;
    expect(verify(token, { nowMs: end - 1 })).toMatchObject({ ok: true });
    expect(verify(token, { nowMs: end })).toEqual(refusal('expired'));
  });

  it('K2: a token issued more than a minute ahead of the clock is refused', () => {
    expect(verify(signWith('ES256', { iat: SECONDS + 60 }))).toMatchObject({ ok: true });
    expect(verify(signWith('ES256', { iat: SECONDS + 60 }), { nowMs: NOW - 1 })).toEqual(refusal('iat'));
  });

  it('K2: a token with another issuer or audience is refused', async () => {
    for (const iss of [issuer.replace('/prod', '/test'), `${issuer}/`, '', undefined, [issuer]])
      expect(verify(await forged({}, { ...claims, iss }))).toEqual(refusal('iss'));
    for (const aud of ['project-2', ['project-1'], ['project-1', 'project-2'], '', undefined, null])
      expect(verify(await forged({}, { ...claims, aud }))).toEqual(refusal('aud'));
  });

  it('K2: a token with another typ is refused', async () => {
    for (const typ of ['JWT', 'jwt', 'AT+JWT', 'application/at+jwt', '', undefined, ['at+jwt']])
      expect(verify(await forged({ typ }))).toEqual(refusal('typ'));
  });

  it('K2: a token with any critical extension is refused', async () => {
    expect(verify(await forged({ crit: ['x-unknown'], 'x-unknown': true }))).toEqual(refusal('crit'));
    const { kid } = keyOf('ES256');
    for (const crit of [[], null, ['b64'], 'exp']) {
      const header = b64({ alg: 'ES256', typ: ACCESS_TOKEN_TYP, kid, crit });
      expect(verify(`${header}.${b64(claims)}.AAAA`)).toEqual(refusal('crit'));
    }
  });

  it.each(STANDARD_CLAIMS)('K2: a token whose claim %s has a wrong type is refused', async (name) => {
    const details: Partial<Record<string, TokenRefusal>> = { iss: 'iss', aud: 'aud' };
    const detail = details[name] ?? (`claim:${name}` as const);
    for (const value of [{ a: 1 }, -1, ''])
      expect(verify(await forged({}, { ...claims, [name]: value }))).toEqual(refusal(detail));
    const isOptional = name === 'email' || name === 'act';
    const isAccepted = verify(await forged({}, without(name))).ok;
    expect(isAccepted).toBe(isOptional);
  });

  it('K2: a token with a method of authentication that is no text is refused', async () => {
    for (const amr of [['pwd', 1], [''], 'pwd'])
      expect(verify(await forged({}, { ...claims, amr }))).toEqual(refusal('claim:amr'));
    expect(verify(await forged({}, { ...claims, amr: [], auth_time: 0 })).ok).toBe(true);
  });

  it('K2: a signed payload that is no JSON object is refused', async () => {
    const { kid, privateJwk } = keyOf('ES256');
    const key = await importJWK({ ...privateJwk }, 'ES256');
    for (const text of ['[]', 'null', '"text"', '{', '', '\xff']) {
      const payload = Buffer.from(text, 'latin1');
      const sign = new CompactSign(payload).setProtectedHeader({ alg: 'ES256', typ: ACCESS_TOKEN_TYP, kid });
      expect(verify(await sign.sign(key)).ok).toBe(false);
    }
  });

  it('a key that cannot verify refuses a token without an exception', () => {
    const { kid } = keyOf('ES256');
    const publicKey = createSecretKey(Buffer.alloc(32));
    expect(verify(signWith('ES256'), { keys: [{ kid, alg: 'ES256', publicKey }] })).toEqual(refusal('signature'));
  });

  it('T2: a token of another project, whose key is not in the key set, is refused', async () => {
    const other = await generateSigningKey('ES256');
    const token = signAccessToken({ key: importer.signingKey(other), claims });
    expect(verify(token)).toEqual(refusal('kid'));
    expect(verify(token, { keys: [importer.verificationKey(other)] })).toMatchObject({ ok: true });
    expect(verify(token, { keys: [importer.verificationKey(other)], audience: 'project-2' })).toEqual(refusal('aud'));
  });

  it('values that are no token in compact form are refused', () => {
    const token = signWith('ES256');
    const [header, payload, signature] = token.split('.');
    const other = [
      undefined,
      null,
      7,
      {},
      '',
      '.',
      '..',
      `${header}.${payload}`,
      `${token}.`,
      `${token}.${signature}`,
      ` ${token}`,
      `${token}\n`,
      `${token}=`,
      `Bearer ${token}`,
      JSON.stringify({ protected: header, payload, signature }),
      `${b64([])}.${payload}.${signature}`,
      `${b64('text')}.${payload}.${signature}`,
      `${Buffer.from('{"typ":"\xff').toString('base64url')}.${payload}.${signature}`,
      `${header?.slice(0, -1)}.${payload}.${signature}`,
    ];
    for (const value of other) expect(verify(value)).toEqual(refusal('malformed'));
  });

  it('a signature has one spelling only', () => {
    const token = signWith('ES256');
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 64 bytes end in a character with four unused bits.
    const sibling = alphabet[alphabet.indexOf(last) + 1] ?? '';
    expect(Buffer.from(`${token.slice(0, -1)}${sibling}`.split('.')[2] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[2] ?? '', 'base64url'),
    );
    expect(verify(`${token.slice(0, -1)}${sibling}`)).toEqual(refusal('signature'));
  });

  it('a signature in DER or of another size is refused', () => {
    const [header, payload, signature = ''] = signWith('ES256').split('.');
    const der = Buffer.concat([Buffer.from('30440220', 'hex'), Buffer.from(signature, 'base64url')]);
    for (const bytes of [der, Buffer.alloc(0), Buffer.alloc(64), Buffer.alloc(63, 1), Buffer.alloc(2_000, 1)])
      expect(verify(`${header}.${payload}.${bytes.toString('base64url')}`).ok).toBe(false);
  });

  it('a token of more than 8,192 characters is refused before it is parsed', () => {
    expect(verify('x'.repeat(MAX_TOKEN_CHARACTERS))).toEqual(refusal('malformed'));
    expect(verify('x'.repeat(MAX_TOKEN_CHARACTERS + 1))).toEqual(refusal('too_long'));
  });

  it('no change of a single character makes another valid token', () => {
    const token = signWith('EdDSA');
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.stringMatching(/^[\w.-]$/), (at, character) => {
        const changed = `${token.slice(0, at)}${character}${token.slice(at + 1)}`;
        expect(verify(changed).ok).toBe(changed === token);
      }),
      { numRuns: 300 },
    );
  });

  it('any text is refused without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json()), (text) => {
        expect(verify(text).ok).toBe(false);
        expect(verify(`${b64(text)}.${text}.${text}`).ok).toBe(false);
      }),
    );
  });

  it('claims of a template follow the standard claims and never replace them', () => {
    const templateClaims = JSON.parse(
      '{"plan":"pro","sub":"other","exp":1,"nbf":1,"__proto__":{"a":1},"nested":{"a":[1]}}',
    );
    const token = signAccessToken({ key: importer.signingKey(keyOf('ES256')), claims, templateClaims });
    expect(verify(token)).toEqual({ ok: true, claims: { ...claims, plan: 'pro', nested: { a: [1] } } });
    expect(Object.keys(decodeJwt(token)).slice(-2)).toEqual(['plan', 'nested']);
  });

  it('a token that its template claims would make too long is signed without them', () => {
    const key = importer.signingKey(keyOf('ES256'));
    const long = { ...claims, uid: '\u0001'.repeat(256) };
    const signed = (size: number) => signAccessToken({ key, claims: long, templateClaims: { text: 'x'.repeat(size) } });
    expect(verify(signed(3_000))).toMatchObject({ ok: true, claims: { text: 'x'.repeat(3_000) } });
    expect(verify(signed(4_000))).toEqual({ ok: true, claims: long });
  });
});

function jwksOfAll() {
  // Safe for jose: it reads the members of a key set only.
  return { keys: [...jwkSetOf([...generated.values()]).keys] };
}
