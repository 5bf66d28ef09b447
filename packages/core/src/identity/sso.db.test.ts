import { beforeEach, describe, expect, it } from 'vitest';
import { attributeXml, encryptXml, IDP } from '../../test/support/identity/saml-provider.ts';
import { DOMAIN, openSsoAuth, SSO_URL, type SsoAuth } from '../../test/support/identity/sso-auth.ts';
import { DAY, MINUTE, PAGE, refused } from '../../test/support/identity/world.ts';

const INVALID = { code: 'VALIDATION_ERROR', ...refused('saml_invalid') };
const ADA = `ada@${DOMAIN}`;

describe('sign-in by SAML', () => {
  let world: SsoAuth;
  beforeEach(async () => {
    world = await openSsoAuth();
  });

  it('a first sign-in creates a verified account with its profile and raises user.signed_up', async () => {
    const connection = await world.connectSaml();
    expect((await world.prove(connection)).isVerified).toBe(true);
    const attributes =
      attributeXml('email', ADA) +
      attributeXml('displayName', 'Ada L.') +
      attributeXml('locale', 'en_GB') +
      attributeXml('groups', 'engineers', 'admins');
    const { user } = await world.signInBySaml(connection, { attributes });
    expect(user).toMatchObject({
      ...{ email: ADA, emailVerified: true, name: 'Ada L.', locale: 'en-GB', source: 'sso' },
    });
    expect(await world.eventsOf(user.userId)).toEqual(['user.signed_up', 'user.signed_in']);
    const { data } = await world.beckon.profiles.events(world.scope, user.userId);
    expect(data.find(({ eventType }) => eventType === 'user.signed_in')?.properties).toMatchObject({
      ...{ method: 'sso', provider: 'saml', newUser: true },
    });
    expect((await world.signInBySaml(connection)).user.id).toBe(user.id);
    expect((await world.users.identities(world.scope, user.id)).data).toMatchObject([
      { provider: 'saml', connectionId: connection.id, subject: 'ada@corp.example', email: ADA, emailVerified: true },
    ]);
  });

  it('the email address selects the connection of its proven domain', async () => {
    const connection = await world.connectSaml();
    const { id } = await world.auth.createSsoDomain(world.scope, { connectionId: connection.id, domain: DOMAIN });
    const unproven = world.start({ email: ADA });
    await expect(unproven).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [domain] = (await world.auth.listSsoDomains(world.scope)).data;
    world.zone[domain?.txtName ?? ''] = [[domain?.txtValue ?? '']];
    await world.auth.verifySsoDomain(world.scope, id);
    for (const target of [{ email: 'Bob@CORP.example' }, { domain: 'Corp.Example' }]) {
      const { authorizationUrl } = await world.start(target);
      expect(authorizationUrl).toMatch(new RegExp(`^${SSO_URL}\\?SAMLRequest=.*&RelayState=st_`));
    }
    await world.auth.updateSsoConnection(world.scope, connection.id, { enabled: false });
    await expect(world.start({ email: ADA })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an address outside the proven domains is a label of the identity only', async () => {
    const connection = await world.connectSaml();
    await world.prove(connection);
    const { user } = await world.signInBySaml(connection, { attributes: attributeXml('email', 'ada@else.example') });
    expect(user).toMatchObject({ email: null, emailVerified: false });
    expect((await world.users.identities(world.scope, user.id)).data).toMatchObject([
      { email: 'ada@else.example', emailVerified: false },
    ]);
  });

  it('L4 an existing account is linked within a proven domain of the connection, and nowhere else', async () => {
    const connection = await world.connectSaml();
    await world.register(world.scope, ADA);
    const stranger = await world.signInBySaml(connection);
    const existing = await world.signIn(world.scope, ADA);
    expect(stranger.user.id).not.toBe(existing.user.id);
    await world.prove(connection);
    const linked = await world.signInBySaml(connection, { nameId: 'ada-2' });
    expect(linked.user.id).toBe(existing.user.id);
    // The domain of another connection says nothing about this one.
    const other = await world.connectSaml({ saml: { entityId: 'https://evil.example' } });
    const evil = await world.signInBySaml(other, { nameId: 'evil' });
    expect(evil.user.id).not.toBe(existing.user.id);
  });

  it('L9 a domain whose record is absent for two checks a day apart links no more; its identities go on', async () => {
    const connection = await world.connectSaml();
    const { txtName, txtValue } = await world.prove(connection);
    const { user } = await world.signInBySaml(connection);
    delete world.zone[txtName];
    const isVerified = async () => (await world.auth.listSsoDomains(world.scope)).data[0]?.isVerified;
    const { worker } = world.beckon;
    world.clock.advance(DAY);
    await worker.drain();
    expect(await isVerified()).toBe(true);
    world.zone[txtName] = [[txtValue]];
    world.clock.advance(DAY);
    await worker.drain();
    world.clock.advance(DAY);
    delete world.zone[txtName];
    await worker.drain();
    expect(await isVerified()).toBe(true);
    world.clock.advance(DAY);
    await worker.drain();
    expect(await isVerified()).toBe(false);
    expect((await world.signInBySaml(connection)).user.id).toBe(user.id);
    const { user: unlinked } = await world.signInBySaml(connection, { nameId: 'ada-2' });
    expect(unlinked.id).not.toBe(user.id);
  });

  it('S38 one response in 4 posts at once gives one code', async () => {
    const connection = await world.connectSaml();
    const { state, requestId } = await world.start({ connectionId: connection.id });
    const response = world.respond(connection, requestId);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => world.post(response, state)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(INVALID);
    await expect(world.post(response, state)).rejects.toMatchObject(INVALID);
  });

  it('S38 an assertion signs in once, also with another state and when the identity provider starts', async () => {
    const connection = await world.connectSaml({ saml: { idpInitiated: true } });
    const response = world.respond(connection, null);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => world.post(response, null)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(world.post(response, null)).rejects.toMatchObject(INVALID);
    expect(new Set(await world.refusals())).toEqual(new Set(['replayed']));
    world.clock.advance(DAY);
    await world.beckon.worker.drain();
    await expect(world.post(response, null)).rejects.toMatchObject(INVALID);
    expect((await world.refusals())[0]).toBe('expired');
  });

  it('S37 a response that the identity provider starts is refused unless the connection allows it', async () => {
    const closed = await world.connectSaml();
    await expect(world.post(world.respond(closed, null), null)).rejects.toMatchObject(INVALID);
    await world.auth.updateSsoConnection(world.scope, closed.id, { saml: { idpInitiated: true } });
    const url = await world.post(world.respond(closed, null), 'https://app.example.com/anywhere');
    expect(`${url.origin}${url.pathname}`).toBe(PAGE);
    expect([...url.searchParams.keys()]).toEqual(['code']);
    const code = url.searchParams.get('code') ?? '';
    expect(await world.auth.exchangeCode(world.scope, { code })).toMatchObject({ tokenType: 'Bearer' });
    // A state that is unknown or used does not turn a response into such a one.
    for (const state of [`st_${'a'.repeat(43)}`])
      await expect(world.post(world.respond(closed, null), state)).rejects.toMatchObject(INVALID);
  });

  it('S19 a response to another request is refused, and the state stays usable', async () => {
    const connection = await world.connectSaml();
    const [one, two] = [
      await world.start({ connectionId: connection.id }),
      await world.start({ connectionId: connection.id }),
    ];
    await expect(world.post(world.respond(connection, two.requestId), one.state)).rejects.toMatchObject(INVALID);
    await expect(world.post(world.respond(connection, null), one.state)).rejects.toMatchObject(INVALID);
    expect(await world.refusals()).toEqual(['in_response_to', 'in_response_to']);
    await world.finish(await world.post(world.respond(connection, one.requestId), one.state), one.codeVerifier);
  });

  it('S39 a response that is signed by the key of another connection is refused', async () => {
    const connection = await world.connectSaml();
    const other = await world.connectSaml({
      saml: { entityId: 'https://other.example', certificates: [world.otherKey.pem] },
    });
    const { state, requestId } = await world.start({ connectionId: connection.id });
    for (const response of [
      world.respond(connection, requestId, {}, world.otherKey),
      world.respond(other, requestId, {}, world.otherKey),
    ])
      await expect(world.post(response, state)).rejects.toMatchObject(INVALID);
  });

  it('S40 a state works once, for 10 minutes, for the organization in the path', async () => {
    const connection = await world.connectSaml();
    const late = await world.start({ connectionId: connection.id });
    const foreign = await world.start({ connectionId: connection.id });
    const response = world.respond(connection, foreign.requestId);
    await expect(world.post(response, foreign.state, 'org-of-others')).rejects.toMatchObject(INVALID);
    world.clock.advance(10 * MINUTE);
    await expect(world.post(world.respond(connection, late.requestId), late.state)).rejects.toMatchObject(INVALID);
  });

  it('O12 a code works once, for 60 seconds, and only with the verifier of its flow', async () => {
    const connection = await world.connectSaml();
    const one = await world.start({ connectionId: connection.id });
    const url = await world.post(world.respond(connection, one.requestId), one.state);
    expect(url.searchParams.get('c')).toHaveLength(8);
    const code = url.searchParams.get('code') ?? '';
    for (const wrong of [{ code }, { code, codeVerifier: 'w'.repeat(43) }])
      await expect(world.auth.exchangeCode(world.scope, wrong)).rejects.toMatchObject(refused('invalid_grant'));
    await world.finish(url, one.codeVerifier);
    await expect(world.finish(url, one.codeVerifier)).rejects.toMatchObject(refused('invalid_grant'));
  });

  it('during a rotation the old certificate and the new one both sign in', async () => {
    const connection = await world.connectSaml();
    const { id } = connection;
    const certificates = [world.key.pem, world.otherKey.pem];
    const changed = await world.auth.updateSsoConnection(world.scope, id, { saml: { certificates } });
    expect(changed.saml?.certificates).toHaveLength(2);
    for (const signer of [world.key, world.otherKey]) {
      const { state, requestId, codeVerifier } = await world.start({ connectionId: id });
      await world.finish(await world.post(world.respond(connection, requestId, {}, signer), state), codeVerifier);
    }
    await world.auth.updateSsoConnection(world.scope, id, { saml: { certificates: [world.otherKey.pem] } });
    const { state, requestId } = await world.start({ connectionId: id });
    await expect(world.post(world.respond(connection, requestId), state)).rejects.toMatchObject(INVALID);
  });

  it('deleting a connection deletes its domains and identities, and its codes and states sign nobody in', async () => {
    const connection = await world.connectSaml();
    await world.prove(connection);
    const { user } = await world.signInBySaml(connection);
    const open = await world.start({ connectionId: connection.id });
    const late = await world.start({ connectionId: connection.id });
    const url = await world.post(world.respond(connection, late.requestId), late.state);
    expect(await world.auth.deleteSsoConnection(world.scope, connection.id)).toEqual({ deleted: true });
    expect((await world.auth.listSsoDomains(world.scope)).data).toEqual([]);
    expect((await world.users.identities(world.scope, user.id)).data).toEqual([]);
    await expect(world.finish(url, late.codeVerifier)).rejects.toMatchObject(refused('invalid_grant'));
    await expect(world.post(world.respond(connection, open.requestId), open.state)).rejects.toMatchObject(INVALID);
    // A later connection with the same entity id starts without users.
    const again = await world.connectSaml();
    expect((await world.signInBySaml(again)).user.id).not.toBe(user.id);
  });

  it('an externalId is taken over only if the connection maps it, and never one of another user', async () => {
    const attributes = attributeXml('employeeNumber', 'user-7');
    const plain = await world.connectSaml();
    expect((await world.signInBySaml(plain, { attributes })).user.externalId).toBeNull();
    await world.auth.updateSsoConnection(world.scope, plain.id, { attributes: { externalId: ['employeeNumber'] } });
    const { user } = await world.signInBySaml(plain, { attributes, nameId: 'second' });
    expect(user).toMatchObject({ externalId: 'user-7', userId: 'user-7' });
    await expect(world.signInBySaml(plain, { attributes, nameId: 'third' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('encrypted assertions sign in with the key of our metadata, and unencrypted ones are refused', async () => {
    const connection = await world.connectSaml({ saml: { wantEncrypted: true } });
    const xml = await world.auth.samlMetadata({ orgId: world.org.id, connectionId: connection.id });
    const certificate = /<ds:X509Certificate>([^<]+)</.exec(xml)?.[1] ?? '';
    const { X509Certificate } = await import('node:crypto');
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { state, requestId, codeVerifier } = await world.start({ connectionId: connection.id });
    const plain = Buffer.from(world.respond(connection, requestId), 'base64').toString();
    const encrypted = plain.replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, (assertion) =>
      encryptXml(assertion, pem),
    );
    await expect(world.post(Buffer.from(plain).toString('base64'), state)).rejects.toMatchObject(INVALID);
    await world.finish(await world.post(Buffer.from(encrypted).toString('base64'), state), codeVerifier);
  });

  it('metadata names the audience and the ACS of the one connection, or of the requested one', async () => {
    const connection = await world.connectSaml();
    const orgId = world.org.id;
    const xml = await world.auth.samlMetadata({ orgId, connectionId: null });
    const entity = `https://beckon.test/api/v1/auth-service/sso/saml/${orgId}/metadata?connectionId=${connection.id}`;
    expect(xml).toContain(`entityID="${entity}"`);
    expect(xml).toContain(`Location="https://beckon.test/api/v1/auth-service/sso/saml/${orgId}/acs"`);
    await world.connectSaml({ saml: { entityId: 'https://other.example' } });
    await expect(world.auth.samlMetadata({ orgId, connectionId: null })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await world.auth.samlMetadata({ orgId, connectionId: connection.id })).toBe(xml);
    for (const [org, connectionId] of [
      ['other', connection.id],
      [orgId, 'x'],
      [orgId, world.scope.projectId],
    ] as const)
      await expect(world.auth.samlMetadata({ orgId: org, connectionId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('without the plan, every call but a response that has begun is refused', async () => {
    const connection = await world.connectSaml();
    const { state, requestId, codeVerifier } = await world.start({ connectionId: connection.id });
    await world.beckon.plans.set(world.org.id, 'growth');
    const needs = { code: 'tier_required', details: { requiredPlan: 'business' } };
    await expect(world.start({ connectionId: connection.id })).rejects.toMatchObject(needs);
    await expect(world.connectSaml()).rejects.toMatchObject(needs);
    await expect(world.auth.listSsoConnections(world.scope)).rejects.toMatchObject(needs);
    await expect(world.auth.samlMetadata({ orgId: world.org.id, connectionId: connection.id })).rejects.toMatchObject(
      needs,
    );
    await world.finish(await world.post(world.respond(connection, requestId), state), codeVerifier);
  });

  it('a connection can be created before its identity provider is known, and gets its metadata later, once', async () => {
    const pending = await world.auth.createSsoConnection(world.scope, { name: 'Corp', saml: {} });
    expect(pending.saml).toMatchObject({ entityId: null, ssoUrl: null, certificates: [] });
    await expect(world.start({ connectionId: pending.id })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    const part = world.auth.createSsoConnection(world.scope, { name: 'Corp', saml: { entityId: IDP } });
    await expect(part).rejects.toMatchObject({
      details: { fieldErrors: { 'saml.ssoUrl': [expect.anything()], 'saml.certificates': [expect.anything()] } },
    });
    const saml = { entityId: IDP, ssoUrl: SSO_URL, certificates: [world.key.pem] };
    const completed = await world.auth.updateSsoConnection(world.scope, pending.id, { saml });
    await world.signInBySaml(completed);
    const other = world.auth.updateSsoConnection(world.scope, completed.id, {
      saml: { entityId: 'https://evil.example' },
    });
    await expect(other).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('an environment has one connection per entity id', async () => {
    await world.connectSaml();
    await expect(world.connectSaml()).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await world.project();
    expect((await world.connectSaml({}, other)).saml?.entityId).toBe(IDP);
  });
});
