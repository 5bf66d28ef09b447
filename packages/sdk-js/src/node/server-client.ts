import type { AnyEvents } from '../client-types.ts';
import { ApiError } from '../errors.ts';
import { routes } from '../generated/routes.ts';
import type { BatchAnswer } from '../generated/wire.ts';
import { orderedIds } from '../ids.ts';
import { BASE } from '../request.ts';
import { withRejectedEvents } from './batch-retry.ts';
import type { Page, Pages, Route, ServerClient } from './client-types.ts';
import { methods } from './methods.ts';
import { type Call, send } from './request.ts';

export type ServerClientOptions = {
  /** `sk_...`; a public key is for pages. */
  readonly apiKey: string;
  /** The service's origin, such as `https://engage.example.com`. */
  readonly baseUrl: string;
  /** Required for a key of several organizations: calls then name it in their path. */
  readonly orgId?: string;
  /** Required for a key of several projects: calls then name it in their query. */
  readonly projectId?: string;
  /** Sends the requests. Default: the platform's `fetch`, which keeps connections open. */
  readonly fetch?: typeof globalThis.fetch;
};

type Values = Readonly<Record<string, unknown>>;

/** Identified by their message id: the service stores each of them once. */
const SINGLE_EVENTS: readonly Route[] = ['POST /events', 'POST /identify'];
const BATCH: Route = 'POST /events/batch';
const PLACEHOLDER = /\{\w+\}/g;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withMessageId =
  (newId: () => string) =>
  (event: unknown): unknown =>
    isValues(event) ? { ...event, messageId: event['messageId'] ?? newId() } : event;

/** The body with an id for every event, so that a repeated event is recognized. */
const bodyOf = (route: Route, body: unknown, newId: () => string): unknown => {
  const withId = withMessageId(newId);
  if (SINGLE_EVENTS.includes(route)) return withId(body);
  if (route !== BATCH) return body;
  if (Array.isArray(body)) return body.map(withId);
  return isValues(body) && Array.isArray(body['batch']) ? { ...body, batch: body['batch'].map(withId) } : body;
};

/** The events of a batch; null for a body without events, which the service rejects. */
const eventsOf = (body: unknown): readonly unknown[] | null => {
  const batch = isValues(body) ? body['batch'] : body;
  return Array.isArray(batch) ? batch : null;
};

/** A body or event that is sent again: its `sentAt`, by which the service corrects times, follows the clock. */
const sentLater =
  (ms: number) =>
  <Body>(body: Body): Body => {
    const sentAt = isValues(body) ? Date.parse(String(body['sentAt'])) : Number.NaN;
    return Number.isNaN(sentAt) ? body : { ...body, sentAt: new Date(sentAt + ms).toISOString() };
  };

const segmentOf = (value: unknown): string => {
  // A URL drops dot segments, encoded or not, so the call would reach another route.
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError('A part of a path is a text, and neither empty nor dots alone.');
  return encodeURIComponent(value);
};

const urlMaker = ({ baseUrl, orgId, projectId }: ServerClientOptions) => {
  const origin = baseUrl.replace(/\/+$/, '');
  return (route: Route, parts: readonly unknown[], query: Values): string => {
    const traits: readonly string[] = routes[route];
    const base = traits.includes('root') ? '' : BASE;
    const org = orgId !== undefined && traits.includes('org') ? `/orgs/${segmentOf(orgId)}` : '';
    let next = 0;
    const path = route.replace(/^\w+ /, '').replace(PLACEHOLDER, () => segmentOf(parts[next++]));
    const all = { ...(traits.includes('project') && { projectId }), ...query };
    const params = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    return `${origin}${base}${org}${path}${params.length > 0 ? `?${new URLSearchParams(params)}` : ''}`;
  };
};

const pagesOf = (ask: (cursor?: string) => Promise<Page<unknown>>): Pages<unknown> => ({
  page: () => ask(),
  async *[Symbol.asyncIterator]() {
    let page = await ask();
    for (;;) {
      yield* page.data;
      if (page.pagination.nextCursor === null) return;
      page = await ask(page.pagination.nextCursor);
    }
  },
});

