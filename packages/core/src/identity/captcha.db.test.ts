import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AuthWorld, EMAIL, openAuth, PASSWORD } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import type { AccountCall, AccountDecision } from '../app/host/hooks.ts';
import { newMasterKey } from '../foundation/secrets.ts';

const SECRET = 'captcha-secret-0123456789';
const failed = { code: 'FORBIDDEN', details: expect.objectContaining({ reason: 'captcha_failed' }) };
const denied = { code: 'FORBIDDEN', details: expect.objectContaining({ reason: 'denied' }) };

/** What the fake provider answers, and what it received. */
let answer: { readonly status: number; readonly body: string };
const received: string[] = [];
const provider = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push(Buffer.concat(chunks).toString());
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
});
let before: (call: AccountCall) => AccountDecision | Promise<AccountDecision> = () => undefined;
const logged: object[] = [];
let world: AuthWorld;

const setCaptcha = (captcha: object | null) => world.auth.updateSettings(world.scope, unchecked({ captcha }));
const signIn = (captchaToken?: string) =>
  world.auth.signIn(world.scope, {
    email: EMAIL,
    password: PASSWORD,
    ...(captchaToken !== undefined && { captchaToken }),
  });

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const keep = (fields: object): void => void logged.push(fields);
  world = await openAuth({
    log: { info: keep, warn: keep, error: keep },
    outbound: { allowCidrs: ['127.0.0.0/8'] },
    auth: { captchaUrls: { turnstile: `http://127.0.0.1:${port}/`, recaptcha: `http://127.0.0.1:${port}/` } },
    hooks: { auth: { before: (call) => before(call) } },
  });
  await world.register();
});
afterEach(async () => {
  before = () => undefined;
  await setCaptcha(null);
  received.length = 0;
  logged.length = 0;
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => provider.close(resolve));
});

