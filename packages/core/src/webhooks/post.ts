// One POST to a receiver. Uses the SSRF-safe agent, because tenants choose the URL. One time limit covers the whole attempt,
// and the status decides the outcome. Webhooks and webhook steps share it.

import { withLimit } from '../delivery/transports/deadline.ts';
import type { NetOptions } from '../delivery/transports/outbound/guarded-agent.ts';
import {
  guardedRequests,
  type OutboundResult,
  TOO_MANY_INTERIM,
} from '../delivery/transports/outbound/guarded-agent-request.ts';
import type { Clock } from '../foundation/clock.ts';
import { urlProblem } from '../foundation/net/urls.ts';
import type { InScope } from '../foundation/scope.ts';
import type { SpanAttributes, Tracing } from '../foundation/telemetry.ts';

/** Time limit of one attempt, in milliseconds: DNS, connection, request and response. Source: transports, Delivery. */
const LIMIT_MS = 10_000;
/** Connections per host, which many webhooks may share. Chosen: the dispatcher limits the calls of each webhook. */
const CONNECTIONS = 256;
/** Bytes of a response that are read, and that are stored. Source: transports, Delivery. */
const READ_BYTES = 16_384;
const KEPT_BYTES = 1_024;
/** Some receivers reject requests without a User-Agent. */
const USER_AGENT = 'Beckon-Webhooks';

export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Time limit of this attempt, in milliseconds, if lower than the general one. */
  readonly limitMs?: number | undefined;
  /** Returns the bytes of the response. */
  readonly isAnswerKept?: boolean | undefined;
  /** Attributes of the span of this attempt: ids only. */
  readonly about?: { readonly scope: InScope; readonly ids: SpanAttributes } | undefined;
};

/** Result of one attempt. */
export type PostResult = {
  /** `retry`: another attempt may succeed. `failed`: the receiver would reject it again. */
  readonly outcome: 'delivered' | 'retry' | 'failed';
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  /**
   * `http_...`, `timeout`, `blocked_address`, `invalid_url`, `too_many_interim_answers`, or the code of the network; null
   * if it was delivered.
   */
  readonly error: string | null;
  /** The first kilobyte of the response, U+FFFD for bytes that are no text; null if there was no response. */
  readonly excerpt: string | null;
  /** The receiver answered 410: it wants no more deliveries. */
  readonly isGone: boolean;
  readonly durationMs: number;
  readonly endedAt: Date;
  /** The bytes of the response that were read, if requested. */
  readonly answer?: Uint8Array;
};

export type Poster = {
  /**
   * Posts once. Rejects only with the reason of `signal`: Beckon aborted the attempt, so it has no result.
   */
  post(request: PostRequest, signal: AbortSignal): Promise<PostResult>;
  /** Waits for attempts under way. Idempotent. */
  close(): Promise<void>;
};

export type PostOptions = NetOptions & {
  readonly clock: Clock;
  /** Rejects `http:` URLs. */
  readonly httpsOnly?: boolean | undefined;
  readonly limitMs?: number | undefined;
  readonly tracing?: Tracing | null | undefined;
};

type Classified = Omit<PostResult, 'durationMs' | 'endedAt'>;

const RETRIED = new Set([408, 429]);

const outcomeOf = (status: number): PostResult['outcome'] => {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || RETRIED.has(status) ? 'retry' : 'failed';
};

/** Drops a character that the limit cuts in two. Replaces U+0000, which PostgreSQL cannot store. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES), { stream: true }).replaceAll('\0', '\u{FFFD}');

const withoutAnswer = (outcome: PostResult['outcome'], error: string): Classified => ({
  outcome,
  status: null,
  error,
  excerpt: null,
  isGone: false,
});

const resultOf = (result: OutboundResult, isAnswerKept: boolean): Classified => {
  if (result.kind === 'none') {
    const { code, head, informational } = result;
    if (code === 'ERR_SSRF_BLOCKED') return withoutAnswer('failed', 'blocked_address');
    // After a timeout, or too many interim responses, the final response may have been about to come.
    const isCut = code === 'timeout' || code === TOO_MANY_INTERIM;
    const isAll = informational !== undefined && head === undefined && !isCut;
    return isAll
      ? { ...withoutAnswer('failed', `http_${informational}`), status: informational }
      : { ...withoutAnswer('retry', code), status: head?.status ?? null };
  }
  const { status, body } = result;
  const outcome = outcomeOf(status);
  return {
    outcome,
    status,
    error: outcome === 'delivered' ? null : `http_${status}`,
    excerpt: textOf(body),
    isGone: status === 410,
    ...(isAnswerKept ? { answer: body } : {}),
  };
};

/**
 * Posts to any host that a tenant configures. Construction does no I/O.
 *
 * @throws TypeError for an invalid network in `allowCidrs`
 */
export const poster = ({ clock, httpsOnly, limitMs = LIMIT_MS, tracing = null, ...net }: PostOptions): Poster => {
  const outbound = guardedRequests({ ...net, connections: CONNECTIONS });

  const attempt = async (request: PostRequest, signal: AbortSignal): Promise<Classified> => {
    const { url: text, headers, body, isAnswerKept = false } = request;
    const url = URL.parse(text);
    // The rules may be stricter now than when the URL was saved.
    if (url === null || urlProblem(url, { httpsOnly }) !== null) return withoutAnswer('failed', 'invalid_url');
    const named = { 'user-agent': USER_AGENT, ...headers };
    const outgoing = { url, method: 'POST', headers: named, body, answer: 'read', maxBytes: READ_BYTES } as const;
    const result = await withLimit(signal, Math.min(limitMs, request.limitMs ?? limitMs), (limited) =>
      outbound.request(outgoing, limited),
    );
    signal.throwIfAborted();
    return resultOf(result, isAnswerKept);
  };

  const tracedAttempt = (of: Tracing, request: PostRequest, signal: AbortSignal): Promise<Classified> => {
    const { scope, ids } = request.about ?? {};
    const attributes = { 'http.request.method': 'POST', ...ids };
    return of.trace('POST webhook', { kind: 'client', scope, attributes }, async (span) => {
      const traceparent = span.traceparent();
      // A header that the tenant configured takes precedence.
      const headers = traceparent === null ? request.headers : { traceparent, ...request.headers };
      const result = await attempt({ ...request, headers }, signal);
      if (result.status !== null) span.add({ 'http.response.status_code': result.status });
      if (result.error !== null) span.fail(result.error);
      return result;
    });
  };

  return {
    post: async (request, signal) => {
      const start = performance.now();
      const judged = await (tracing ? tracedAttempt(tracing, request, signal) : attempt(request, signal));
      return { ...judged, durationMs: Math.round(performance.now() - start), endedAt: clock.now() };
    },
    close: outbound.close,
  };
};
