// One attempt to tell a receiver: over the guarded agent, since its URL is of a tenant's choice, with one limit over all
// of it, and judged by the status. Subscriptions and the step of a workflow share it.

import { withLimit } from '../delivery/transports/deadline.ts';
import type { NetOptions } from '../delivery/transports/outbound/guarded-agent.ts';
import {
  guardedRequests,
  type OutboundResult,
  TOO_MANY_INTERIM,
} from '../delivery/transports/outbound/guarded-agent-request.ts';
import type { Clock } from '../foundation/clock.ts';
import { urlProblem } from '../foundation/net/urls.ts';

/** Milliseconds of one attempt: name, connection, request and the whole answer. Source: transports, Delivery. */
const LIMIT_MS = 10_000;
/** At once to one host, where many webhooks may have theirs; ours: who posts limits the calls of each. */
const CONNECTIONS = 256;
/** Bytes of an answer that are read, and that are kept. Source: transports, Delivery. */
const READ_BYTES = 16_384;
const KEPT_BYTES = 1_024;
/** Some receivers refuse who does not say what they are. */
const USER_AGENT = 'Beckon-Webhooks';

export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds of this attempt, at most those of any. */
  readonly limitMs?: number | undefined;
  /** Gives the answer's bytes. */
  readonly isAnswerKept?: boolean | undefined;
};

/** What came of one attempt. */
export type PostResult = {
  /** `retry`: it may be told again later. `failed`: it would be refused again. */
  readonly outcome: 'delivered' | 'retry' | 'failed';
  /** Null: there was no answer. */
  readonly status: number | null;
  /**
   * `http_...`, `timeout`, `blocked_address`, `invalid_url`, `too_many_interim_answers`, or the code of the network; null
   * where it was taken.
   */
  readonly error: string | null;
  /** The beginning of the answer as text, U+FFFD for what is none; null: there was no answer. */
  readonly excerpt: string | null;
  /** The receiver asks to be told nothing more (410). */
  readonly isGone: boolean;
  readonly durationMs: number;
  readonly endedAt: Date;
  /** What of the answer was read, where that was asked for. */
  readonly answer?: Uint8Array;
};

export type Poster = {
  /**
   * Posts once. Rejects only with the reason of `signal`: the attempt was broken off from our side, and says nothing.
   */
  post(request: PostRequest, signal: AbortSignal): Promise<PostResult>;
  /** Lets attempts under way finish. Idempotent. */
  close(): Promise<void>;
};

export type PostOptions = NetOptions & {
  readonly clock: Clock;
  /** Refuses http. */
  readonly httpsOnly?: boolean | undefined;
  readonly limitMs?: number | undefined;
};

type Judged = Omit<PostResult, 'durationMs' | 'endedAt'>;

const RETRIED = new Set([408, 429]);

const outcomeOf = (status: number): PostResult['outcome'] => {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 500 || RETRIED.has(status) ? 'retry' : 'failed';
};

/** A character that was cut in two is left out. PostgreSQL takes no text with U+0000. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES), { stream: true }).replaceAll('\0', '\u{FFFD}');

const nothing = (outcome: PostResult['outcome'], error: string): Judged => ({
  outcome,
  status: null,
  error,
  excerpt: null,
  isGone: false,
});

const judge = (result: OutboundResult, isAnswerKept: boolean): Judged => {
  if (result.kind === 'none') {
    const { code, head, informational } = result;
    if (code === 'ERR_SSRF_BLOCKED') return nothing('failed', 'blocked_address');
    // Who ran out of time, or of interim answers, may have been about to answer.
    const isCut = code === 'timeout' || code === TOO_MANY_INTERIM;
    const isAll = informational !== undefined && head === undefined && !isCut;
    return isAll
      ? { ...nothing('failed', `http_${informational}`), status: informational }
      : { ...nothing('retry', code), status: head?.status ?? null };
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
 * Posts to whatever host a tenant names. Construction does no I/O.
 *
 * @throws TypeError when an allowed network is none
 */
export const poster = ({ clock, httpsOnly, limitMs = LIMIT_MS, ...net }: PostOptions): Poster => {
  const outbound = guardedRequests({ ...net, connections: CONNECTIONS });

  const attempt = async (request: PostRequest, signal: AbortSignal): Promise<Judged> => {
    const { url: text, headers, body, isAnswerKept = false } = request;
    const url = URL.parse(text);
    // Rules may have become stricter since the URL was saved.
    if (url === null || urlProblem(url, { httpsOnly }) !== null) return nothing('failed', 'invalid_url');
    const named = { 'user-agent': USER_AGENT, ...headers };
    const asked = { url, method: 'POST', headers: named, body, answer: 'read', maxBytes: READ_BYTES } as const;
    const result = await withLimit(signal, Math.min(limitMs, request.limitMs ?? limitMs), (limited) =>
      outbound.request(asked, limited),
    );
    signal.throwIfAborted();
    return judge(result, isAnswerKept);
  };

  return {
    post: async (request, signal) => {
      const start = performance.now();
      const judged = await attempt(request, signal);
      return { ...judged, durationMs: Math.round(performance.now() - start), endedAt: clock.now() };
    },
    close: outbound.close,
  };
};
