import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthWorld, EMAIL, HOUR, openAuth, PASSWORD } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import type { Scope } from '../foundation/scope.ts';

const MINUTE = 60_000;
let world: AuthWorld;
let scope: Scope;
beforeAll(async () => {
  world = await openAuth();
  scope = world.scope;
  await world.beckon.plans.set(scope.orgId, 'growth');
  await world.register();
});
afterAll(() => world.close());

/** The payload of a token, without a check. */
const payloadOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const put = (template: object) => world.auth.updateClaimsTemplate(scope, unchecked({ template }));
const reserved = { details: expect.objectContaining({ reason: 'reserved_claim' }) };

it('access tokens of sign-in and refresh have the claims of the template, and traits keep their types', async () => {
  const { auth, beckon } = world;
  const { user } = await world.signIn();
  await beckon.profiles.update(scope, user.userId, { traits: { plan: 'pro', seats: 5 } });
  await put({ tenant: { id: '{{org.id}}' }, seats: '{{trait.seats}}', label: '{{trait.plan}} of {{user.email}}' });
  const signedIn = await world.signIn();
  const expected = { tenant: { id: scope.orgId }, seats: 5, label: `pro of ${EMAIL}` };
  expect(payloadOf(signedIn.accessToken)).toMatchObject(expected);
  expect((await auth.authenticate(scope, signedIn.accessToken)).account.id).toBe(user.id);
  const refreshed = await auth.refresh(scope, { refreshToken: signedIn.refreshToken });
  expect(payloadOf(refreshed.accessToken)).toMatchObject(expected);
  expect(await auth.previewClaims(scope, { id: user.id })).toEqual({ claims: expected, skipped: null });
  expect((await auth.previewClaims(scope, { template: { a: '{{user.email}}' } })).claims).toEqual({ a: '' });
});

