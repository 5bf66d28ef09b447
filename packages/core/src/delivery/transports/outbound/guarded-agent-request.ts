import type { Dispatcher } from 'undici';
import { compact } from '../../../foundation/compact.ts';
import { contained } from '../../../foundation/contained.ts';
import { isTimeout } from '../deadline.ts';
import { type GuardedAgent, guardedAgent, guardOf, type NetOptions } from './guarded-agent.ts';

/** Maximum bytes read of an answer. Source: transports, Rules for every transport (4). */
export const MAX_ANSWER_BYTES = 65_536;
/** Milliseconds that an ignored answer may continue. Chosen: enough to keep most connections reusable. */
const DISCARD_MS = 1_000;

/**
 * Maximum interim answers (1xx) of one request. Chosen: a proxy that sends 102 every second stays below it within any
 * time limit here. undici limits the headers of each, so this limits their bytes as well.
 */
const MAX_INTERIM = 32;
/** Code of a request that had more interim answers than allowed, and no final one. */
export const TOO_MANY_INTERIM = 'too_many_interim_answers';

/** undici's error for an unrequested 101; it reports no status then. */
const BAD_UPGRADE = 'bad upgrade';

export type OutboundRequest = {
  /** The caller checks it with `urlProblem`. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  /** `read` waits for the answer's body, at most `maxBytes`; `ignore` resolves with status and headers only. */
  readonly answer: 'read' | 'ignore';
  /** Maximum bytes read of an answer; absent: MAX_ANSWER_BYTES. */
  readonly maxBytes?: number;
};

/** Result of a request: an answer of any status, or none. */
export type OutboundResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** Empty if the answer is ignored; cut at `maxBytes`. */
      readonly body: Uint8Array;
    }
  | {
      readonly kind: 'none';
      /**
       * `timeout`, `aborted`, `ERR_SSRF_BLOCKED`, `too_many_interim_answers`, or the code of the network or of undici,
       * such as ECONNREFUSED.
       */
      readonly code: string;
      /** False: provably not a byte of the request was sent. */
      readonly isSent: boolean;
      /** Status and headers of an answer whose body was incomplete; absent: there was none. */
      readonly head?: Pick<Extract<OutboundResult, { kind: 'answer' }>, 'status' | 'headers'>;
      /** The last status below 200 before the failure; absent: there was none. */
      readonly informational?: number;
    };

export type GuardedRequests = {
  /** Ends at once when `signal` is aborted, in any state of the connection. Never rejects, follows no redirect. */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResult>;
  /** Waits for requests under way, then closes every connection. Idempotent. */
  close(): Promise<void>;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'network';

const endReason = (): Error => new Error('The rest of the answer is not read.');

const dispatched = (agent: Dispatcher, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResult> =>
  new Promise((resolve) => {
    const { url, method, headers, body = null, answer, maxBytes = MAX_ANSWER_BYTES } = request;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let status = 0;
    let answerHeaders: Readonly<Record<string, string | string[] | undefined>> = {};
    let isSent = false;
    let informational: number | undefined;
    let interim = 0;
    let begun: Dispatcher.DispatchController | undefined;
    let discarding: NodeJS.Timeout | undefined;

    const finish = (result: OutboundResult): void => {
      signal.removeEventListener('abort', leave);
      resolve(result);
    };
    const none = (code: string): OutboundResult => {
      const known = status === 0 ? {} : { head: { status, headers: answerHeaders } };
      return { kind: 'none', code, isSent, ...known, ...compact({ informational }) };
    };
    const answered = (): void =>
      finish({ kind: 'answer', status, headers: answerHeaders, body: Buffer.concat(chunks) });
    const leave = contained(() => {
      finish(none(isTimeout(signal.reason) ? 'timeout' : 'aborted'));
      begun?.abort(endReason());
    });
    signal.addEventListener('abort', leave, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        begun = controller;
        // The caller no longer waits: undici drops a request that is aborted here before it writes any of it.
        if (signal.aborted) controller.abort(endReason());
        else isSent = true;
      },
      onResponseStart: (controller, statusCode, received) => {
        if (statusCode < 200) {
          informational = statusCode;
          interim += 1;
          if (interim <= MAX_INTERIM) return;
          finish(none(TOO_MANY_INTERIM));
          controller.abort(endReason());
          return;
        }
        status = statusCode;
        answerHeaders = received;
        if (answer === 'read') return;
        discarding = setTimeout(
          contained(() => controller.abort(endReason())),
          DISCARD_MS,
        );
        answered();
      },
      onResponseData: (controller, chunk) => {
        bytes += chunk.length;
        if (answer === 'read') chunks.push(chunk.subarray(0, Math.max(chunk.length - (bytes - maxBytes), 0)));
        if (bytes <= maxBytes) return;
        answered();
        controller.abort(endReason());
      },
      onResponseEnd: () => {
        clearTimeout(discarding);
        answered();
      },
      onResponseError: (_, error) => {
        clearTimeout(discarding);
        if (error.message === BAD_UPGRADE) informational = 101;
        finish(none(codeOf(error)));
      },
    };
    agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, handler);
  });

/**
 * Requests to hosts that a third party chose, over a guarded agent of their own: two clients never share a connection.
 * Construction does no I/O.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const guardedRequests = (
  options: NetOptions & { readonly connections?: number | undefined; readonly inactivityMs?: number | undefined },
): GuardedRequests => {
  // Reports an invalid network now, not at the first request.
  guardOf(options);
  let loading: Promise<GuardedAgent> | undefined;
  /** Waiting requests per origin. */
  const waiting = new Map<string, number>();

  const count = (origin: string, by: 1 | -1): number => {
    const left = (waiting.get(origin) ?? 0) + by;
    if (left === 0) waiting.delete(origin);
    else waiting.set(origin, left);
    return left;
  };

  return {
    request: async (request, signal) => {
      const { origin } = request.url;
      loading ??= guardedAgent(options);
      const { agent, abandon } = await loading;
      if (signal.aborted)
        return { kind: 'none', code: isTimeout(signal.reason) ? 'timeout' : 'aborted', isSent: false };
      count(origin, 1);
      try {
        return await dispatched(agent, request, signal);
      } finally {
        if (count(origin, -1) === 0) abandon(origin);
      }
    },
    close: async () => {
      const agent = (await loading)?.agent;
      if (agent && !agent.closed) await agent.close();
    },
  };
};
