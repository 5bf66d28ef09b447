import { compact } from '../../../foundation/compact.ts';
// One provider of models with one key, over the guarded client: tenants choose the base URL.

import type { Clock } from '../../../foundation/clock.ts';
import { isObject } from '../../../foundation/json.ts';
import { retryAfterMs } from '../../../foundation/net/retry-after.ts';
import { urlProblem } from '../../../foundation/net/urls.ts';
import { withLimit } from '../deadline.ts';
import type { NetOptions } from '../outbound/guarded-agent.ts';
import { guardedRequests, type OutboundResult } from '../outbound/guarded-agent-request.ts';
import { anthropicWire } from './anthropic.ts';
import { openaiWire } from './openai.ts';
import type { AiOutcome, AiProvider, AiRequest, AiUsage, AiWire, AiWireName } from './port.ts';

/**
 * Milliseconds of one call: DNS, connection, request and the whole answer. Source: transports, Rules for every
 * transport (3).
 */
export const AI_LIMIT_MS = 20_000;
/** Connections of one credential; equal to one org's concurrent calls. */
const CONNECTIONS = 8;
/** Estimated characters per token if a provider reports no usage. Source: transports, AI providers. */
const CHARACTERS_PER_TOKEN = 4;

const WIRES: Readonly<Record<AiWireName, AiWire>> = { openai: openaiWire, anthropic: anthropicWire };

export type AiSettings = {
  readonly wire: AiWireName;
  /** Includes the path, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** Null: no key is needed, as for a self-hosted server. */
  readonly key: string | null;
};

export type AiProviderOptions = NetOptions & { readonly clock: Clock; readonly limitMs?: number | undefined };

/** The problem of a base URL in one sentence without the URL; null: none. Throws nothing. */
export const baseUrlProblem = (text: string): string | null => {
  const url = URL.parse(text);
  if (url === null) return 'must be a URL such as https://api.example.com/v1';
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment';
  return urlProblem(url);
};

const jsonOf = (bytes: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** Estimates tokens if the provider reports none. Throws nothing. */
const estimated = ({ instruction, exchanges }: AiRequest, text: string): AiUsage => ({
  input: tokensOf(exchanges.reduce((sum, turn) => sum + turn.text.length, instruction.length)),
  output: tokensOf(text.length),
});

const outcomeOf = (wire: AiWire, request: AiRequest, result: OutboundResult, now: Date): AiOutcome => {
  if (result.kind === 'none')
    return result.code === 'ERR_SSRF_BLOCKED'
      ? { result: 'failed', code: 'blocked_address' }
      : { result: 'retry', code: result.code };
  const { status, headers } = result;
  const code = `http_${status}`;
  if (status === 401 || status === 403) return { result: 'credential', code };
  if (status === 429 || status === 408 || status >= 500) {
    const wait = retryAfterMs(headers['retry-after'], now);
    return { result: 'retry', code, ...compact({ retryAfterMs: wait }) };
  }
  if (status !== 200) return { result: 'failed', code };
  const { text, usage } = wire.read(jsonOf(result.body));
  // An answer cut at the read limit is invalid JSON too.
  if (text === null) return { result: 'failed', code: 'unreadable_answer' };
  return { result: 'answered', text, usage: usage ?? estimated(request, text) };
};

/**
 * Creates a client of an AI provider. Construction does no I/O.
 *
 * @throws TypeError when an allowed network is invalid
 */
export const aiProvider = (
  { wire: name, baseUrl, key }: AiSettings,
  { clock, limitMs = AI_LIMIT_MS, ...net }: AiProviderOptions,
): AiProvider => {
  const wire = WIRES[name];
  const outbound = guardedRequests({ ...net, connections: CONNECTIONS, inactivityMs: limitMs });
  return {
    complete: async (request, signal) => {
      signal.throwIfAborted();
      const url = baseUrlProblem(baseUrl) === null ? URL.parse(baseUrl.replace(/\/+$/, '') + wire.path) : null;
      if (url === null) return { result: 'failed', code: 'invalid_url' };
      const headers = { 'content-type': 'application/json', accept: 'application/json', ...wire.headers(key) };
      const body = JSON.stringify(wire.body(request));
      const outgoing = { url, method: 'POST', headers, body, answer: 'read' } as const;
      const result = await withLimit(signal, limitMs, (limited) => outbound.request(outgoing, limited));
      signal.throwIfAborted();
      return outcomeOf(wire, request, result, clock.now());
    },
    close: outbound.close,
  };
};
