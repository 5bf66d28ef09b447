import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuthWorld,
  DAY,
  EMAIL,
  HOUR,
  MINUTE,
  openAuth,
  PASSWORD,
  refused,
  SECOND,
} from '../../../test/support/identity/world.ts';
import { OPERATOR_SCOPE } from '../../platform/tenancy/operator-scope.ts';
import type { OperatorsApi } from './api.ts';

const OTHER = 'another good passphrase';
const CLIENT = { ip: '203.0.113.9', userAgent: 'browser' };

describe('operators', () => {
  let world: AuthWorld;
  let operators: OperatorsApi;
  beforeEach(async () => {
    world = await openAuth();
    ({ operators } = world.beckon);
  });
  afterEach(() => world.close());

  const create = () => operators.create({ email: EMAIL, password: PASSWORD });
  const signIn = (password = PASSWORD) => operators.signIn({ email: EMAIL, password }, CLIENT);
  const expired = refused('session_expired');

  it('an operator signs in without publicUrl, email provider and project, and the session ends at sign-out', async () => {
    const bare = await world.start({ publicUrl: undefined });
    await bare.operators.create({ email: EMAIL, password: PASSWORD });
    const { operator, session, token } = await bare.operators.signIn({ email: EMAIL, password: PASSWORD }, CLIENT);
    expect(operator).toMatchObject({ email: EMAIL, lastSignInAt: world.clock.now() });
    expect(session).toMatchObject({ current: true, ipNet: '203.0.113.0/24', userAgent: 'browser', aal: 'aal1' });
    expect(await bare.operators.authenticate(token)).toEqual({ operator, session });
    expect(await bare.operators.logout(token)).toEqual({ revoked: 1 });
    await expect(bare.operators.authenticate(token)).rejects.toMatchObject(expired);
    expect(await bare.operators.logout(token)).toEqual({ revoked: 0 });
    await expect(bare.operators.authenticate('rt_no')).rejects.toMatchObject(expired);
  });

  it('unknown and known addresses are answered alike after the same work', async () => {
    await create();
    // The first sign-in of a process reads which algorithms the hashes of the scope have.
    await signIn(OTHER).catch(() => undefined);
    const wrong = await world.workOf(() => signIn(OTHER));
    expect(wrong).toMatchObject({ answer: refused('invalid_credentials'), hashes: { verify: 1 } });
    expect(await world.workOf(() => operators.signIn({ email: 'b@example.com', password: OTHER }))).toEqual(wrong);
    expect(await world.workOf(() => operators.signIn({ email: 'no address', password: OTHER }))).toEqual(wrong);
    await operators.create({ email: 'bob@example.com' });
    expect(await world.workOf(() => operators.signIn({ email: 'bob@example.com', password: OTHER }))).toEqual(wrong);
  });

  it('a session ends after two hours without use, and after twelve hours', async () => {
    await create();
    const { token } = await signIn();
    world.clock.advance(2 * HOUR - SECOND);
    await operators.authenticate(token, { isActivity: false });
    world.clock.advance(SECOND);
    await expect(operators.authenticate(token)).rejects.toMatchObject(expired);
    const second = await signIn();
    for (let hour = 1; hour < 12; hour += 1) {
      world.clock.advance(HOUR);
      await operators.authenticate(second.token);
    }
    world.clock.advance(HOUR);
    await expect(operators.authenticate(second.token)).rejects.toMatchObject(expired);
  });

  it('uses within a minute are not written', async () => {
    await create();
    const { token } = await signIn();
    const writes = async () =>
      (await world.workOf(() => operators.authenticate(token))).statements.filter((id) => id === 'auth.touch_session');
    expect(await writes()).toEqual([]);
    world.clock.advance(MINUTE);
    expect(await writes()).toHaveLength(1);
    expect(await writes()).toEqual([]);
  });

  it('what needs a recent sign-in is refused after ten minutes until the password is confirmed', async () => {
    await create();
    const { token } = await signIn();
    world.clock.advance(10 * MINUTE);
    await operators.authenticate(token, { fresh: true });
    world.clock.advance(SECOND);
    await expect(operators.authenticate(token, { fresh: true })).rejects.toMatchObject(refused('reauth_required'));
    await expect(operators.reauthenticate(token, { password: OTHER })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    await operators.reauthenticate(token, { password: PASSWORD });
    await operators.authenticate(token, { fresh: true });
  });

  it('an operator sees and ends own sessions, and none of another operator', async () => {
    await create();
    await operators.create({ email: 'bob@example.com', password: OTHER });
    const [first, second] = [await signIn(), await signIn()];
    const bob = await operators.signIn({ email: 'bob@example.com', password: OTHER });
    const { data } = await operators.sessions(first.token);
    expect(data.map(({ id }) => id).toSorted()).toEqual([first.session.id, second.session.id].toSorted());
    await expect(operators.revokeSession(first.token, bob.session.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await operators.revokeSession(first.token, second.session.id)).toEqual({ revoked: 1 });
    await expect(operators.authenticate(second.token)).rejects.toMatchObject(expired);
    await operators.authenticate(bob.token);
  });

  it('a link sets a password once, within 30 minutes, and ends all sessions', async () => {
    await create();
    const { token } = await signIn();
    const { link: late } = await operators.resetPassword({ email: EMAIL });
    world.clock.advance(30 * MINUTE);
    const invalid = refused('token_invalid');
    await expect(operators.useLink({ token: late?.token ?? '', password: OTHER })).rejects.toMatchObject(invalid);
    const { link: replaced } = await operators.resetPassword({ email: EMAIL });
    const { link } = await operators.resetPassword({ email: EMAIL });
    await expect(operators.useLink({ token: replaced?.token ?? '', password: OTHER })).rejects.toMatchObject(invalid);
    const hashed = world.hashes.calls.hash;
    await expect(operators.useLink({ token: `pr_${'A'.repeat(43)}`, password: OTHER })).rejects.toMatchObject(invalid);
    expect(world.hashes.calls.hash).toBe(hashed);
    await operators.authenticate(token);
    const input = { token: link?.token ?? '', password: OTHER };
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => operators.useLink(input, CLIENT)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(operators.authenticate(token)).rejects.toMatchObject(expired);
    await signIn(OTHER);
    await expect(signIn()).rejects.toMatchObject(refused('invalid_credentials'));
  });

  it('a login link signs its operator in once, within 10 minutes, and a newer one ends it', async () => {
    await create();
    const linkOf = async () => (await operators.createLoginLink({ email: EMAIL })).link?.token ?? '';
    const invalid = refused('token_invalid');
    const first = await linkOf();
    const second = await linkOf();
    await expect(operators.signInWithLink({ token: first })).rejects.toMatchObject(invalid);
    const { operator, session, token } = await operators.signInWithLink({ token: second }, CLIENT);
    expect(await operators.authenticate(token, { fresh: true })).toEqual({ operator, session });
    expect(session).toMatchObject({ ipNet: '203.0.113.0/24', amr: ['otp'] });
    await expect(operators.signInWithLink({ token: second })).rejects.toMatchObject(invalid);
    const late = await linkOf();
    world.clock.advance(10 * MINUTE);
    await expect(operators.signInWithLink({ token: late })).rejects.toMatchObject(invalid);
    await expect(operators.createLoginLink({ email: 'nobody@example.com' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(operators.signInWithLink({ token: 'ml_no' })).rejects.toMatchObject(invalid);
  });

  it('20 uses of one login link at the same time start one session, and a link sets no password', async () => {
    await create();
    const { link } = await operators.createLoginLink({ email: EMAIL });
    const token = link?.token ?? '';
    await expect(operators.useLink({ token, password: OTHER })).rejects.toMatchObject(refused('token_invalid'));
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => operators.signInWithLink({ token })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { link: ofUsers } = await operators.createLoginLink({ email: EMAIL });
    await expect(world.auth.signInWithMagicLink(world.scope, { token: ofUsers?.token ?? '' })).rejects.toMatchObject(
      refused('token_invalid'),
    );
  });

  it('of two operators with one address, also created at once, there is one', async () => {
    const made = await Promise.allSettled([create(), create(), create()]);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'CONFLICT', details: { reason: 'account_exists' } });
    expect((await operators.list()).data).toHaveLength(1);
  });

  it('what operators do is in an audit log that is kept for 400 days', async () => {
    await create();
    await signIn();
    const { db } = world.database.storage;
    const { authAudit } = world.database.tables;
    const actions = async () => (await db.select().from(authAudit)).map(({ scopeId, action }) => [scopeId, action]);
    const { scopeId } = OPERATOR_SCOPE;
    const kept = [
      [scopeId, 'operator.create'],
      [scopeId, 'operator.sign_in'],
    ];
    expect((await actions()).toSorted()).toEqual([...kept, [world.scope.scopeId, 'settings.update']].toSorted());
    world.clock.advance(399 * DAY);
    await world.beckon.worker.drain();
    expect((await actions()).filter(([id]) => id === scopeId).toSorted()).toEqual(kept.toSorted());
    world.clock.advance(2 * DAY);
    await world.beckon.worker.drain();
    expect((await actions()).filter(([id]) => id === scopeId)).toEqual([]);
  });
});

describe('the scope of operators', () => {
  let world: AuthWorld;
  beforeEach(async () => {
    world = await openAuth();
    await world.beckon.operators.create({ email: EMAIL, password: PASSWORD });
  });
  afterEach(() => world.close());

  const missing = { code: 'NOT_FOUND' };
  const { orgId, projectId, environment } = OPERATOR_SCOPE;

  it('no name leads to it, and no list, grant, key or tenant of a program has it', async () => {
    const { tenancy, plans, limits } = world.beckon;
    await expect(tenancy.scope({ orgId, projectId, environment })).rejects.toMatchObject(missing);
    await expect(tenancy.project({ orgId, projectId })).rejects.toMatchObject(missing);
    await expect(tenancy.createProject({ orgId, name: 'Mine' })).rejects.toMatchObject(missing);
    expect(JSON.stringify([await tenancy.listOrgs(), await tenancy.listProjects()])).not.toContain(projectId);
    expect((await tenancy.listProjects({ orgId })).data).toEqual([]);
    for (const grant of [
      { orgId, projectId },
      { orgId, projectId: '*' },
      { orgId: world.org.id, projectId },
    ])
      await expect(tenancy.createKey({ kind: 'secret', environment, grants: [grant] })).rejects.toMatchObject(missing);
    expect((await tenancy.listKeys({ orgId })).data).toEqual([]);
    await expect(plans.set(orgId, 'unlimited')).rejects.toMatchObject(missing);
    await expect(limits.setEmailProbation(orgId, true)).rejects.toMatchObject(missing);
    const tenant = { org: { id: orgId }, project: { id: projectId } };
    await expect(world.start(tenant)).rejects.toMatchObject(missing);
    const issuer = { projectId, environment };
    await expect(world.auth.issuerJwks(issuer)).rejects.toMatchObject(missing);
    await expect(world.auth.openIdConfiguration(issuer)).rejects.toMatchObject(missing);
  });

  it('an organization and a project with its names are others', async () => {
    const named = await world.start({ org: { name: orgId }, project: { name: projectId } });
    const [own] = (await named.tenancy.listProjects()).data.filter(({ name }) => name === projectId);
    const scope = await named.tenancy.scope({ orgId: own?.orgId ?? '', projectId: own?.id ?? '', environment });
    expect(scope.scopeId).not.toBe(OPERATOR_SCOPE.scopeId);
    expect((await named.users.list(scope)).data).toEqual([]);
  });

  it('every function that takes a scope refuses it, sign-up included', async () => {
    const { auth, beckon } = world;
    await expect(auth.signUp(OPERATOR_SCOPE, { email: 'eve@example.com', password: PASSWORD })).rejects.toThrow(
      TypeError,
    );
    expect(() => beckon.for(OPERATOR_SCOPE)).toThrow(TypeError);
    const others: string[] = [];
    for (const [group, api] of Object.entries(beckon.for(world.scope)))
      if (group !== 'scope')
        for (const name of Object.keys(api)) {
          // Safe: the bound client has the functions of the group that take a scope first.
          const call = Reflect.get(Reflect.get(beckon, group), name) as (scope: unknown) => Promise<unknown>;
          const error = await Promise.resolve()
            .then(() => call(OPERATOR_SCOPE))
            .then(
              () => null,
              (reason: unknown) => reason,
            );
          if (!(error instanceof TypeError)) others.push(`${group}.${name}`);
        }
    // They take the names of a project or a random state, which lead to nothing.
    expect(others).toEqual([
      ...['auth.handleSocialCallback', 'auth.authenticateScim', 'auth.handleSamlResponse', 'auth.samlMetadata'],
      ...['auth.issuerJwks', 'auth.openIdConfiguration'],
    ]);
  });

  it('sessions and links of operators are unknown to a project, and those of users to operators', async () => {
    const { beckon, auth, scope } = world;
    const { token } = await beckon.operators.signIn({ email: EMAIL, password: PASSWORD });
    await expect(auth.refresh(scope, { refreshToken: token })).rejects.toMatchObject(refused('refresh_invalid'));
    const { link } = await beckon.operators.resetPassword({ email: EMAIL });
    const reset = { token: link?.token ?? '', password: 'another good passphrase' };
    await expect(auth.resetPassword(scope, reset)).rejects.toMatchObject(refused('token_invalid'));
    await expect(auth.signIn(scope, { email: EMAIL, password: PASSWORD })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
    expect((await world.users.list(scope)).data).toEqual([]);
    await world.register(scope, 'user@example.com');
    const user = await world.signIn(scope, 'user@example.com');
    await expect(beckon.operators.authenticate(user.refreshToken)).rejects.toMatchObject(refused('session_expired'));
    await expect(beckon.operators.signIn({ email: 'user@example.com', password: PASSWORD })).rejects.toMatchObject(
      refused('invalid_credentials'),
    );
  });

  it('operators are no tenant: they raise no event and count in no profile, quota, retention or analytics', async () => {
    const { beckon, clock, database } = world;
    const { token } = await beckon.operators.signIn({ email: EMAIL, password: PASSWORD });
    await beckon.operators.authenticate(token);
    // The session ends by time, which raises an event for a user.
    clock.advance(40 * DAY);
    await beckon.worker.drain();
    clock.advance(2 * DAY);
    await beckon.worker.drain();
    const { scopeId } = OPERATOR_SCOPE;
    const found: string[] = [];
    for (const [name, table] of Object.entries(database.tables)) {
      if (!('scopeId' in table)) continue;
      // Safe: every table with a scope is selected alike.
      const rows = (await database.storage.db.select().from(table as never)) as { scopeId: number }[];
      if (rows.some((row) => row.scopeId === scopeId)) found.push(name);
    }
    expect(found.filter((name) => !name.startsWith('auth'))).toEqual([]);
    expect(found).toContain('authUsers');
    expect(found).not.toContain('authSessions');
    await expect(beckon.operators.authenticate(token)).rejects.toMatchObject(refused('session_expired'));
    await beckon.operators.signIn({ email: EMAIL, password: PASSWORD });
  });
});
