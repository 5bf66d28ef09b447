import { ApiError } from './errors.ts';
import type { Error as Failure } from './generated/wire.ts';
import type { Globals } from './globals.ts';

/** Prefix of every path. Source: interface, Endpoints. */
export const BASE = '/api/v1';
/** Chosen: three times what the service may take for an SDK call. Source: interface, Time budgets. */
const TIMEOUT_MS = 30_000;

/**
 * Sends one request and returns `data`. Throws only ApiError.
 *
 * @param path after `/api/v1`, with its slash
 * @param keepalive the page may be unloaded before the response arrives
 */
export type Send = (method: string, path: string, body?: unknown, keepalive?: boolean) => Promise<unknown>;

export type Answer = { readonly success: true; readonly data: unknown } | Partial<Failure>;

/** The error of an error response; trusts nothing in a response that is not the service's own. Throws nothing. */
export const failure = ({ headers, status }: Response, answer: Answer | null): ApiError => {
  // Safe: a response of an intermediary may lack all of these.
  const { code = 'INTERNAL', message, details } = (answer as Partial<Failure> | null)?.error ?? {};
  const seconds = Number(headers.get('retry-after'));
  const allDetails = { ...(seconds > 0 && { retryAfterSeconds: seconds }), ...details };
  return new ApiError(status, code, message, allDetails, headers.get('x-request-id'));
};

/** @param base the service's origin with `/api/v1` */
export const makeSend =
  (g: Globals, base: string, key: string): Send =>
  async (method, path, body, keepalive = false) => {
    let failed: ApiError;
    try {
      const response = await g.fetch(base + path, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        // Undefined stays undefined.
        body: JSON.stringify(body),
        // Safari lacks it before 16, and has its own timeout.
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
        // Only the key authenticates, and a page of another origin may send no credentials.
        credentials: 'omit',
        keepalive,
      });
      const answer: Answer | null = await response.json().catch(() => null);
      if (response.ok && answer?.success) return answer.data;
      // The result of a call is unknown if its response was truncated or comes from an intermediary.
      failed = response.ok ? new ApiError(0, 'network') : failure(response, answer);
    } catch (error) {
      failed = new ApiError(0, 'network', String(error));
    }
    throw failed;
  };
