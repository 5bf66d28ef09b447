// Access tokens of one service account. A signed assertion is exchanged for a token, which all sends share until
// shortly before it expires. At most one exchange is under way, and a failed one is followed by a pause.

import type { Clock } from '../../../foundation/clock.ts';
import type { Log } from '../../../foundation/log.ts';
import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import { withLimit } from '../deadline.ts';
import { jsonObject, wordOf } from '../http2/answer.ts';
import { backoff } from '../http2/backoff.ts';
import { signedJwt, unsignedJwt } from '../jwt.ts';
import type { NetOptions } from '../outbound/guarded-agent.ts';
import { guardedRequests, type OutboundRequest, type OutboundResult } from '../outbound/guarded-agent-request.ts';
import type { SendOutcome } from '../port.ts';
import { assertionKey, type ServiceAccount } from './settings.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Lifetime of an assertion. Source: Google, Using OAuth 2.0 for server to server applications. */
const ASSERTION_SECONDS = 3_600;
/** Seconds before its expiry after which a token is not used. Source: transports, FCM, Access token. */
const MARGIN_SECONDS = 300;
/** Milliseconds of one exchange in total. Source: transports, Rules for every transport (3). */
const LIMIT_MS = 10_000;
/** Characters allowed in an `authorization` header. Source: RFC 6750, 2.1. */
const BEARER = /^[\w.~+/-]{1,4096}=*$/;

/** A token, or the outcome of a send without one. */
export type Access =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none'; readonly outcome: SendOutcome };

export type AccessTokens = {
  /** The current token while it is valid; no I/O. */
  held(): string | null;
  /** Never rejects; waits for the exchange. */
  current(): Promise<Access>;
  /** A token other than the refused one, exchanged once for all sends that fail together. */
  renew(refused: string): Promise<Access>;
  /** Aborts an exchange under way and ends its connection. Idempotent. */
  close(): Promise<void>;
};

export type AccessOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  readonly net: NetOptions;
  readonly log?: Pick<Log, 'warn'> | undefined;
};

const none = (outcome: SendOutcome): Access => ({ kind: 'none', outcome });
const retry = (code: string, message: string, waitMs: number | undefined): Access =>
  none({ result: 'retry', code, message, processed: 'no', ...(waitMs ? { retryAfterMs: waitMs } : {}) });

/** The tokens of one service account. Signs and sends nothing before the first call. */
export const accessTokens = (account: ServiceAccount, { clock, random, net, log }: AccessOptions): AccessTokens => {
  const requests = guardedRequests({ ...net, connections: 1 });
  const hold = backoff(random);
  const closing = new AbortController();
  let held: { readonly token: string; readonly untilMs: number } | null = null;
  let exchanging: Promise<Access> | null = null;
  let refusal = 'unknown';

  const assertion = (): string | null => {
    const key = assertionKey(account.private_key);
    if (!key) return null;
    const iat = Math.floor(clock.now().getTime() / 1000);
    const { client_email: iss, token_uri: aud } = account;
    const claims = { iss, scope: SCOPE, aud, iat, exp: iat + ASSERTION_SECONDS };
    return signedJwt(unsignedJwt({ alg: 'RS256', typ: 'JWT' }, claims), key);
  };

  const failed = (code: string, waitMs?: number): Access => {
    refusal = code;
    hold.failed();
    log?.warn({ code }, 'the exchange for an access token of FCM failed');
    return retry(
      'token_unavailable',
      `No access token could be had (${code}).`,
      Math.max(waitMs ?? 0, hold.pausedMs()),
    );
  };

  const granted = (body: string, requestedMs: number): Access => {
    const { access_token: token, expires_in: seconds } = jsonObject(body);
    if (typeof token !== 'string' || !BEARER.test(token)) return failed('unreadable_answer');
    const life = typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, ASSERTION_SECONDS) : ASSERTION_SECONDS;
    held = { token, untilMs: requestedMs + Math.max(life - MARGIN_SECONDS, life / 2) * 1000 };
    hold.succeeded();
    return { kind: 'token', token };
  };

  const accessFrom = (result: OutboundResult, requestedMs: number): Access => {
    if (result.kind === 'none') return failed(result.code);
    const body = Buffer.from(result.body).toString('utf8');
    const { status, headers } = result;
    if (status === 200) return granted(body, requestedMs);
    const code = wordOf(jsonObject(body)['error']) ?? `http_${status}`;
    if (status === 429 || status >= 500) return failed(code, retryAfterMs(headers['retry-after'], clock.now()));
    log?.warn({ code, status }, 'the service account of FCM was refused');
    return none({
      result: 'credential',
      code,
      message: `The service account got no access token (${status} ${code}).`,
    });
  };

  const exchanged = async (): Promise<Access> => {
    const signed = assertion();
    if (signed === null) {
      return none({
        result: 'credential',
        code: 'invalid_key',
        message: 'The key of the service account cannot sign.',
      });
    }
    const requestedMs = clock.now().getTime();
    const request: OutboundRequest = {
      url: new URL(account.token_uri),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: GRANT, assertion: signed }).toString(),
      answer: 'read',
    };
    return accessFrom(
      await withLimit(closing.signal, LIMIT_MS, (limited) => requests.request(request, limited)),
      requestedMs,
    );
  };

  const once = (): Promise<Access> => {
    if (exchanging !== null) return exchanging;
    const pausedMs = hold.pausedMs();
    if (pausedMs > 0) {
      return Promise.resolve(retry('token_unavailable', `No access token could be had (${refusal}).`, pausedMs));
    }
    exchanging = exchanged().finally(() => {
      exchanging = null;
    });
    return exchanging;
  };

  const atHand = (): string | null => (held && clock.now().getTime() < held.untilMs ? held.token : null);

  return {
    held: atHand,
    current: () => {
      const token = atHand();
      return token === null ? once() : Promise.resolve({ kind: 'token', token });
    },
    renew: (refused) => {
      const token = atHand();
      if (token !== null && token !== refused) return Promise.resolve({ kind: 'token', token });
      held = null;
      return once();
    },
    close: async () => {
      closing.abort();
      await exchanging;
      hold.clear();
      await requests.close();
    },
  };
};
