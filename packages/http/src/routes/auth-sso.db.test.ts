import { createHash, randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { type Beckon, createBeckon, newMasterKey, systemClock } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../core/test/support/database.ts';
import { assertionXml, IDP, responseXml, signXml } from '../../../core/test/support/identity/saml-provider.ts';
import { selfSigned } from '../../../core/test/support/identity/x509.ts';
import { createHandler, type Handler } from '../index.ts';

const PAGE = 'https://app.example.com/signed-in';
const BASE = 'https://auth.example/api/v1';
const idp = selfSigned();

// Safe: JSON.parse returns any value; the tests read members that they check.
type Json = { data: Record<string, unknown>; error: { code: string; details: { reason?: string } } };
let clients = 0;

describe('sign-in with a SAML connection over HTTP', () => {
  let database: TestDatabase;
  let beckon: Beckon;
  let handler: Handler;
  let publicKey: string;
  let secretKey: string;
  let orgId: string;
  let connectionId: string;
  const acs = () => `${BASE}/auth-service/sso/saml/${orgId}/acs`;
  const metadata = () => `${BASE}/auth-service/sso/saml/${orgId}/metadata`;

  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon({
      ...{ db: database.url, masterKey: newMasterKey(), publicUrl: 'https://auth.example' },
    });
    handler = createHandler(beckon, { trustedProxies: 1 });
    ({ id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' }));
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const grants = [{ orgId, projectId }];
    const keyOf = async (kind: 'public' | 'secret') =>
      (await beckon.tenancy.createKey({ kind, environment: 'test', grants })).secret;
    [publicKey, secretKey] = [await keyOf('public'), await keyOf('secret')];
    const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    await beckon.auth.updateSettings(scope, { redirectUris: [PAGE] });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });

  const send = (url: string, init: RequestInit = {}) => {
    clients += 1;
    return handler.fetch(
      new Request(url, { ...init, headers: { 'x-forwarded-for': `10.1.0.${clients}`, ...Object(init.headers) } }),
    );
  };
  const call = async (path: string, key: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await send(`${BASE}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = (fields: Readonly<Record<string, string>>, url = acs()) =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const start = async (prefix = '') => {
    const codeVerifier = randomBytes(32).toString('base64url');
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const started = await call(`${prefix}/auth-service/sso/start`, publicKey, {
      ...{ connectionId, redirectTo: PAGE, codeChallenge },
    });
    const { searchParams } = new URL(String(started.body.data['authorizationUrl']));
    const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
    const requestId = / ID="([^"]+)"/.exec(request)?.[1] ?? '';
    return { codeVerifier, requestId, RelayState: searchParams.get('RelayState') ?? '' };
  };
  const respond = (requestId: string): string => {
    const fields = { requestId, now: systemClock.now(), recipient: acs(), id: `_a${randomBytes(8).toString('hex')}` };
    const audience = `${metadata()}?connectionId=${connectionId}`;
    const assertion = signXml(assertionXml({ ...fields, audience }), 'Assertion', idp.privateKey);
    return Buffer.from(responseXml(assertion, { ...fields, destination: acs() })).toString('base64');
  };

  it('a connection is created, its metadata is public XML, and a posted response redirects with a code', async () => {
    const saml = { entityId: IDP, ssoUrl: 'https://idp.example/sso', certificates: [idp.pem] };
    const created = await call('/auth-service/sso/connections', secretKey, { name: 'Corp', saml });
    expect(created.status).toBe(201);
    connectionId = String(created.body.data['id']);
    const shown = await send(metadata());
    expect([shown.status, shown.headers.get('content-type')]).toEqual([
      200,
      'application/samlmetadata+xml; charset=utf-8',
    ]);
    expect(await shown.text()).toContain(`Location="${acs()}"`);

    for (const prefix of ['', `/orgs/${orgId}`]) {
      const { codeVerifier, requestId, RelayState } = await start(prefix);
      const answer = await post({ SAMLResponse: respond(requestId), RelayState });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      const target = new URL(answer.headers.get('location') ?? '');
      expect(`${target.origin}${target.pathname}`).toBe(PAGE);
      const code = target.searchParams.get('code');
      const exchanged = await call(`${prefix}/auth-service/token/exchange`, publicKey, { code, codeVerifier });
      expect(exchanged).toMatchObject({ status: 200, body: { data: { tokenType: 'Bearer' } } });
    }
  });

  it('every response that is not accepted gets the same bytes, and none redirects', async () => {
    const { requestId, RelayState } = await start();
    const good = respond(requestId);
    const tampered = Buffer.from(
      Buffer.from(good, 'base64').toString().replace('ada@corp.example', 'admin@corp.example'),
    ).toString('base64');
    const answers = await Promise.all(
      [
        { SAMLResponse: tampered, RelayState },
        { SAMLResponse: 'garbage', RelayState },
        { SAMLResponse: '', RelayState },
        { SAMLResponse: good, RelayState: `st_${'a'.repeat(43)}` },
        { SAMLResponse: good, RelayState: '' },
        { RelayState },
        {},
      ].map(async (fields) => {
        const answer = await post(fields);
        const body = (await answer.text()).replaceAll(/"requestId":"[^"]+"/g, '');
        return JSON.stringify([answer.status, answer.headers.get('location'), body]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('saml_invalid');
    const elsewhere = await post({ SAMLResponse: good, RelayState }, acs().replace(orgId, 'other'));
    expect(elsewhere.status).toBe(400);
    expect((await post({ SAMLResponse: good, RelayState })).status).toBe(303);
  });

  it('a form above 64 KB is refused before it is read', async () => {
    expect((await post({ SAMLResponse: 'A'.repeat(65_537) })).status).toBe(413);
  });

  it('metadata of an unknown organization or connection is an error in JSON', async () => {
    for (const url of [metadata().replace(orgId, 'other'), `${metadata()}?connectionId=${orgId}`]) {
      const answer = await send(url);
      expect([answer.status, ((await answer.json()) as Json).error.code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});