it('K7 reserved claims and __proto__ are refused, and claims over 4 KB are skipped, audited, and the token is issued', async () => {
  const { auth, beckon } = world;
  await expect(put({ sub: 'x' })).rejects.toMatchObject(reserved);
  await expect(put({ act: { sub: 'x' } })).rejects.toMatchObject(reserved);
  await expect(put(JSON.parse('{"__proto__":{"admin":true}}'))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(put(JSON.parse('{"a":{"__proto__":{"admin":true}}}'))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await expect(put({ a: 'a\u0000' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });

  const { user } = await world.signIn();
  await beckon.profiles.update(scope, user.userId, { traits: { bio: 'x'.repeat(5_000) } });
  await put({ bio: '{{trait.bio}}', plan: 'pro' });
  const first = await world.signIn();
  const second = await auth.refresh(scope, { refreshToken: first.refreshToken });
  for (const { accessToken } of [first, second]) {
    expect(payloadOf(accessToken)).not.toHaveProperty('plan');
    await auth.authenticate(scope, accessToken);
  }
  // Refreshes of one user do not fill the log.
  const { data } = await auth.audit(scope, { action: 'claims.skip' });
  expect(data).toMatchObject([{ actor: 'system', target: user.id, result: 'too_large' }]);
  expect((await auth.previewClaims(scope, { id: user.id })).skipped).toBe('too_large');
});

it('a token without a template takes the same statements as before, and a template without traits reads no profile', async () => {
  await world.auth.deleteClaimsTemplate(scope);
  await world.signIn();
  const plain = await world.workOf(() => world.signIn());
  expect(plain.statements.filter((name) => /jwt_template|profiles/.test(name))).toEqual([]);
  await put({ plan: 'pro', id: '{{user.id}}' });
  await world.signIn();
  expect((await world.workOf(() => world.signIn())).statements).toEqual(plain.statements);
  await put({ plan: '{{trait.plan}}' });
  await world.signIn();
  expect((await world.workOf(() => world.signIn())).statements.length).toBeGreaterThan(plain.statements.length);
});

it('a template applies to one environment of one project', async () => {
  await put({ plan: 'pro' });
  const other = await world.project('test');
  const prod = await world.environmentOf(scope, 'prod');
  for (const one of [other, prod]) {
    expect(await world.auth.getClaimsTemplate(one)).toEqual({ template: null, updatedAt: null });
    await world.auth.deleteClaimsTemplate(one);
    const { id } = await world.users.create(one, { email: EMAIL });
    const { accessToken } = await world.users.impersonate(one, id, { reason: 'support' });
    expect(payloadOf(accessToken)).not.toHaveProperty('plan');
  }
  expect((await world.auth.getClaimsTemplate(scope)).template).toEqual({ plan: 'pro' });
});

it('without the feature in the plan templates cannot be changed, and a stored one is ignored', async () => {
  const { auth, beckon, clock } = world;
  await put({ plan: 'pro' });
  expect(payloadOf((await world.signIn()).accessToken)).toHaveProperty('plan');
  await beckon.plans.set(scope.orgId, 'free');
  clock.advance(11_000);
  expect(payloadOf((await world.signIn()).accessToken)).not.toHaveProperty('plan');
  const refused = { code: 'tier_required', details: expect.objectContaining({ requiredPlan: 'growth' }) };
  await expect(put({ plan: 'x' })).rejects.toMatchObject(refused);
  await expect(put({ sub: 'x' })).rejects.toMatchObject(reserved);
  await expect(auth.getClaimsTemplate(scope)).rejects.toMatchObject(refused);
  await beckon.plans.set(scope.orgId, 'growth');
  clock.advance(11_000);
  expect((await auth.getClaimsTemplate(scope)).template).toEqual({ plan: 'pro' });
  expect(payloadOf((await world.signIn()).accessToken)).toHaveProperty('plan');
});

it('K10 an impersonation names who acts, has no refresh token, is never fresh, and ends with the sessions of the user', async () => {
  const { auth, users, clock } = world;
  const own = await world.signIn();
  const { id, userId } = own.user;
  const before = await world.eventsOf(userId);
  await expect(users.impersonate(scope, id, { reason: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  const acting = await users.impersonate(scope, id, { reason: 'ticket 4711' }, { actor: 'key:k1', ip: '198.51.100.7' });
  expect(acting).not.toHaveProperty('refreshToken');
  expect(acting).toMatchObject({ expiresIn: 900, user: { id } });
  expect(payloadOf(acting.accessToken)).toMatchObject({ sub: id, act: { sub: 'key:k1' }, auth_time: 0, aal: 'aal1' });
  const bearer = await auth.authenticate(scope, acting.accessToken);
  expect((await auth.me(scope, bearer)).id).toBe(id);
  const stale = { code: 'FORBIDDEN', details: expect.objectContaining({ reason: 'reauth_required' }) };
  await expect(auth.authenticate(scope, acting.accessToken, { fresh: true })).rejects.toMatchObject(stale);
  await expect(auth.reauthenticate(scope, bearer, { password: PASSWORD })).rejects.toMatchObject(stale);
  const { data } = await auth.audit(scope, { action: 'user.impersonate' });
  expect(data).toMatchObject([
    {
      ...{ actor: 'key:k1', target: id, result: 'ok', ipNet: '198.51.100.0/24' },
      detail: { reason: 'ticket 4711', sessionId: acting.sessionId },
    },
  ]);

  await users.revokeSessions(scope, id);
  await expect(auth.authenticate(scope, acting.accessToken)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  const later = await users.impersonate(scope, id, { reason: 'again' });
  clock.advance(15 * MINUTE);
  await expect(auth.authenticate(scope, later.accessToken)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  clock.advance(HOUR);
  await world.beckon.worker.drain();
  // The user's own sessions that were ended raise an event each; impersonations raise none.
  const raised = (await world.eventsOf(userId)).slice(before.length);
  const ofActing = JSON.stringify((await world.beckon.profiles.events(scope, userId, { limit: 200 })).data);
  expect(raised.filter((name) => name !== 'user.session_expired')).toEqual([]);
  expect(ofActing).not.toContain(acting.sessionId);
  expect(ofActing).not.toContain(later.sessionId);

  await users.update(scope, id, { disabled: true });
  await expect(users.impersonate(scope, id, { reason: 'no' })).rejects.toMatchObject({
    code: 'CONFLICT',
    details: expect.objectContaining({ reason: 'user_disabled' }),
  });
  await users.update(scope, id, { disabled: false });
  await expect(users.impersonate(scope, '01890000-0000-7000-8000-000000000000', { reason: 'x' })).rejects.toMatchObject(
    {
      code: 'NOT_FOUND',
    },
  );
});

it('an impersonation ends no session of a user who has as many as the settings allow', async () => {
  const { auth, users } = world;
  await auth.updateSettings(scope, { session: { maxPerUser: 1 } });
  const own = await world.signIn();
  await users.impersonate(scope, own.user.id, { reason: 'support' });
  await auth.authenticate(scope, own.accessToken);
  await auth.updateSettings(scope, { session: null });
});
