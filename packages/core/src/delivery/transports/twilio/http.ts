// The HTTP client of the Twilio SDK, in place of its own: undici, one request per call, no retry. The SDK's errors
// contain neither headers nor whether the request was sent, and its promise chain cannot carry them; so each call runs
// in an AsyncLocalStorage store that this client fills.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import { contained } from '../../../foundation/contained.ts';
import { type GuardedAgent, guardedAgent } from '../outbound/guarded-agent.ts';
import { MAX_ANSWER_BYTES } from '../outbound/guarded-agent-request.ts';

/** Source: Twilio, API reference, base URL. */
const API = 'https://api.twilio.com';
/** Only the operator chooses the host, so any address is allowed. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/** Facts about one call to the SDK. */
export type TwilioCall = {
  readonly signal: AbortSignal;
  /** False: provably not a byte of the request was sent. */
  isSent: boolean;
  /** Status of the answer, from the moment its headers arrived; null before. */
  status: number | null;
  retryAfter: string | string[] | undefined;
};

/** The used fields of the SDK's request. `method` is in lower case. */
export type SdkRequest = {
  readonly method: string;
  readonly uri: string;
  readonly username?: string;
  readonly password?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
};

/** The answer for the SDK. The body is cut at 64 KiB. */
export type SdkAnswer = {
  readonly statusCode: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type TwilioHttp = {
  /** Passed to the SDK. Rejects outside of `within`. */
  readonly httpClient: { request(request: SdkRequest): Promise<SdkAnswer> };
  /** Runs `work`; its requests belong to `call`. */
  within<T>(call: TwilioCall, work: () => Promise<T>): Promise<T>;
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
};

export type TwilioHttpOptions = {
  /** Replaces https://api.twilio.com; its path precedes that of the request. */
  readonly endpoint?: string | undefined;
  /** Certificate authority to trust instead of the default ones. PEM. */
  readonly ca?: string | undefined;
  readonly connections: number;
};

/** The SDK would send to a host that is not configured. */
class HostError extends Error {
  override readonly name = 'HostError';
  readonly code = 'host_refused';
  constructor() {
    super('The request is for a host that is neither Twilio nor the one configured.');
  }
}

const pairsOf = (data: Readonly<Record<string, unknown>> = {}): [string, string][] =>
  Object.entries(data).flatMap(([name, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string] => [name, String(one)]);
  });

const targetOf = ({ uri, params }: SdkRequest, endpoint: string | undefined): URL => {
  const sdkRequest = new URL(uri);
  const target = new URL(endpoint ?? API);
  if (sdkRequest.origin !== API && sdkRequest.origin !== target.origin) throw new HostError();
  target.pathname = target.pathname.replace(/\/$/, '') + sdkRequest.pathname;
  target.search = sdkRequest.search;
  for (const [name, value] of pairsOf(params)) target.searchParams.append(name, value);
  return target;
};

const headersOf = ({ headers = {}, username = '', password = '' }: SdkRequest): Record<string, string> => ({
  // Two content types that differ only in case would both be sent.
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

const leftReason = (): Error => new Error('The rest of the answer is not read.');

const exchange = (agent: Dispatcher, options: Dispatcher.DispatchOptions, call: TwilioCall): Promise<SdkAnswer> =>
  new Promise((resolve, reject) => {
    const { signal } = call;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let answer = { statusCode: 0, headers: {} };
    let begun: Dispatcher.DispatchController | undefined;

    const leave = contained(() => {
      begun?.abort(leftReason());
      reject(signal.reason);
    });
    const finish = (): void => {
      signal.removeEventListener('abort', leave);
      resolve({ ...answer, body: Buffer.concat(chunks).toString() });
    };
    signal.addEventListener('abort', leave, { once: true });

    agent.dispatch(options, {
      onRequestStart: (controller) => {
        begun = controller;
        // The caller no longer waits: undici drops a request that is aborted here before it writes any of it.
        if (signal.aborted) controller.abort(leftReason());
        else call.isSent = true;
      },
      onResponseStart: (_, statusCode, headers) => {
        if (statusCode < 200) return;
        answer = { statusCode, headers };
        call.status = statusCode;
        call.retryAfter = headers['retry-after'];
      },
      onResponseData: (controller, chunk) => {
        chunks.push(chunk.subarray(0, Math.max(MAX_ANSWER_BYTES - bytes, 0)));
        bytes += chunk.length;
        if (bytes <= MAX_ANSWER_BYTES) return;
        finish();
        controller.abort(leftReason());
      },
      onResponseEnd: finish,
      onResponseError: (_, error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      },
    });
  });

/** Creates the client. Construction does no I/O; the first request imports undici. */
export const twilioHttp = ({ endpoint, ca, connections }: TwilioHttpOptions): TwilioHttp => {
  const calls = new AsyncLocalStorage<TwilioCall>();
  let loading: Promise<GuardedAgent> | undefined;
  let waiting = 0;

  const request = async (sdkRequest: SdkRequest): Promise<SdkAnswer> => {
    const call = calls.getStore();
    if (!call) throw new Error('a request of the Twilio SDK was made outside of a call');
    const target = targetOf(sdkRequest, endpoint);
    loading ??= guardedAgent({ ca, connections, allowCidrs: ANYWHERE });
    const { agent, abandon } = await loading;
    call.signal.throwIfAborted();
    const method = sdkRequest.method.toUpperCase();
    const options = {
      origin: target.origin,
      path: target.pathname + target.search,
      method,
      headers: headersOf(sdkRequest),
      body: method === 'GET' ? null : new URLSearchParams(pairsOf(sdkRequest.data)).toString(),
    };
    waiting += 1;
    try {
      return await exchange(agent, options, call);
    } finally {
      waiting -= 1;
      // undici ignores an abort while it connects; an unused connection attempt would stay for seconds.
      if (waiting === 0) abandon(target.origin);
    }
  };

  return {
    httpClient: { request },
    within: (call, work) => calls.run(call, work),
    close: async () => {
      const agent = (await loading)?.agent;
      if (agent && !agent.destroyed) await agent.destroy();
    },
  };
};
