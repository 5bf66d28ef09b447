// Calls of /api/v1 of a running service, for commands that are given --url.

import { randomUUID } from 'node:crypto';
import type { Carry } from '../api.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { operations } from '../generated/operations.ts';
import { isObject } from '../is-object.ts';

/** One call; `path` is below `/api/v1`, its parameters escaped. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | Date | undefined>>;
  readonly body?: unknown;
  /** Lets a call that changes something be tried again. */
  readonly idempotencyKey?: string;
  /** Lets one be tried again that changes nothing the second time. */
  readonly isRepeatable?: true;
  /** Times of the answer become Date. */
  readonly revives?: true;
};

/** The members of a success envelope, and the hash of its ETag. */
export type Answered = { readonly data: unknown; readonly pagination: unknown; readonly etag: string | null };

export type Client = (call: Call) => Promise<Answered>;

export type ClientOptions = {
  /** Where the service is, without `/api/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** For a key that covers several orgs, or several projects. */
  readonly org?: string | undefined;
  readonly project?: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  sleep(ms: number): Promise<void>;
};

/** Longer than the service itself takes at most. Source: interface, Limits (30 s). */
const TIMEOUT_MS = 35_000;
/** Waits between tries, in milliseconds; ours. */
const DELAYS_MS = [1_000, 2_000, 4_000];
/** The longest wait that an answer may ask for; a longer one is left to whoever called. Ours. */
const MAX_WAIT_MS = 60_000;
/** A moment exactly as the service writes it. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Names of times. */
const TIMES = /(?:At|_at|Since|Until|^at|^timestamp|^scheduledFor|^until)$/;

/** Times as the library answers them; printed again they are the same text. */
const revive = (key: string, value: unknown): unknown =>
  typeof value === 'string' && TIMES.test(key) && MOMENT.test(value) ? new Date(value) : value;

const baseOf = (url: string): URL => {
  const base = URL.parse(url);
  if (!base || !/^https?:$/.test(base.protocol) || base.username !== '' || base.search !== '' || base.hash !== '')
    throw usageError(
      '--url is no address of a service.',
      'It looks like https://beckon.example.com, without key and path.',
    );
  return base;
};

const urlOf = (
  base: URL,
  { path, query = {} }: Call,
  { org, project }: Pick<ClientOptions, 'org' | 'project'>,
): URL => {
  const root = base.pathname.replace(/\/$/, '');
  const url = new URL(base);
  url.pathname = `${root}/api/v1${org === undefined ? '' : `/orgs/${encodeURIComponent(org)}`}${path}`;
  const asked: NonNullable<Call['query']> = { projectId: project, ...query };
  for (const [name, value] of Object.entries(asked))
    if (value !== undefined) url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
  return url;
};

/** The service's error as the library throws it, so that it has the same exit code and text. */
const errorOf = (status: number, body: unknown): Error => {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { code, message, details } = error;
  if (typeof code === 'string' && typeof message === 'string')
    return Object.assign(new Error(message), { name: 'BeckonError', code, details });
  return new CliError(EXIT.unavailable, `The service answered ${status} and said nothing that this program knows.`, {
    hint: 'Is --url the address of a Beckon service?',
  });
};

const isWorthARetry = (status: number): boolean => status === 429 || status >= 500;

const waitOf = (answer: Response, delay: number): number => {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds * 1_000, 0) : delay;
};

/**
 * A client of one service. A call that may be repeated is tried four times in all where the service is away or busy.
 *
 * @throws CliError for a `url` that is none (2)
 */
export const remoteClient = ({ url, apiKey, fetch, sleep, ...tenant }: ClientOptions): Client => {
  const base = baseOf(url);

  const once = async (call: Call): Promise<Response> => {
    const { method, body, idempotencyKey } = call;
    return fetch(urlOf(base, call, tenant), {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'x-api-key': apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };

  const attempt = async (call: Call, delays: readonly number[]): Promise<Response> => {
    const { method, idempotencyKey, isRepeatable = false } = call;
    const [delay, ...rest] = method === 'GET' || idempotencyKey !== undefined || isRepeatable ? delays : [];
    let wait = delay;
    try {
      const answer = await once(call);
      if (delay === undefined || !isWorthARetry(answer.status)) return answer;
      wait = waitOf(answer, delay);
      if (wait > MAX_WAIT_MS) return answer;
      await answer.body?.cancel();
    } catch (error) {
      if (delay === undefined)
        throw new CliError(EXIT.unavailable, `The service at ${base.origin} cannot be reached.`, {
          hint: 'Check --url, and whether the service runs.',
          cause: error,
        });
    }
    await sleep(wait ?? 0);
    return attempt(call, rest);
  };

  return async (call) => {
    const answer = await attempt(call, DELAYS_MS);
    const text = await answer.text();
    let body: unknown;
    try {
      body = call.revives ? JSON.parse(text, revive) : JSON.parse(text);
    } catch {
      body = undefined;
    }
    if (!answer.ok || !isObject(body) || body['success'] !== true) throw errorOf(answer.status, body);
    const { data, pagination } = body;
    return { data, pagination, etag: answer.headers.get('etag')?.replaceAll('"', '') ?? null };
  };
};

/** Operations beside GET that come to the same however often they are carried out. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'POST /audiences/{id}/members',
  'POST /audiences/{id}/members/remove',
  'POST /audiences/preview',
  'POST /automation/workflows/{id}/simulate',
  'PUT /automation/ai/settings',
]);

/** Carries operations out by calls. */
export const carriedBy =
  (client: Client): Carry =>
  (operation, { params = {}, query, body }) => {
    const [method = '', template = ''] = operation.split(' ');
    return client({
      // Safe: the names of operations begin with a method.
      method: method as Call['method'],
      path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
      ...(operations[operation]?.takesKey ? { idempotencyKey: randomUUID() } : {}),
      ...(REPEATABLE.has(operation) ? { isRepeatable: true as const } : {}),
    });
  };
