/// <reference path="./oidc-provider.d.ts" />
import Provider from 'oidc-provider';
import { loopback } from './loopback.ts';

/** A real OpenID provider of this machine that requires PKCE. */
export const realProvider = async ({
  clientId,
  clientSecret,
  redirectUri,
}: {
  readonly clientId: string;
  readonly clientSecret: string;
  /** A function is called at the first request. */
  readonly redirectUri: string | (() => string);
}) => {
  const callback = (): string => (typeof redirectUri === 'string' ? redirectUri : redirectUri());
  const providerOf = (issuer: string) =>
    new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [callback()],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      cookies: { keys: ['cookie-key'] },
      pkce: { required: () => true },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: 'Ada' }),
      }),
    }).callback();
  const server = await loopback((issuer) => {
    let provider: ReturnType<typeof providerOf> | undefined;
    return (request, response) => {
      provider ??= providerOf(issuer);
      return provider(request, response);
    };
  });
  const at = (path: string): string => `${server.origin}/${path}`;
  return {
    endpoints: {
      issuer: server.origin,
      authorization: at('auth'),
      token: at('token'),
      jwks: at('jwks'),
      userinfo: at('me'),
    },
    /** A browser whose user signs in and consents at the provider, until it is sent back: the URL of the callback. */
    browse: async (authorizationUrl: string): Promise<URL> => {
      const cookies = new Map<string, string>();
      let url = new URL(authorizationUrl);
      let form: URLSearchParams | undefined;
      for (let step = 0; step < 12; step += 1) {
        const response = await fetch(url, {
          method: form ? 'POST' : 'GET',
          ...(form ? { body: form } : {}),
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
          redirect: 'manual',
        });
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) {
          const page = await response.text();
          const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
          if (prompt === undefined) throw new Error(`The provider answered ${response.status}.`);
          form = new URLSearchParams({ prompt, login: 'ada', password: 'x' });
          continue;
        }
        form = undefined;
        url = new URL(location, url);
        if (url.href.startsWith(callback())) return url;
      }
      throw new Error('The provider did not send the browser back.');
    },
    close: server.close,
  };
};
