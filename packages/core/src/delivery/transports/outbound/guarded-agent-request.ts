import type { Dispatcher } from 'undici';
import { compact } from '../../../foundation/compact.ts';
import { contained } from '../../../foundation/contained.ts';
import { isTimeout } from '../deadline.ts';
import { type GuardedAgent, guardedAgent, guardOf, type NetOptions } from './guarded-agent.ts';

/** Bytes of an answer that are read. Source: transports, Rules for every transport (4). */
export const MAX_ANSWER_BYTES = 65_536;
/** How long an answer that nobody reads may go on, in milliseconds; ours: enough to keep the connection of most. */
const DISCARD_MS = 1_000;

/**
 * Interim answers (1xx) of one request. Chosen: a proxy that says 102 every second sends fewer within any time limit here.
 * undici bounds the headers of each, so this bounds their bytes as well.
 */
const MAX_INTERIM = 32;
/** Code of a request that had more of them, and no answer. */
export const TOO_MANY_INTERIM = 'too_many_interim_answers';

/** What undici says of a 101 that nobody asked for; it tells of no status then. */
const BAD_UPGRADE = 'bad upgrade';

export type OutboundRequest = {
  /** Checked with `urlProblem` by whoever asks. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  /** Of the answer: `read` waits for it, at most `maxBytes`; `ignore` takes status and headers and goes on. */
  readonly answer: 'read' | 'ignore';
  /** Bytes of an answer that are read; absent: MAX_ANSWER_BYTES. */
  readonly maxBytes?: number;
};

/** What came of a request: an answer of any status, or none. */
export type OutboundResult =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** Empty where the answer is ignored, cut where it is longer than what is read. */
      readonly body: Uint8Array;
    }
  | {
      readonly kind: 'none';
      /**
       * `timeout`, `aborted`, `ERR_SSRF_BLOCKED`, `too_many_interim_answers`, or the code of the network or of undici, such
       * as ECONNREFUSED.
       */
      readonly code: string;
      /** False: provably not a byte of the request was sent. */
      readonly isSent: boolean;
      /** The head of an answer whose rest never came; absent: there was none. */
      readonly head?: Pick<Extract<OutboundResult, { kind: 'answer' }>, 'status' | 'headers'>;
      /** The last status below 200 that came in place of an answer; absent: none did. */
      readonly informational?: number;
    };

export type GuardedRequests = {
  /** Ends at once when `signal` is aborted, whatever the connection is doing. Never rejects, follows no redirect. */
  request(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResult>;
  /** Lets requests under way finish, then closes every connection. Idempotent. */
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
        // Nobody waits any more: undici drops a request that is aborted here before it writes any of it.
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
 * Requests to hosts of somebody else's choice, over a guarded agent of their own: two of these never share a connection.
 * Construction does no I/O.
 *
 * @throws TypeError when an allowed network is none
 */
export const guardedRequests = (
  options: NetOptions & { readonly connections?: number | undefined; readonly inactivityMs?: number | undefined },
): GuardedRequests => {
  // A wrong network is told of here, not by the first request.
  guardOf(options);
  let loading: Promise<GuardedAgent> | undefined;
  /** Requests that somebody waits for, by origin. */
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
