import { createHmac } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { appleKeys, CREDENTIALS, socialWorld } from '../../../test/support/identity/social-world.ts';
import { appleNameOf } from './apple.ts';
import { finishFlow } from './flow.ts';
import { MAX_RAW_BYTES } from './identity.ts';

const TENANT = '11111111-2222-3333-4444-555555555555';
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad';

describe('identities from APIs', () => {
  it.each([
    ['discord', { id: '7', email: 'a@b.example', verified: true, username: 'ada' }, true, 'ada'],
    ['discord', { id: '7', email: 'a@b.example', verified: 'true', global_name: 'Ada', username: 'x' }, false, 'Ada'],
    ['facebook', { id: '7', email: 'a@b.example', name: 'Ada', email_verified: true }, false, 'Ada'],
    ['spotify', { id: '7', email: 'a@b.example', display_name: 'Ada', verified: true }, false, 'Ada'],
    ['twitch', { sub: '7', email: 'a@b.example', email_verified: true, preferred_username: 'Ada' }, true, 'Ada'],
    ['twitch', { sub: '7', email: 'a@b.example', email_verified: 'false', preferred_username: 'Ada' }, false, 'Ada'],
    ['x', { data: { id: '7', confirmed_email: 'a@b.example', name: 'Ada', verified: true } }, false, 'Ada'],
  ] as const)('O8: %s with %j is verified: %s', async (provider, userinfo, emailVerified, name) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = userinfo;
    expect(await signIn(provider)).toMatchObject({
      ok: true,
      identity: { provider, subject: '7', email: 'a@b.example', emailVerified, name },
    });
    expect(idp.requests.find(({ path }) => path === '/userinfo')?.authorization).toBe('Bearer at-1');
  });

  it.each([
    [[{ email: 'a@b.example', primary: true, verified: true }], 'a@b.example'],
    [[{ email: 'a@b.example', primary: true, verified: 'true' }], null],
    [[{ email: 'a@b.example', primary: false, verified: true }], null],
    [{ message: 'Not Found' }, null],
    ['text', null],
  ])('O8: GitHub with the addresses %j has the address %s', async (emails, email) => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = { id: 583231, login: 'ada', name: null, email: 'public@b.example' };
    idp.behaviour.emails = emails;
    expect(await signIn('github')).toMatchObject({
      identity: { subject: '583231', email, emailVerified: email !== null, name: 'ada' },
    });
  });

  it('Facebook receives the proof of the app secret', async () => {
    const { idp, context, begin, agreed } = await socialWorld();
    const seen: string[] = [];
    const { stored, query } = begin('facebook');
    const fetch: typeof context.http.fetch = (url, request) => {
      seen.push(String(url));
      return context.http.fetch(url, request);
    };
    idp.behaviour.userinfo = { id: '7' };
    const spied = { ...context, http: { ...context.http, fetch } };
    await finishFlow(spied, { provider: 'facebook', credentials: CREDENTIALS, stored, params: agreed(query) });
    const proof = createHmac('sha256', CREDENTIALS.clientSecret).update('at-1').digest('hex');
    expect(seen.at(-1)).toBe(`${idp.endpoints.userinfo}?appsecret_proof=${proof}`);
  });

  it('X and Spotify receive the client secret in the Authorization header, and the others in the body', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = { id: '7', data: { id: '7' } };
    for (const provider of ['x', 'spotify', 'discord', 'google'] as const) await signIn(provider);
    const calls = idp.requests.filter(({ path }) => path === '/token');
    expect(calls.map(({ authorization, form }) => [authorization?.slice(0, 6), form.get('client_secret')])).toEqual([
      ['Basic ', null],
      ['Basic ', null],
      [undefined, 'secret-1'],
      [undefined, 'secret-1'],
    ]);
  });

  it('token answers with a list of scopes, or without a type, are accepted', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = { sub: '7' };
    idp.behaviour.tokens = () => ({ access_token: 'at-1', scope: ['a', 'b'], expires_in: '60', id_token: 'x.y.z' });
    expect(await signIn('twitch')).toMatchObject({ ok: true });
  });

  it('an identity stores at most 8 KB of claims', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = { id: '7', bio: 'b'.repeat(20_000) };
    const result = await signIn('discord');
    expect(result.ok && Buffer.byteLength(JSON.stringify(result.identity.raw))).toBeLessThanOrEqual(MAX_RAW_BYTES);
  });

  it.each([{}, { id: '' }, { id: { a: 1 } }, { id: 'x'.repeat(256) }, [], 'text', null])(
    'a user without a valid id is refused: %j',
    async (userinfo) => {
      const { idp, signIn } = await socialWorld();
      idp.behaviour.userinfo = userinfo;
      expect(await signIn('discord')).toMatchObject({ ok: false, reason: 'provider_error' });
    },
  );

  it('the userinfo endpoint completes an ID token without an address, for the same subject only', async () => {
    const { idp, signIn } = await socialWorld();
    idp.behaviour.userinfo = { sub: 'user-1', email: 'a@b.example', email_verified: true, name: 'Ada' };
    expect(await signIn('linkedin')).toMatchObject({ identity: { email: 'a@b.example', emailVerified: true } });
    idp.behaviour.userinfo = { sub: 'user-2', email: 'a@b.example', email_verified: true };
    expect(await signIn('linkedin')).toMatchObject({ ok: false, reason: 'provider_error' });
  });
});

