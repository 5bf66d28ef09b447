// An OpenID provider that is correct until a test changes its behaviour.

import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import type { ProviderEndpoints } from '../../../src/identity/auth-settings/social-providers.ts';
import { loopback } from './loopback.ts';

export type Claims = Readonly<Record<string, unknown>>;
type Answer = (response: ServerResponse) => void;

export type Behaviour = {
  /** Claims of the next ID token, from the correct ones. */
  claims: (correct: Claims) => Claims;
  /** The whole token of the next sign-in; null: a correct one. */
  idToken: string | null;
  /** Answer of the token endpoint, from the correct one. */
  tokens: (correct: Claims) => Claims;
  /** Discovery document, from the correct one. */
  discovery: (correct: Claims) => Claims;
  /** Answers instead of the endpoint at this path. */
  answers: Record<string, Answer>;
  userinfo: unknown;
  emails: unknown;
  /** Names of the published keys. */
  publishedKeys: string[];
};

export type MisbehavingProvider = {
  readonly endpoints: Required<ProviderEndpoints>;
  readonly behaviour: Behaviour;
  /** Requests so far. */
  readonly requests: {
    readonly path: string;
    readonly authorization: string | undefined;
    readonly form: URLSearchParams;
  }[];
  /** Remembers the request of an authorization URL, so that the token endpoint can check its verifier. */
  authorize(authorizationUrl: string): URLSearchParams;
  sign(claims: Claims, header?: Partial<JWTHeaderParameters>, key?: string): Promise<string>;
  /** Time of its tokens. */
  now(): Date;
  close(): Promise<void>;
};

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const discoveryOf = (origin: string): Claims => ({
  ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
  ...{ jwks_uri: `${origin}/keys`, userinfo_endpoint: `${origin}/userinfo` },
});

/** @param now time of its tokens */
export const misbehavingProvider = async (now: () => Date): Promise<MisbehavingProvider> => {
  const keys = new Map(
    await Promise.all(['first', 'second'].map(async (kid) => [kid, await generateKeyPair('ES256')] as const)),
  );
  const requests: MisbehavingProvider['requests'] = [];
  const behaviour: Behaviour = {
    claims: (correct) => correct,
    idToken: null,
    tokens: (correct) => correct,
    discovery: (correct) => correct,
    answers: {},
    userinfo: {},
    emails: [],
    publishedKeys: ['first'],
  };
  let query = new URLSearchParams();

  const keyOf = (kid: string) => {
    const pair = keys.get(kid);
    if (!pair) throw new Error(`no key ${kid}`);
    return pair;
  };
  const sign: MisbehavingProvider['sign'] = (claims, header = {}, key = 'first') =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key, ...header }).sign(keyOf(key).privateKey);
  const seconds = (): number => Math.floor(now().getTime() / 1_000);

  const answerToken = async (origin: string, form: URLSearchParams, response: ServerResponse): Promise<void> => {
    const challenge = query.get('code_challenge');
    const fits = challenge === null || hash('sha256', form.get('code_verifier') ?? '', 'base64url') === challenge;
    if (!fits || form.get('redirect_uri') !== query.get('redirect_uri'))
      return json(response, { error: 'invalid_grant', error_description: 'text of the provider' }, 400);
    const nonce = query.get('nonce');
    const correct = {
      iss: origin,
      sub: 'user-1',
      aud: query.get('client_id') ?? '',
      iat: seconds(),
      exp: seconds() + 600,
      ...(nonce === null ? {} : { nonce }),
    };
    const idToken = behaviour.idToken ?? (await sign(behaviour.claims(correct)));
    json(response, behaviour.tokens({ access_token: 'at-1', token_type: 'bearer', expires_in: 60, id_token: idToken }));
  };

  const server = await loopback((origin) => async (request, response) => {
    const path = new URL(request.url ?? '/', origin).pathname;
    const form = new URLSearchParams(await text(request));
    requests.push({ path, authorization: request.headers.authorization, form });
    const other = behaviour.answers[path];
    if (other) return other(response);
    if (path === '/.well-known/openid-configuration') return json(response, behaviour.discovery(discoveryOf(origin)));
    if (path === '/token') return answerToken(origin, form, response);
    if (path === '/userinfo') return json(response, behaviour.userinfo);
    if (path === '/emails') return json(response, behaviour.emails);
    const published = behaviour.publishedKeys.map(async (kid) => ({ ...(await exportJWK(keyOf(kid).publicKey)), kid }));
    json(response, { keys: await Promise.all(published) });
  });
  const at = (path: string): string => `${server.origin}/${path}`;
  return {
    endpoints: {
      issuer: server.origin,
      authorization: at('authorize'),
      token: at('token'),
      jwks: at('keys'),
      userinfo: at('userinfo'),
      emails: at('emails'),
    },
    behaviour,
    requests,
    authorize: (authorizationUrl) => {
      query = new URL(authorizationUrl).searchParams;
      return query;
    },
    sign,
    now,
    close: server.close,
  };
};
