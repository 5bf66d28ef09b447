import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../src/foundation/clock.ts';
import { TEST_CERT, TEST_KEY } from './tls/fixtures.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Source: Google, Using OAuth 2.0 for server to server applications. */
const LIFE_SECONDS = 3_600;

/** Fixed response of the endpoint instead of validating the assertion; `hang`: none. */
export type TokenAnswer =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang';

/** A stand-in for Google's token endpoint, on its own port of 127.0.0.1. */
export type TokenEndpoint = {
  readonly uri: string;
  /** Assertions seen so far. */
  exchanges(): number;
  /** The service account of a token; null for an invalid or expired one. */
  ownerOf(token: string): string | null;
  expireTokens(): void;
  /** Always responds like this from now on; null: validates again. */
  answerWith(answer: TokenAnswer | null): void;
  stop(): Promise<void>;
};

const part = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8'));
  } catch {
    return {};
  }
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
};

/**
 * @param keys PEM of each account's key, by its email
 * @param isSecure uses TLS with the certificate of the test authority; else plain HTTP
 */
export const tokenEndpoint = async (
  keys: ReadonlyMap<string, string>,
  clock: Clock,
  isSecure: boolean,
): Promise<TokenEndpoint> => {
  const owners = new Map<string, { readonly email: string; readonly untilSeconds: number }>();
  let exchanges = 0;
  let fixed: TokenAnswer | null = null;
  let uri = '';

  const nowSeconds = (): number => clock.now().getTime() / 1000;

  /** The email of a valid assertion. */
  const judged = (form: URLSearchParams): string | null => {
    const [head, claims, signature] = (form.get('assertion') ?? '').split('.');
    const { iss, scope, aud, iat, exp } = part(claims);
    const key = typeof iss === 'string' ? keys.get(iss) : undefined;
    if (form.get('grant_type') !== GRANT || part(head)['alg'] !== 'RS256' || !key || typeof iss !== 'string')
      return null;
    if (scope !== SCOPE || aud !== uri || typeof iat !== 'number' || exp !== iat + LIFE_SECONDS) return null;
    if (Math.abs(iat - nowSeconds()) > 300) return null;
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      createPublicKey(key),
      Buffer.from(signature ?? '', 'base64url'),
    );
    return isSigned ? iss : null;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    exchanges += 1;
    const form = new URLSearchParams(await bodyOf(request));
    if (fixed === 'hang') return;
    if (fixed) {
      response.writeHead(fixed.status, fixed.headers).end(fixed.body);
      return;
    }
    const email = judged(form);
    const json = { 'content-type': 'application/json' };
    if (email === null) {
      response.writeHead(400, json).end(JSON.stringify({ error: 'invalid_grant', error_description: 'Invalid JWT' }));
      return;
    }
    const token = `ya29.${randomBytes(24).toString('base64url')}`;
    owners.set(token, { email, untilSeconds: nowSeconds() + LIFE_SECONDS });
    response
      .writeHead(200, json)
      .end(JSON.stringify({ access_token: token, expires_in: LIFE_SECONDS - 1, token_type: 'Bearer' }));
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch(() => response.destroy());
  };
  const server = isSecure ? createSecureServer({ cert: TEST_CERT, key: TEST_KEY }, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Proof of the cast: a server that listens on a TCP port has an address with a port.
  uri = `${isSecure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/token`;

  return {
    uri,
    exchanges: () => exchanges,
    ownerOf: (token) => {
      const owner = owners.get(token);
      return owner && owner.untilSeconds > nowSeconds() ? owner.email : null;
    },
    expireTokens: () => owners.clear(),
    answerWith: (answer) => {
      fixed = answer;
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
