import { ApiError } from '../errors.ts';
import { failure } from '../request.ts';
import { verdictOf, waitMs } from '../retry.ts';

/** One call, with all its attempts. */
export type Call = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Encoded once, so that every attempt sends the same body. */
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
  /** Repeating it has the effect of one call, so it may be retried when its result is unknown. */
  readonly isRepeatable: boolean;
  /** A health check: an error status is its response. */
  readonly isProbe: boolean;
};

/** Attempts after the first. Source: sdk, Retry. */
export const MAX_REPEATS = 3;
/**
 * Longest wait before a retry. Chosen: callers do not wait longer for a request; the error carries the time to wait.
 */
const LONGEST_WAIT_MS = 60_000;
/** Chosen: twice the longest budget of a route. Source: interface, Time budgets. */
const TIMEOUT_MS = 60_000;
/** Statuses after which the result of the call is unknown: no response, or one of an intermediary. */
const UNKNOWN = new Set([0, 408, 504]);

const attempt = async (fetch: typeof globalThis.fetch, call: Call): Promise<unknown> => {
  const { method, url, headers, body, signal } = call;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      body,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && typeof answer === 'object' && answer !== null) return answer;
    // Safe: `failure` validates it.
    throw response.ok ? new ApiError(0, 'network') : failure(response, answer as Parameters<typeof failure>[1]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    signal?.throwIfAborted();
    throw new ApiError(0, 'network', String(error));
  }
};

/** Throws the signal's reason. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

const mayRepeat = (error: ApiError, { isRepeatable, isProbe }: Call): boolean =>
  verdictOf(error) === 'wait' && !isProbe && (isRepeatable || !UNKNOWN.has(error.status));

/**
 * The whole response of a call, which is retried up to three times if the service asks for it or could not accept it.
 *
 * @throws ApiError, or the reason of the call's signal
 */
export const send = async (fetch: typeof globalThis.fetch, call: Call): Promise<unknown> => {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt(fetch, call);
    } catch (error) {
      if (!(error instanceof ApiError) || failures > MAX_REPEATS || !mayRepeat(error, call)) throw error;
      const ms = waitMs(error.details, failures, Math.random());
      if (ms > LONGEST_WAIT_MS) throw error;
      await wait(ms, call.signal);
    }
  }
};
