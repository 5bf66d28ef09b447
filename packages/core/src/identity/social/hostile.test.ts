import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loopback } from '../../../test/support/identity/loopback.ts';
import type { Behaviour } from '../../../test/support/identity/misbehaving-provider.ts';
import { socialWorld } from '../../../test/support/identity/social-world.ts';
import { MAX_PROVIDER_BYTES } from './http.ts';

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Behaviour['answers'][string] =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
const PATHS = ['/token', '/keys', '/userinfo'] as const;
/** GitLab uses all three. */
const PROVIDER = 'gitlab';

describe('requests to providers', () => {
  it('O10: no connection is made to a private address', async () => {
    const { idp, signIn } = await socialWorld({ allowCidrs: [] });
    expect(await signIn('google')).toMatchObject({ ok: false, reason: 'provider_unavailable' });
    expect(idp.requests).toEqual([]);
  });

  it('O10: no request is sent over http unless it is allowed', async () => {
    const { idp, signIn } = await socialWorld({ allowHttp: false });
    expect(await signIn('discord')).toMatchObject({ ok: false });
    expect(idp.requests).toEqual([]);
  });

  it('O10: keys and user data are not fetched over http unless it is allowed', async () => {
    const { idp, context } = await socialWorld({ allowHttp: false });
    for (const url of [
      idp.endpoints.jwks,
      'ftp://example.com/',
      'https://user:secret@example.com/',
      'https://10.0.0.1/',
    ])
      await expect(context.http.fetch(url)).rejects.toMatchObject({ reason: 'provider_unavailable', detail: 'url' });
    expect(idp.requests).toEqual([]);
  });

  it.each(PATHS)('O10: a provider that does not answer at %s times out', async (path) => {
    const { idp, signIn } = await socialWorld({ limitMs: 60 });
    idp.behaviour.answers[path] = () => undefined;
    expect(await signIn(PROVIDER)).toEqual({ ok: false, reason: 'provider_unavailable', detail: 'timeout' });
  });

  it.each(PATHS)('O10: an answer of more than 256 KB at %s is refused', async (path) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.answers[path] = answer(200, JSON.stringify({ keys: [], pad: 'x'.repeat(MAX_PROVIDER_BYTES) }));
    expect(await signIn(PROVIDER)).toEqual({ ok: false, reason: 'provider_error', detail: 'too_large' });
  });

  it.each(PATHS)('O10: a redirect at %s is not followed', async (path) => {
    let hits = 0;
    const other = await loopback(() => (_, response) => {
      hits += 1;
      response.end('{}');
    });
    onTestFinished(() => other.close());
    const { idp, signIn } = await socialWorld();
    idp.behaviour.answers[path] = answer(307, '', { location: `${other.origin}/` });
    expect(await signIn(PROVIDER)).toEqual({ ok: false, reason: 'provider_error', detail: 'redirect' });
    expect(hits).toBe(0);
  });

  it.each(PATHS)('O10: a provider with errors at %s is unavailable', async (path) => {
    const { idp, signIn } = await socialWorld();
    for (const status of [429, 500, 503]) {
      idp.behaviour.answers[path] = answer(status, 'evil text');
      const detail = `status_${status}`;
      expect(await signIn(PROVIDER)).toEqual({ ok: false, reason: 'provider_unavailable', detail });
    }
    idp.behaviour.answers[path] = (response) => response.destroy();
    expect(await signIn(PROVIDER)).toMatchObject({ ok: false, reason: 'provider_unavailable' });
  });
});