it('a captcha is verified with its provider before any account is looked up, and its secret is never returned', async () => {
  const { auth, scope } = world;
  await expect(setCaptcha({ type: 'turnstile' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(setCaptcha({ type: 'turnstile', siteKey: 'site' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await auth.updateSettings(scope, { anonymous: { enabled: true } });
  const settings = await setCaptcha({ type: 'turnstile', siteKey: 'site', secret: SECRET });
  expect(settings.captcha).toEqual({ type: 'turnstile', siteKey: 'site' });
  expect(JSON.stringify(await auth.getSettings(scope))).not.toContain(SECRET);
  expect(await auth.getConfig(scope)).toMatchObject({
    captcha: { type: 'turnstile', siteKey: 'site' },
    signup: 'open',
  });
  const rows = await world.database.storage.db.select().from(world.database.tables.authSettings);
  expect(JSON.stringify(rows)).not.toContain(SECRET);

  const before = { ...world.hashes.calls };
  await expect(signIn()).rejects.toMatchObject(failed);
  expect(received).toEqual([]);
  answer = { status: 200, body: '{"success":false}' };
  const wrong = await world.workOf(() => signIn('wrong'));
  expect(wrong.answer).toMatchObject(failed);
  expect(wrong.statements.filter((name) => name.startsWith('auth.user'))).toEqual([]);
  expect(world.hashes.calls).toEqual(before);
  answer = { status: 200, body: '{"success":true}' };
  expect(await signIn('right')).toHaveProperty('accessToken');
  expect(Object.fromEntries(new URLSearchParams(received.at(-1)))).toEqual({ secret: SECRET, response: 'right' });

  for (const call of [
    () => auth.signUp(scope, { email: 'bob@example.com', password: PASSWORD }),
    () => auth.forgotPassword(scope, { email: EMAIL }),
    () => auth.requestVerification(scope, { email: EMAIL }),
    () => auth.requestMagicLink(scope, { email: EMAIL }),
    () => auth.requestEmailCode(scope, { email: EMAIL }),
    () => auth.signInAsGuest(scope),
  ])
    await expect(call()).rejects.toMatchObject(failed);
  expect(await auth.requestMagicLink(scope, { email: EMAIL, captchaToken: 'right' })).toMatchObject({ sent: true });
  expect(await auth.requestEmailCode(scope, { email: 'x@example.com', captchaToken: 'right' })).toMatchObject({
    sent: true,
  });
  expect(await auth.signInAsGuest(scope, { captchaToken: 'right' })).toHaveProperty('accessToken');
  // The same service keeps its secret; another one needs its own.
  await setCaptcha({ type: 'turnstile', siteKey: 'other' });
  expect(await signIn('right')).toHaveProperty('accessToken');
  await expect(setCaptcha({ type: 'hcaptcha', siteKey: 'x' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('a captcha provider that fails, redirects or scores low lets nobody in', async () => {
  await setCaptcha({ type: 'recaptcha', siteKey: 'site', secret: SECRET });
  for (const one of [
    { status: 503, body: '{"success":true}' },
    { status: 302, body: '{"success":true}' },
    { status: 200, body: 'no json' },
    { status: 200, body: '{"success":"true"}' },
    { status: 200, body: '{"success":true,"score":0.1}' },
  ]) {
    answer = one;
    await expect(signIn('token'), JSON.stringify(one)).rejects.toMatchObject(failed);
  }
  expect(JSON.stringify(logged)).toContain('status_503');
  expect(JSON.stringify(logged)).not.toContain(SECRET);
  answer = { status: 200, body: '{"success":true,"score":0.9}' };
  expect(await signIn('token')).toHaveProperty('accessToken');
});

it('a host denies calls before any account is looked up, and a hook that throws or is late denies', async () => {
  const { auth, scope } = world;
  const calls: AccountCall[] = [];
  before = (call) => {
    calls.push(call);
    return call.email?.endsWith('@blocked.example') ? { deny: 'Only company addresses.' } : undefined;
  };
  const sentBefore = (await world.emails()).length;
  const work = await world.workOf(() => auth.signUp(scope, { email: 'Eve@blocked.example', password: PASSWORD }));
  expect(work.answer).toMatchObject({ details: { reason: 'denied', denial: 'Only company addresses.' } });
  expect(work.hashes).toEqual({ hash: 0, verify: 0 });
  expect(work.statements.filter((name) => /^auth\.(user|insert)/.test(name))).toEqual([]);
  await expect(auth.forgotPassword(scope, { email: 'x@blocked.example' })).rejects.toMatchObject(denied);
  await expect(auth.signIn(scope, { email: 'x@blocked.example', password: 'x' })).rejects.toMatchObject(denied);
  await expect(auth.requestMagicLink(scope, { email: 'x@blocked.example' })).rejects.toMatchObject(denied);
  await expect(auth.requestEmailCode(scope, { email: 'x@blocked.example' })).rejects.toMatchObject(denied);
  expect((await world.emails()).length).toBe(sentBefore);
  expect(await signIn()).toHaveProperty('accessToken');
  expect(calls.map(({ action, email }) => [action, email])).toEqual([
    ['sign_up', 'eve@blocked.example'],
    ['reset', 'x@blocked.example'],
    ['sign_in', 'x@blocked.example'],
    ['sign_in', 'x@blocked.example'],
    ['sign_in', 'x@blocked.example'],
    ['sign_in', EMAIL],
  ]);
  before = () => {
    throw new Error('the directory is down');
  };
  await expect(signIn()).rejects.toMatchObject(denied);
  expect(JSON.stringify(logged)).toContain('auth.before');
  before = () => new Promise(() => undefined);
  await expect(signIn()).rejects.toMatchObject(denied);
});

it('the captcha secret is sealed again with a new master key', async () => {
  const own = await openAuth({ outbound: { allowCidrs: ['127.0.0.0/8'] } });
  try {
    await own.auth.updateSettings(own.scope, { captcha: { type: 'turnstile', siteKey: 's', secret: SECRET } });
    const sealed = async () =>
      (await own.database.storage.db.select().from(own.database.tables.authSettings)).map((row) => row.captchaSealed);
    const first = await sealed();
    expect(first).toEqual([expect.any(String)]);
    const rotated = await own.start({ masterKey: `${newMasterKey()},${own.masterKey}` });
    await rotated.secrets.rotateMasterKey();
    expect(await sealed()).not.toEqual(first);
  } finally {
    await own.close();
  }
});

it('failed sign-ins and what administrators do are in the audit log, without addresses', async () => {
  const { auth, users, scope } = world;
  const user = await users.create(scope, { email: 'cleo@example.com' }, { actor: 'key:k1' });
  await expect(auth.signIn(scope, { email: EMAIL, password: 'wrong' }, { ip: '203.0.113.9' })).rejects.toThrow();
  await expect(auth.signIn(scope, { email: 'nobody@example.com', password: 'wrong' })).rejects.toThrow();
  await expect(auth.signInWithMagicLink(scope, { token: 'ml_unknown' })).rejects.toThrow();
  const { challengeId } = await auth.requestEmailCode(scope, { email: 'di@example.com' });
  const code = { challengeId, email: 'di@example.com', code: '000000' };
  await expect(auth.signInWithEmailCode(scope, code)).rejects.toThrow();
  for (const [result, method] of [
    ['token_invalid', 'magic_link'],
    ['code_invalid', 'email_otp'],
  ] as const)
    expect((await auth.audit(scope, { result })).data).toMatchObject([
      { actor: 'anonymous', action: 'sign_in', target: null, detail: { method } },
    ]);
  const failures = await auth.audit(scope, { result: 'invalid_credentials' });
  expect(failures.data).toMatchObject([
    { actor: 'anonymous', action: 'sign_in', target: null, detail: { method: 'password' } },
    { actor: 'anonymous', action: 'sign_in', target: expect.any(String), ipNet: '203.0.113.0/24' },
  ]);
  await users.sendReset(scope, user.id, { actor: 'key:k1' });
  await users.update(scope, user.id, { disabled: true }, { actor: 'key:k1' });
  await users.revokeSessions(scope, user.id, { actor: 'key:k1' });
  await users.delete(scope, user.id, { actor: 'key:k1' });
  await auth.rotateSigningKey(scope, { actor: 'key:k1' });
  await auth.updateSettings(scope, { password: null }, { actor: 'key:k1' });
  const { data } = await auth.audit(scope, { actor: 'key:k1', limit: 100 });
  expect(data.map(({ action }) => action).toSorted()).toEqual(
    ['user.create', 'user.delete', 'user.send_reset', 'user.update', 'sessions.revoke', 'settings.update']
      .concat('signing_keys.rotate')
      .toSorted(),
  );
  expect(JSON.stringify(await auth.audit(scope, { limit: 200 }))).not.toContain('@');
  // The erasure deletes entries about the user; the deletion itself stays on record.
  await world.beckon.worker.drain();
  expect((await auth.audit(scope, { target: user.id })).data).toEqual([]);
  expect((await auth.audit(scope, { action: 'user.delete' })).data).toHaveLength(1);
});
