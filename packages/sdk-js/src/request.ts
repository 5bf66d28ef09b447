import { ApiError } from './errors.ts';
import type { Error as Failure } from './generated/wire.ts';
import type { Globals } from './globals.ts';

/** In front of every path. Source: interface, Endpoints. */
export const BASE = '/api/v1';
/** Ours: three times what the service may take for an SDK call. Source: interface, Time budgets. */
const TIMEOUT_MS = 30_000;

/**
 * Sends one request and answers `data`. Throws ApiError alone.
 *
 * @param path after `/api/v1`, with its slash
 * @param keepalive the page may go away before the answer comes
 */
export type Send = (method: string, path: string, body?: unknown, keepalive?: boolean) => Promise<unknown>;

export type Answer = { readonly success: true; readonly data: unknown } | Partial<Failure>;

/** The error that a refusal is; believes nothing of an answer that is not the service's own. Throws nothing. */
export const failure = ({ headers, status }: Response, answer: Answer | null): ApiError => {
  // Safe: an answer of somebody else on the way is not believed to have any of these.
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
        // Safari lacks it before 16, and gives up by itself.
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
        // The key is all that counts, and a page of another origin may send no more.
        credentials: 'omit',
        keepalive,
      });
      const answer: Answer | null = await response.json().catch(() => null);
      if (response.ok && answer?.success) return answer.data;
      // What came of a call whose answer was cut off, or is of somebody else, nobody knows.
      failed = response.ok ? new ApiError(0, 'network') : failure(response, answer);
    } catch (error) {
      failed = new ApiError(0, 'network', String(error));
    }
    throw failed;
  };
