// Calls /api/v1 of a running server, for commands with --url.

import { randomUUID } from 'node:crypto';
import type { OperationInput } from '@beckon/http';
import type { Execute } from '../api.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { operations } from '../generated/operations.ts';
import { isObject } from '../is-object.ts';

type Call = { readonly operation: string; readonly input: OperationInput };

export type ClientOptions = {
  /** Address of the server, without `/api/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** Organization of the request, for a key with several organizations or projects. */
  readonly org?: string | undefined;
  readonly project?: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  sleep(ms: number): Promise<void>;
};

/** Timeout. Chosen: longer than the server's own. Source: interface, Limits (30 s). */
const TIMEOUT_MS = 35_000;
/** Delays between attempts, in milliseconds. Chosen. */
const DELAYS_MS = [1_000, 2_000, 4_000];
/** Maximum Retry-After. Chosen: a longer one is reported to the user instead. */
const MAX_WAIT_MS = 60_000;
/** Idempotent operations, besides reads. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'POST /audiences/{id}/members',
  'POST /audiences/{id}/members/remove',
  'POST /audiences/preview',
  'POST /automation/workflows/{id}/simulate',
  'PUT /automation/ai/settings',
]);

/** A path parameter. Throws CliError usage for ".", ".." and empty text, which would change the path. */
const partOf = (text: string): string => {
  if (/^\.{0,2}$/.test(text)) throw usageError(`"${text}" cannot be used as an id or name with --url.`);
  return encodeURIComponent(text);
};

const baseOf = (url: string): URL => {
  const base = URL.parse(url);
  if (!base || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search !== '' || base.hash !== '')
    throw usageError(
      'Invalid --url.',
      'Pass the address of a server, such as https://beckon.example.com, without credentials and query.',
    );
  return base;
};

const urlOf = (
  base: URL,
  { operation, input: { params = {}, query = {} } }: Call,
  { org, project }: Pick<ClientOptions, 'org' | 'project'>,
): URL => {
  const root = base.pathname.replace(/\/$/, '');
  const [, template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => partOf(params[name] ?? ''));
  const url = new URL(base);
  url.pathname = `${root}/api/v1${org === undefined ? '' : `/orgs/${encodeURIComponent(org)}`}${path}`;
  for (const [name, value] of Object.entries({ projectId: project, ...query }))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
};

/** The server's error in the form of the library, so that exit code and text are the same. */
const errorOf = (status: number, body: unknown): Error => {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { code, message, details } = error;
  if (typeof code === 'string' && typeof message === 'string')
    return Object.assign(new Error(message), { name: 'BeckonError', code, details });
  return new CliError(EXIT.unavailable, `Unexpected response from the server (status ${status}).`, {
    hint: 'Check that --url is the address of a Beckon server.',
  });
};

const isWorthARetry = (status: number): boolean => status === 429 || status >= 500;

const waitOf = (answer: Response, delay: number): number => {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds * 1_000, 0) : delay;
};

/**
 * Executes operations on a running server. Repeatable calls are attempted up to four times while the server is unreachable
 * or busy.
 *
 * @throws CliError usage for an invalid `url`
 */
export const remoteClient = ({ url, apiKey, fetch, sleep, ...tenant }: ClientOptions): Execute => {
  const base = baseOf(url);

  const once = async (call: Call, idempotencyKey: string | null): Promise<Response> => {
    const { body } = call.input;
    return fetch(urlOf(base, call, tenant), {
      method: call.operation.split(' ')[0] ?? '',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };

  const attempt = async (call: Call, key: string | null, delays: readonly number[]): Promise<Response> => {
    const [delay, ...rest] = delays;
    let wait = delay;
    try {
      const answer = await once(call, key);
      if (delay === undefined || !isWorthARetry(answer.status)) return answer;
      wait = waitOf(answer, delay);
      if (wait > MAX_WAIT_MS) return answer;
      await answer.body?.cancel();
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (delay === undefined)
        throw new CliError(EXIT.unavailable, `Cannot reach the server at ${base.origin}.`, {
          hint: 'Check --url, and that the server runs.',
          cause: error,
        });
    }
    await sleep(wait ?? 0);
    return attempt(call, key, rest);
  };

  return async (operation, input) => {
    const key = operations[operation]?.takesKey ? randomUUID() : null;
    const isRepeatable = operation.startsWith('GET ') || key !== null || REPEATABLE.has(operation);
    const answer = await attempt({ operation, input }, key, isRepeatable ? DELAYS_MS : []);
    let body: unknown;
    try {
      body = JSON.parse(await answer.text());
    } catch {
      body = undefined;
    }
    if (!answer.ok || !isObject(body) || body['success'] !== true) throw errorOf(answer.status, body);
    const { data, pagination } = body;
    return { data, pagination, etag: answer.headers.get('etag')?.replaceAll('"', '') ?? null };
  };
};
