import { inflateRawSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import type { BeckonOptions } from '../../../src/app/options.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import type { TokenSet } from '../../../src/identity/shapes/answers.generated.ts';
import type { SsoConnection } from '../../../src/identity/sso/answers.generated.ts';
import type { SsoConnectionInput } from '../../../src/identity/sso/api.ts';
import { chunked, startDnsServer, type Zone } from '../email/domains/dns-server.ts';
import { type AssertionFields, assertionXml, IDP, responseXml, signXml } from './saml-provider.ts';
import { openSocialAuth, pkce } from './social-auth.ts';
import { PAGE } from './world.ts';
import { selfSigned, type TestCertificate } from './x509.ts';

export const SSO_URL = 'https://idp.example/sso';
export const DOMAIN = 'corp.example';

/** A sign-in that has gone to its identity provider. */
export type StartedSso = {
  readonly state: string;
  /** SAML only. */
  readonly requestId: string;
  readonly codeVerifier: string;
  readonly authorizationUrl: string;
};

export type SsoAuth = Awaited<ReturnType<typeof openSsoAuth>>;

const base64 = (xml: string): string => Buffer.from(xml).toString('base64');

let keys: readonly TestCertificate[] | undefined;

/** A whole service with a SAML identity provider, an OpenID provider and a DNS server of this machine. */
export const openSsoAuth = async (more: Partial<BeckonOptions> = {}) => {
  const zone: Zone = {};
  const dns = await startDnsServer(zone);
  onTestFinished(() => dns.stop());
  const world = await openSocialAuth({ email: { dnsServers: [dns.address] }, ...more });
  const { auth, scope, clock } = world;
  keys ??= [selfSigned(), selfSigned()];
  const [key = selfSigned(), otherKey = selfSigned()] = keys;

  const connectSaml = (input: Partial<SsoConnectionInput> = {}, of: Scope = scope): Promise<SsoConnection> =>
    auth.createSsoConnection(of, {
      name: 'Corp',
      ...input,
      saml: { entityId: IDP, ssoUrl: SSO_URL, certificates: [key.pem], ...input.saml },
    });
  const connectOidc = (input: Partial<SsoConnectionInput> = {}, of: Scope = scope): Promise<SsoConnection> =>
    auth.createSsoConnection(of, {
      name: 'Corp',
      ...input,
      oidc: { issuer: world.idp.endpoints.issuer, clientId: 'client-1', clientSecret: 'secret-1', ...input.oidc },
    });
  /** Adds a domain and proves it. */
  const prove = async ({ id }: Pick<SsoConnection, 'id'>, domain = DOMAIN, of: Scope = scope) => {
    const added = await auth.createSsoDomain(of, { connectionId: id, domain });
    zone[added.txtName] = [chunked(added.txtValue)];
    return auth.verifySsoDomain(of, added.id);
  };
  /** What the address of a sign-in holds. */
  const read = (authorizationUrl: string): Pick<StartedSso, 'state' | 'requestId'> => {
    const { searchParams } = new URL(authorizationUrl);
    const request = searchParams.get('SAMLRequest');
    const xml = request === null ? '' : inflateRawSync(Buffer.from(request, 'base64')).toString();
    const requestId = / ID="([^"]+)"/.exec(xml)?.[1] ?? '';
    const state = searchParams.get('RelayState') ?? searchParams.get('state') ?? '';
    if (request === null) world.idp.authorize(authorizationUrl);
    return { state, requestId };
  };
  const start = async (
    target: { readonly connectionId?: string; readonly email?: string; readonly domain?: string },
    of: Scope = scope,
  ): Promise<StartedSso> => {
    const { codeVerifier, codeChallenge } = pkce();
    const { authorizationUrl } = await auth.startSso(of, { ...target, redirectTo: PAGE, codeChallenge });
    return { ...read(authorizationUrl), codeVerifier, authorizationUrl };
  };
  let made = 0;
  /** A signed response of the identity provider, right for the connection unless fields say otherwise. */
  const respond = (
    { saml }: Pick<SsoConnection, 'saml'>,
    requestId: string | null,
    fields: AssertionFields = {},
    signer: TestCertificate = key,
  ): string => {
    const acs = saml?.acsUrl ?? '';
    const common = { requestId, now: clock.now(), ...fields };
    made += 1;
    const assertion = assertionXml({
      ...{ id: `_assertion${made}`, issuer: saml?.entityId ?? '', recipient: acs, audience: saml?.spEntityId ?? '' },
      ...common,
    });
    const response = responseXml(signXml(assertion, 'Assertion', signer.privateKey), {
      ...{ destination: acs, issuer: saml?.entityId ?? '' },
      ...{ requestId: common.requestId, now: common.now },
    });
    return base64(response);
  };
  const post = async (response: string, relayState: string | null, orgId = world.org.id): Promise<URL> =>
    new URL((await auth.handleSamlResponse({ orgId, response, relayState })).url);
  const finish = async (url: URL, codeVerifier: string, of: Scope = scope): Promise<TokenSet> => {
    const code = url.searchParams.get('code');
    if (code === null) throw new Error(`the sign-in failed: ${url.searchParams.get('error')}`);
    // Safe: the flow was a sign-in of a user without a second factor.
    return (await auth.exchangeCode(of, { code, codeVerifier })) as TokenSet;
  };
  /** A whole sign-in by SAML. */
  const signInBySaml = async (connection: SsoConnection, fields: AssertionFields = {}): Promise<TokenSet> => {
    const started = await start({ connectionId: connection.id });
    return finish(await post(respond(connection, started.requestId, fields), started.state), started.codeVerifier);
  };
  const callBack = async (connection: SsoConnection, params: Readonly<Record<string, string>>): Promise<URL> => {
    const input = { connectionId: connection.id, params: new URLSearchParams(params) };
    return new URL((await auth.handleOidcCallback(input)).url);
  };
  /** A whole sign-in by OpenID Connect. */
  const signInByOidc = async (connection: SsoConnection): Promise<TokenSet> => {
    const started = await start({ connectionId: connection.id });
    return finish(await callBack(connection, { code: 'code-1', state: started.state }), started.codeVerifier);
  };
  const refusals = async (of: Scope = scope): Promise<readonly string[]> =>
    (await auth.audit(of, { action: 'sso.sign_in' })).data.map(({ result }) => result);

  /** Begins sign-ins at another process with other options. */
  const startAt = async (options: Partial<BeckonOptions>) => {
    const other = await world.start(options);
    const of = await world.scopeIn(other);
    return (connectionId: string) =>
      other.auth.startSso(of, { connectionId, redirectTo: PAGE, codeChallenge: pkce().codeChallenge });
  };

  return {
    ...world,
    /** Another process over the same database. */
    startAnew: world.start,
    ...{
      startAt,
      read,
      zone,
      dns,
      key,
      otherKey,
      connectSaml,
      connectOidc,
      prove,
      start,
      respond,
      post,
      finish,
      refusals,
    },
    ...{ signInBySaml, signInByOidc, callBack },
  };
};