/** The data of an envelope. A list stays below `data`, as in a page. */
const contentOf = (envelope: Values): unknown => {
  const { data } = envelope;
  return Array.isArray(data) ? { data } : data;
};

/** The event that an earlier attempt stored is the result of this one. */
const storedBefore = (route: Route, error: unknown): unknown => {
  const isKnown = error instanceof ApiError && error.status === 409 && error.details['reason'] === 'duplicate';
  if (!isKnown || !SINGLE_EVENTS.includes(route)) throw error;
  return { data: { id: error.details['id'], accepted: true } };
};

/**
 * Creates a client for servers, with a method for every route. `createServerClient<MyEvents>()` lets the compiler check
 * tracked events.
 *
 * @throws TypeError for a public key or a `baseUrl` that is not an http or https URL
 */
export const createServerClient = <Events extends object = AnyEvents>(
  options: ServerClientOptions,
): ServerClient<Events> => {
  const { apiKey, baseUrl, fetch = (...args) => globalThis.fetch(...args) } = options;
  if (apiKey.startsWith('pk_')) throw new TypeError('A public key is for pages; a server needs a secret one.');
  if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError('baseUrl must be an http or https URL.');
  const urlOf = urlMaker(options);
  const newId = orderedIds(globalThis);

  const call = (route: Route, args: readonly unknown[]): unknown => {
    const traits: readonly string[] = routes[route];
    const parts = args.slice(0, route.match(PLACEHOLDER)?.length ?? 0);
    const hasBody = traits.includes('body');
    const params = args[parts.length + (hasBody ? 1 : 0)];
    const { signal, idempotencyKey, ...query } = isValues(params) ? params : {};
    const method = route.replace(/ .*/, '');
    const sent = hasBody ? bodyOf(route, args[parts.length], newId) : null;
    const body = hasBody ? JSON.stringify(sent) : null;
    const isKeyed = traits.includes('key');
    const base: Omit<Call, 'url'> = {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(isKeyed && { 'idempotency-key': typeof idempotencyKey === 'string' ? idempotencyKey : newId() }),
      },
      body,
      signal: signal instanceof AbortSignal ? signal : undefined,
      isRepeatable: isKeyed || method === 'GET' || method === 'PUT' || SINGLE_EVENTS.includes(route),
      isProbe: traits.includes('root'),
    };
    const ask = async (more: Values = {}): Promise<unknown> =>
      send(fetch, { ...base, url: urlOf(route, parts, { ...query, ...more }) });
    if (traits.includes('pages'))
      // Safe: the envelope of every list, as the API describes it.
      return pagesOf((cursor) => ask(cursor === undefined ? {} : { cursor }) as Promise<Page<unknown>>);
    const answered = ask()
      .catch((error: unknown) => storedBefore(route, error))
      .then((answer) => (isValues(answer) && !traits.includes('bare') ? contentOf(answer) : answer));
    const events = route === BATCH ? eventsOf(sent) : null;
    if (events === null) return answered;
    const began = Date.now();
    // Not with the key of the first call, whose response is stored with it.
    const sendSome = async (some: readonly unknown[]): Promise<BatchAnswer> => {
      const later = sentLater(Date.now() - began);
      const batch = isValues(sent) ? { ...later(sent), batch: some.map(later) } : some.map(later);
      const headers = { ...base.headers, 'idempotency-key': newId() };
      const again = await send(fetch, {
        ...base,
        headers,
        body: JSON.stringify(batch),
        url: urlOf(route, parts, query),
      });
      // Safe: the response of this route, as the API describes it.
      return (again as { readonly data: BatchAnswer }).data;
    };
    return answered.then((answer) =>
      // Safe: as above.
      withRejectedEvents({ events, answer: answer as BatchAnswer, send: sendSome, signal: base.signal }),
    );
  };

  const tree = (node: object): Values =>
    Object.fromEntries(
      Object.entries(node).map(([name, value]) => [
        name,
        typeof value === 'string'
          ? // Safe: the table of methods contains routes only; its test enforces it.
            (...args: unknown[]) => call(value as Route, args)
          : tree(value),
      ]),
    );
  // Safe: the same table makes the type and the methods.
  return tree(methods) as unknown as ServerClient<Events>;
};
