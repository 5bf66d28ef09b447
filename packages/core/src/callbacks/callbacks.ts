// What providers post to us. Nobody signs in here: a request names messages, the scopes of those say which secrets it has
// to be signed with, and only then anything of it is believed. What was believed is kept as it came, sealed, for 7 days;
// each event is applied in one transaction with a mark of its own, so that one that comes twice is one.

import type { CallbackAnswer, CallbackInput, CallbacksApi, Log } from '../api.ts';
import { BeckonError, notFound, validationError } from '../errors.ts';
import type { Clock } from '../primitives/clock.ts';
import type { Ids } from '../primitives/ids.ts';
import { decodeCursor, pageLimit, pageOf, timeRange } from '../primitives/page.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeKey, scopeOf } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import { write } from '../storage/write-set.ts';
import type { Keyring } from '../tenancy/keyring.ts';
import { countsOf, eventApplier, type FindMessages, NO_COUNTS } from './apply.ts';
import { callbackHot } from './hot.ts';
import { packRequest, placeOfCallback, unpackRequest } from './kept.ts';
import type { PathTokens } from './path-token.ts';
import { type CallbackRequest, type ProviderEvent, type Refusal, type Reply, readCallback } from './reader.ts';
import type { CallbackSource } from './source.ts';
import { callbackStore, type ListedCallback } from './store.ts';
import type { CallbackTables } from './tables.ts';
import { callbackUrls } from './urls.ts';

/** How long a request is kept, and its events are known as applied. Source: transports, Provider callbacks. */
const KEPT_MS = 7 * 86_400_000;
/** Rows of either kind that one piece of upkeep forgets; ours. */
const SWEEP = 200;
/** Ids of messages of one request that are looked for; ours: providers post some thousand events at most. */
const MAX_IDS = 5_000;
/** Scopes that one request is checked for; ours: one account of a provider may serve several projects. */
const MAX_SCOPES = 16;
/** Seconds after which a provider may tell again of a message whose own answer it was faster than; ours. */
const EARLY_RETRY_SECONDS = 5;
/** What stands for the public URL where there is none. */
const NOWHERE = 'http://localhost';

export type CallbackDeps = {
  readonly storage: Storage;
  readonly tables: CallbackTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: ScopeDirectory;
  readonly secrets: Pick<Keyring, 'seal' | 'open'>;
  readonly tokens: PathTokens;
  readonly find: FindMessages;
  readonly sources: readonly CallbackSource[];
  readonly publicUrl: string | null;
  readonly log: Pick<Log, 'warn'>;
};

type Accepted = { readonly scope: Scope; readonly events: readonly ProviderEvent[] };

const refused = (reason: Refusal): BeckonError =>
  reason === 'malformed'
    ? validationError({ body: ['This is signed, and not what this provider posts.'] })
    : new BeckonError('UNAUTHORIZED', 'This is not signed as the project has set for this provider.', {
        details: { reason },
      });

const early = (): BeckonError =>
  new BeckonError('OVERLOADED', 'A message is still being handed over; post this again.', {
    retryAfterSeconds: EARLY_RETRY_SECONDS,
  });

const viewOf = ({ scopeId: _, ...row }: ListedCallback) => row;

