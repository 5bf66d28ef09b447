// Requests to providers: guarded against private addresses, 5 seconds and 256 KB each, and no redirect is followed.

import { withLimit } from '../../delivery/transports/deadline.ts';
import type { NetOptions } from '../../delivery/transports/outbound/guarded-agent.ts';
import { guardedRequests } from '../../delivery/transports/outbound/guarded-agent-request.ts';
import { addressRules } from '../../foundation/net/addresses.ts';
import { urlProblem } from '../../foundation/net/urls.ts';

/** Source: authentication design, OIDC SSO. */
export const MAX_PROVIDER_BYTES = 262_144;
const LIMIT_MS = 5_000;
const TOO_MANY_REQUESTS = 429;
const NO_BODY = new Set([204, 205, 304]);

/** A request to a provider failed. Neither the message nor a field contains text of the provider. */
export class ProviderHttpError extends Error {
  override readonly name = 'ProviderHttpError';
  readonly reason: 'provider_unavailable' | 'provider_error';
  /** For the audit: a code of the network, `timeout`, `ERR_SSRF_BLOCKED`, `status_503`, `redirect`, `too_large` or `url`. */
  readonly detail: string;
  constructor(reason: ProviderHttpError['reason'], detail: string) {
    super('A request to the provider failed.');
    this.reason = reason;
    this.detail = detail;
  }
}

/** Finds the failed request behind an error of a library, which wraps it. Throws nothing. */
export const httpErrorIn = (error: unknown): ProviderHttpError | null => {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current instanceof ProviderHttpError) return current;
    current = current.cause;
  }
  return null;
};

/** The part of `RequestInit` that `openid-client` and `jose` use. */
export type ProviderRequest = {
  readonly method?: string | undefined;
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
};

export type ProviderHttp = {
  /** True if endpoints may use http. */
  readonly allowHttp: boolean;
  /** @throws ProviderHttpError for anything but an answer of 256 KB at most and a status other than 3xx, 429 and 5xx */
  fetch(url: string | URL, request?: ProviderRequest): Promise<Response>;
  close(): Promise<void>;
};

/** The operator's rules for requests to providers. */
export type ProviderHttpOptions = NetOptions & {
  /** Allows http. Chosen: false; for tests on this machine. */
  readonly allowHttp?: boolean | undefined;
  /** Milliseconds of one request, default 5,000. */
  readonly limitMs?: number | undefined;
};

const bodyOf = (body: unknown): string | null => {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('A request to a provider has a text as its body.');
};

/**
 * Creates the client for requests to providers. Construction does no I/O.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const providerHttp = ({
  allowHttp = false,
  limitMs = LIMIT_MS,
  ...net
}: ProviderHttpOptions = {}): ProviderHttp => {
  const requests = guardedRequests({ ...net, inactivityMs: limitMs });
  const rules = { httpsOnly: !allowHttp, addresses: addressRules(net.allowCidrs) };
  const never = new AbortController().signal;

  return {
    allowHttp,
    close: requests.close,
    fetch: async (input, { method = 'GET', headers, body, signal } = {}) => {
      const url = new URL(input);
      if (urlProblem(url, rules) !== null) throw new ProviderHttpError('provider_unavailable', 'url');
      const content = bodyOf(body);
      const result = await withLimit(signal ?? never, limitMs, (limited) =>
        requests.request(
          {
            url,
            method: method.toUpperCase() === 'POST' ? 'POST' : 'GET',
            // GitHub refuses requests without a user agent.
            headers: { 'user-agent': 'Beckon', ...Object.fromEntries(new Headers(headers)) },
            ...(content === null ? {} : { body: content }),
            answer: 'read',
            maxBytes: MAX_PROVIDER_BYTES + 1,
          },
          limited,
        ),
      );
      if (result.kind === 'none') throw new ProviderHttpError('provider_unavailable', result.code);
      if (result.body.length > MAX_PROVIDER_BYTES) throw new ProviderHttpError('provider_error', 'too_large');
      if (result.status >= 500 || result.status === TOO_MANY_REQUESTS)
        throw new ProviderHttpError('provider_unavailable', `status_${result.status}`);
      if (result.status >= 300 && result.status < 400) throw new ProviderHttpError('provider_error', 'redirect');
      const type = result.headers['content-type'];
      return new Response(NO_BODY.has(result.status) ? null : Buffer.from(result.body), {
        status: result.status,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      });
    },
  };
};
