import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { realProvider } from '../../test/support/identity/real-provider.ts';
import { attributeXml } from '../../test/support/identity/saml-provider.ts';
import { DOMAIN, openSsoAuth, type SsoAuth } from '../../test/support/identity/sso-auth.ts';
import { refused } from '../../test/support/identity/world.ts';
import { unchecked } from '../../test/support/unchecked.ts';
import { backupDatabase } from '../app/backup.ts';
import { newMasterKey } from '../foundation/secrets.ts';

const INVALID = refused('saml_invalid');

describe('SSO connections beside the rest of the service', () => {
  let world: SsoAuth;
  beforeEach(async () => {
    world = await openSsoAuth();
    world.says({ email: 'bob@else.example' });
  });
  const everything = async (): Promise<string> => {
    const { storage, tables } = world.database;
    const rows = await Promise.all(Object.values(tables).map((table) => storage.db.select().from(unchecked(table))));
    return JSON.stringify(rows);
  };

  it('K8 no table holds a state, a code, a verifier, a client secret or a response', async () => {
    const saml = await world.connectSaml({ saml: { wantEncrypted: false } });
    const oidc = await world.connectOidc();
    const [one, two] = [await world.start({ connectionId: saml.id }), await world.start({ connectionId: oidc.id })];
    const response = world.respond(saml, one.requestId);
    const urls = [
      await world.post(response, one.state),
      await world.callBack(oidc, { code: 'code-of-the-provider', state: two.state }),
    ];
    const codes = urls.map((url) => url.searchParams.get('code') ?? '');
    const secrets = [
      one.state,
      two.state,
      one.codeVerifier,
      two.codeVerifier,
      ...codes,
      'secret-1',
      response.slice(0, 80),
    ];
    const stored = await everything();
    expect([...secrets, 'code-of-the-provider'].filter((secret) => secret === '' || stored.includes(secret))).toEqual(
      [],
    );
    for (const [at, { codeVerifier }] of [one, two].entries())
      await world.finish(urls[at] ?? new URL('x:'), codeVerifier);
    const later = await everything();
    expect(secrets.filter((secret) => later.includes(secret))).toEqual([]);
  });

  it('T3 states and codes of one environment are unknown to another', async () => {
    const other = await world.project();
    const connection = await world.connectSaml();
    const foreign = await world.connectSaml({}, other);
    await expect(world.start({ connectionId: connection.id }, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { state, requestId, codeVerifier } = await world.start({ connectionId: connection.id });
    // The audience of the other environment's connection.
    await expect(world.post(world.respond(foreign, requestId), state)).rejects.toMatchObject(INVALID);
    const url = await world.post(world.respond(connection, requestId), state);
    await expect(world.finish(url, codeVerifier, other)).rejects.toMatchObject(refused('invalid_grant'));
    await world.finish(url, codeVerifier);
  });

  it('of several environments with one identity provider, the audience selects the one that it signs in to', async () => {
    const other = await world.project();
    const first = await world.connectSaml({ saml: { idpInitiated: true } });
    const second = await world.connectSaml({ saml: { idpInitiated: true } }, other);
    for (const [connection, of, wrong] of [
      [first, world.scope, other],
      [second, other, world.scope],
    ] as const) {
      const code = (await world.post(world.respond(connection, null), '')).searchParams.get('code') ?? '';
      await expect(world.auth.exchangeCode(wrong, { code })).rejects.toMatchObject(refused('invalid_grant'));
      expect(await world.auth.exchangeCode(of, { code })).toMatchObject({ tokenType: 'Bearer' });
    }
  });

  it('a change of the master key seals client secrets and decryption keys again', async () => {
    const oidc = await world.connectOidc();
    const saml = await world.connectSaml({ saml: { wantEncrypted: true } });
    const next = newMasterKey();
    const both = await world.startAnew({ masterKey: `${next},${world.masterKey}` });
    await both.secrets.rotateMasterKey();
    await both.close();
    const after = await world.startAnew({ masterKey: next });
    const of = await world.scopeIn(after);
    expect((await after.auth.getSsoConnection(of, oidc.id)).oidc?.hasClientSecret).toBe(true);
    const { tables, storage } = world.database;
    const rows = await storage.db.select().from(tables.authSsoConnections);
    expect(rows.map(({ id }) => id).sort()).toEqual([oidc.id, saml.id].sort());
    // A sign-in opens the secret with the new key alone.
    const { authorizationUrl } = await after.auth.startSso(of, {
      ...{ connectionId: oidc.id, redirectTo: 'https://app.example.com/auth', codeChallenge: 'c'.repeat(43) },
    });
    const state = world.idp.authorize(authorizationUrl).get('state') ?? '';
    const params = new URLSearchParams({ code: 'code-1', state });
    const { url } = await after.auth.handleOidcCallback({ connectionId: oidc.id, params });
    expect(new URL(url).searchParams.get('code')).toMatch(/^oc_/);
  });

  it('a backup without secrets keeps connections without their secrets, and says so', async () => {
    const oidc = await world.connectOidc();
    const saml = await world.connectSaml();
    const folder = mkdtempSync(join(tmpdir(), 'beckon-sso-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'backup');
    const { leftOut } = await backupDatabase({ db: world.database.url, file, withoutSecrets: true });
    expect(leftOut.find(({ what }) => what.includes('auth sso'))).toMatchObject({ rows: 1 });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readFileSync(file).includes('secret-1')).toBe(false);
    // What a restore leaves: the rows without the sealed values.
    const encrypting = await world.auth.updateSsoConnection(world.scope, saml.id, { saml: { wantEncrypted: true } });
    const before = await world.auth.samlMetadata({ orgId: world.org.id, connectionId: saml.id });
    const { storage, tables } = world.database;
    await storage.db.update(tables.authSsoConnections).set({ sealed: null });
    await expect(world.start({ connectionId: oidc.id })).rejects.toMatchObject({
      ...{ code: 'PROVIDER_NOT_CONFIGURED', details: { missing: ['clientSecret'] } },
    });
    await world.auth.updateSsoConnection(world.scope, oidc.id, { oidc: { clientSecret: 'secret-1' } });
    await world.start({ connectionId: oidc.id });
    await world.auth.updateSsoConnection(world.scope, encrypting.id, { saml: { wantEncrypted: true } });
    expect(await world.auth.samlMetadata({ orgId: world.org.id, connectionId: saml.id })).not.toBe(before);
  });

  it('the host can deny a sign-in, and the browser returns with the error denied', async () => {
    const hookCalls: unknown[] = [];
    const hooks = {
      auth: {
        before: async ({ action, email }: { readonly action: string; readonly email: string | null }) => {
          hookCalls.push([action, email]);
          return { deny: true };
        },
      },
    };
    const strict = await world.startAnew({ hooks });
    const of = await world.scopeIn(strict);
    const connection = await world.connectSaml();
    const started = await strict.auth.startSso(of, {
      ...{ connectionId: connection.id, redirectTo: 'https://app.example.com/auth', codeChallenge: 'c'.repeat(43) },
    });
    const { state, requestId } = world.read(started.authorizationUrl);
    const response = world.respond(connection, requestId);
    const { url } = await strict.auth.handleSamlResponse({ orgId: world.org.id, response, relayState: state });
    expect(url).toBe('https://app.example.com/auth?error=denied&c=cccccccc');
    expect(hookCalls).toEqual([['sign_in', 'ada@corp.example']]);
  });

  it('W6 an erasure removes the identity of a user, and a later sign-in makes a new account', async () => {
    const connection = await world.connectSaml();
    await world.prove(connection);
    const attributes = attributeXml('email', `ada@${DOMAIN}`) + attributeXml('name', 'Ada of the erasure');
    const { user } = await world.signInBySaml(connection, { attributes, nameId: 'ada-to-erase' });
    await world.users.delete(world.scope, user.id);
    await world.beckon.worker.drain();
    const stored = await everything();
    for (const personal of ['Ada of the erasure', 'ada-to-erase', user.id]) expect(stored).not.toContain(personal);
    expect((await world.signInBySaml(connection, { nameId: 'ada-to-erase' })).user.id).not.toBe(user.id);
  });

  it('a user signs in by a connection to a real OpenID provider', async () => {
    // The provider prints that its defaults are not for production.
    for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    let callback = '';
    const real = await realProvider({ clientId: 'real', clientSecret: 'of-real', redirectUri: () => callback });
    onTestFinished(() => real.close());
    const oidc = { issuer: real.endpoints.issuer, clientId: 'real', clientSecret: 'of-real' };
    const connection = await world.connectOidc({ oidc });
    callback = connection.oidc?.callbackUrl ?? '';
    await world.prove(connection, 'example.com');
    world.clock.advance(Date.now() - world.clock.now().getTime());
    const started = await world.start({ connectionId: connection.id });
    const returned = await real.browse(started.authorizationUrl);
    const url = await world.callBack(connection, Object.fromEntries(returned.searchParams));
    const { user } = await world.finish(url, started.codeVerifier);
    expect(user).toMatchObject({ email: 'ada@example.com', emailVerified: true, name: 'Ada' });
  });
});