describe('a misbehaving provider', () => {
  const OTHER_TIMES = { iat: 1, exp: 2 };
  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'other' }],
    ['several audiences', { aud: ['client-1', 'other'], azp: 'client-1' }],
    ['another authorized party', { azp: 'other', aud: ['client-1', 'other'] }],
    ['an expired time', OTHER_TIMES],
    ['no expiry', { exp: undefined }],
    ['no issuer', { iss: undefined }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['a subject that is a number', { sub: 7 }],
  ])('O11: an ID token with %s is refused', async (_, change) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.claims = (correct) => ({ ...correct, ...change });
    expect(await signIn('linkedin')).toMatchObject({ ok: false, reason: 'invalid_id_token' });
  });

  it('O11: ID tokens with alg none, HS256 by the public key or the secret, and a foreign key are refused', async () => {
    const { idp, clock, signIn } = await socialWorld();
    const now = clock.now().getTime() / 1_000;
    const claims = { iss: idp.endpoints.issuer, sub: 'user-1', aud: 'client-1', iat: now, exp: now + 600 };
    const foreign = await generateKeyPair('ES256', { extractable: true });
    const hmac = (secret: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(Buffer.from(secret.padEnd(32, '0')));
    const signed = (header: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'first', ...header }).sign(foreign.privateKey);
    const tokens = [
      new UnsecuredJWT(claims).encode(),
      await hmac('secret-1'),
      await hmac(await exportSPKI(foreign.publicKey)),
      await signed({}),
      await signed({ jku: 'https://evil.example/keys' }),
      await signed({ kid: 'unknown' }),
      await idp.sign(claims, { crit: ['x'], x: 1 }).catch(() => 'a.b.c'),
      `${(await idp.sign(claims)).slice(0, -6)}AAAAAA`,
      'not a token',
      '',
    ];
    for (const token of tokens) {
      idp.behaviour.idToken = token;
      expect([token, await signIn('linkedin')]).toEqual([
        token,
        expect.objectContaining({ reason: 'invalid_id_token' }),
      ]);
    }
    idp.behaviour.idToken = await idp.sign(claims);
    idp.behaviour.userinfo = { sub: 'user-1' };
    expect(await signIn('linkedin')).toMatchObject({ ok: true });
  });

  it.each([
    ['an error with status 200', { error: 'bad_verification_code', error_description: 'evil text' }],
    ['no access token', { access_token: undefined }],
    ['an access token that is a number', { access_token: 7 }],
    ['an unknown token type', { token_type: 'mac' }],
    ['no ID token', { id_token: undefined }],
  ])('O11: a token answer with %s is refused, and its text is in no result', async (_, change) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.tokens = (correct) => ('error' in change ? change : { ...correct, ...change });
    const result = await signIn('google');
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/^(?:provider_error|invalid_id_token)$/) });
    expect(JSON.stringify(result)).not.toContain('evil');
  });

  it.each(['text', '[]', 'null', '{', '<html>'])('O11: the token answer %s is refused', async (body) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.answers['/token'] = answer(200, body);
    expect(await signIn('google')).toMatchObject({ ok: false, reason: 'provider_error' });
    idp.behaviour.answers = { '/keys': answer(200, body) };
    expect(await signIn('google')).toMatchObject({ ok: false, reason: 'provider_error' });
  });

  it('O11: an error of the token endpoint keeps the text of the provider out of the result', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.answers['/token'] = answer(400, '{"error":"invalid_grant","error_description":"evil text"}');
    const result = await signIn('google');
    expect(result).toEqual({ ok: false, reason: 'provider_error', detail: 'OAUTH_RESPONSE_BODY_ERROR' });
  });

  it('O11: unknown keys cause one fetch of the keys in 30 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { idp, clock, signIn } = await socialWorld();
    const fetches = () => idp.requests.filter(({ path }) => path === '/keys').length;
    expect(await signIn('google')).toMatchObject({ ok: true });
    const iat = clock.now().getTime() / 1_000;
    const claims = { iss: idp.endpoints.issuer, sub: 'user-1', aud: 'client-1', iat, exp: iat + 600 };
    idp.behaviour.idToken = await idp.sign(claims, {}, 'second');
    for (let n = 0; n < 3; n += 1) expect(await signIn('linkedin')).toMatchObject({ reason: 'invalid_id_token' });
    expect(fetches()).toBe(1);
    vi.setSystemTime(Date.now() + 30_001);
    idp.behaviour.publishedKeys = ['second'];
    idp.behaviour.userinfo = { sub: 'user-1' };
    expect(await signIn('linkedin')).toMatchObject({ ok: true });
    expect(fetches()).toBe(2);
  });
});