describe('Microsoft', () => {
  const world = async (change: Readonly<Record<string, unknown>> = {}) => {
    const made = await socialWorld();
    made.idp.behaviour.claims = (correct) => ({
      ...correct,
      iss: `${made.idp.endpoints.issuer}/${TENANT}/v2.0`,
      tid: TENANT,
      oid: 'object-1',
      email: 'a@b.example',
      ...change,
    });
    return made;
  };

  it('O9: the subject of Microsoft is the object id, and the issuer is that of the tenant', async () => {
    const { idp, signIn } = await world({ xms_edov: true });
    expect(await signIn('microsoft')).toMatchObject({
      ok: true,
      identity: {
        subject: 'object-1',
        issuer: `${idp.endpoints.issuer}/${TENANT}/v2.0`,
        email: 'a@b.example',
        emailVerified: true,
      },
    });
  });

  it.each([undefined, 'true', '1', 1, false])('O9: an address with xms_edov %j is not verified', async (value) => {
    const { signIn } = await world({ xms_edov: value, email_verified: true });
    expect(await signIn('microsoft')).toMatchObject({ ok: true, identity: { emailVerified: false } });
  });

  it.each([
    ['a tenant other than that of the issuer', { tid: CONSUMERS }],
    ['no tenant', { tid: undefined }],
    ['no tenant and the template as its issuer', { tid: '{tenantid}' }],
    ['no object id', { oid: undefined }],
  ])('O9: a token with %s is refused', async (_, change) => {
    const { signIn } = await world(change);
    expect(await signIn('microsoft')).toMatchObject({ ok: false, reason: 'invalid_id_token' });
  });

  it.each([
    ['common', true],
    ['organizations', true],
    ['consumers', false],
    [TENANT, true],
    [CONSUMERS, false],
  ])('O9: credentials for the tenant %s accept a user of another tenant: %s', async (tenant, ok) => {
    const { signIn } = await world();
    expect(await signIn('microsoft', { credentials: { ...CREDENTIALS, tenant } })).toMatchObject({ ok });
  });
});

describe('Apple', () => {
  it('Apple receives a client secret of five minutes that its key signed', async () => {
    const { idp, clock, signIn } = await socialWorld();
    expect(await signIn('apple')).toMatchObject({ ok: true });
    const secret = idp.requests[0]?.form.get('client_secret') ?? '';
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY1234567' });
    const iat = clock.now().getTime() / 1_000;
    expect(decodeJwt(secret)).toEqual({
      iss: 'TEAM123456',
      iat,
      exp: iat + 300,
      aud: 'https://appleid.apple.com',
      sub: 'client-1',
    });
    await jwtVerify(secret, appleKeys.publicKey, { currentDate: clock.now() });
  });

  it('an invalid Apple key is a provider_error, and its text is in no result', async () => {
    const { idp, signIn } = await socialWorld();
    const result = await signIn('apple', { credentials: { ...CREDENTIALS, clientSecret: 'not a key' } });
    expect(result).toMatchObject({ ok: false, reason: 'provider_error' });
    expect(JSON.stringify(result)).not.toContain('not a key');
    expect(idp.requests).toEqual([]);
  });

  it('the name of the first Apple sign-in comes from its form', async () => {
    const { signIn } = await socialWorld();
    const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'evil@b.example' });
    expect(await signIn('apple', { more: { user } })).toMatchObject({
      identity: { name: 'Ada Lovelace', email: null },
    });
  });

  it.each([
    null,
    '',
    '{',
    'null',
    '[]',
    '{"name":5}',
    '{"name":{"firstName":5}}',
    `{"name":{"firstName":"${'a'.repeat(5_000)}"}}`,
  ])('a form field without a name is no name: %j', (field) => {
    expect(appleNameOf(field)).toBeNull();
  });
});