export const callbacksEngine = (deps: CallbackDeps) => {
  const { storage, tables, clock, ids, scopes, secrets, tokens, find, sources, publicUrl, log } = deps;
  const hot = callbackHot(tables);
  const store = callbackStore({ db: storage.db, tables });
  const urlOf = callbackUrls(publicUrl, tokens);
  const apply = eventApplier({ hot, clock, find });
  const sourceOf = (channel: string, provider: string): CallbackSource | undefined =>
    sources.find((one) => one.channel === channel && one.reader.provider === provider);

  const requestOf = ({ method, path, query, header, body }: CallbackInput, source: CallbackSource): CallbackRequest => {
    const headers = new Headers();
    for (const name of source.reader.headers) {
      const value = header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const url = new URL(`${publicUrl ?? NOWHERE}${path}${query === '' ? '' : `?${query}`}`);
    return { method, url, headers, rawBody: body };
  };

  /** Whose it may be: nothing of it is checked yet. */
  const candidates = async (
    source: CallbackSource,
    request: CallbackRequest,
    orgId: string | null,
  ): Promise<readonly Scope[]> => {
    const named = tokens.read(request.url.searchParams.get('k') ?? '');
    const providerIds = source.reader.correlate(request).providerIds.slice(0, MAX_IDS);
    const [found, others] = await Promise.all([
      providerIds.length === 0 ? [] : find.byProviderIdsOfAll(source.channel, providerIds),
      source.scopes?.(request, orgId) ?? [],
    ]);
    const all: InScope[] = [...(named ? [named] : []), ...found, ...others];
    const numbers = [...new Set(all.map(scopeKey))].slice(0, MAX_SCOPES);
    const scopeAt = await scopes.load(numbers);
    return numbers.map(scopeAt).filter((scope) => orgId === null || scope.orgId === orgId);
  };

  /** In which of the scopes it is signed rightly. Throws UNAUTHORIZED where in none. */
  const verified = async (source: CallbackSource, request: CallbackRequest, asked: readonly Scope[]) => {
    const now = clock.now();
    const accepted: Accepted[] = [];
    let reason: Refusal = 'no_secret';
    let reply: Reply | undefined;
    for (const scope of asked) {
      const verdict = await readCallback(source.reader, request, await source.secrets(scope), now);
      if (verdict.ok) {
        accepted.push({ scope, events: verdict.events });
        reply = verdict.reply;
      } else if (reason === 'no_secret') reason = verdict.reason;
    }
    if (accepted.length > 0 || asked.length === 0) return { accepted, reply: reply ?? null };
    log.warn({ provider: source.reader.provider, channel: source.channel, code: reason }, 'a callback was refused');
    throw refused(reason);
  };

  const applied = async (
    source: CallbackSource,
    scope: Scope,
    callback: { readonly id: string; readonly receivedAt: Date },
    events: readonly ProviderEvent[],
  ) => {
    const { counts, isEarly } = countsOf(await apply(source, scope, callback, events));
    const appliedAt = clock.now();
    await storage.commit({ writes: [write(hot.note, { ...scopeOf(scope), id: callback.id, appliedAt, ...counts })] });
    return { ...counts, appliedAt, isEarly };
  };

  const api: CallbacksApi = {
    receive: async (input) => {
      const source = sourceOf(input.channel, input.provider);
      if (!source) throw notFound();
      const request = requestOf(input, source);
      const asked = await candidates(source, request, input.orgId ?? null);
      const { accepted, reply } = await verified(source, request, asked);
      let answer: CallbackAnswer = { ...NO_COUNTS, reply };
      for (const { scope, events } of accepted) {
        const callback = { id: ids.next(), receivedAt: clock.now() };
        const sealed = await secrets.seal(placeOfCallback(scope, callback.id), packRequest(request));
        const { channel, reader } = source;
        const kept = { channel, provider: reader.provider, sealed, bytes: request.rawBody.byteLength, ...NO_COUNTS };
        await storage.commit({ writes: [write(hot.keep, { ...scopeOf(scope), ...callback, ...kept })] });
        const { isEarly, ...counts } = await applied(source, scope, callback, events);
        // What was applied stays so; what has to come again comes with the whole of it.
        if (isEarly) throw early();
        answer = {
          reply,
          events: Math.max(answer.events, counts.events),
          applied: answer.applied + counts.applied,
          duplicates: answer.duplicates + counts.duplicates,
          unknown: 0,
        };
      }
      return { ...answer, unknown: Math.max(answer.events - answer.applied - answer.duplicates, 0) };
    },
    list: async (scope, { limit: asked, cursor, channel = null, provider = null, from, to } = {}) => {
      const limit = pageLimit(asked);
      const range = timeRange({ from, to });
      const binding = JSON.stringify(['callbacks', scopeKey(scope), channel, provider, range]);
      const after = cursor === undefined ? null : decodeCursor(binding, cursor);
      const rows = await store.list(scope, { ...range, channel, provider }, { after, limit: limit + 1 });
      return pageOf(rows.map(viewOf), limit, ({ id }) => id, binding);
    },
    replay: async (scope, id) => {
      const row = await store.get(scope, id);
      const source = row && sourceOf(row.channel, row.provider);
      if (!row || !source) throw notFound('callback with this id', scope);
      const request = unpackRequest(await secrets.open(placeOfCallback(scope, id), row.sealed));
      // It was verified before it was sealed; the secret may be another by now.
      const told = source.reader.parse(request);
      const { sealed: _, ...listed } = row;
      const { isEarly: _early, ...gone } = await applied(source, scope, row, told?.events ?? []);
      return { ...viewOf(listed), ...gone };
    },
    urls: async (scope) =>
      sources.flatMap(({ channel, reader: { provider } }) => {
        const url = urlOf(scope, channel, provider);
        return url === null ? [] : [{ channel, provider, url }];
      }),
  };

  return {
    api,
    /** One step of forgetting; true when more are left. */
    sweep: (): Promise<boolean> => store.sweepOfAll(new Date(clock.now().getTime() - KEPT_MS), SWEEP),
  };
};
