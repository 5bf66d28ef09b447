// Callbacks of providers, which carry no API key. The owner is found first: `?k=` in the URL, or the first message ids
// in the first 64 KB, select the secrets that verify the request. Only for an owner is the remaining body read, and
// only a body with a valid signature is parsed. A verified request is stored as received, encrypted, for 7 days. Each
// event is applied in one transaction with its own mark, so that a repeated event counts once.

import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { nextTurn } from '../../foundation/contained.ts';
import { BeckonError, notFound, validationError } from '../../foundation/errors.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { idOf, listPage, timeRange } from '../../foundation/page.ts';
import { type InScope, type Scope, type ScopeDirectory, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { CallbackAnswer, CallbackBody, CallbackInput, CallbacksApi } from './api.ts';
import { countsOf, eventApplier, type FindMessages, NO_COUNTS } from './apply.ts';
import { CALLBACK_START_BYTES } from './claimed-ids.ts';
import type { PathTokens } from './path-token.ts';
import { type CallbackRequest, type ProviderEvent, type Refusal, type Reply, readCallback } from './reader.ts';
import type { CallbackSource } from './source.ts';
import { callbackStatements } from './statements.ts';
import { callbackStore, type ListedCallback } from './store.ts';
import { packRequest, placeOfCallback, unpackRequest } from './stored-request.ts';
import type { CallbackTables } from './tables.ts';
import { callbackUrls } from './urls.ts';

/** How long a request is stored, and its events are known as applied. Source: transports, Provider callbacks. */
const RETENTION_MS = 7 * 86_400_000;
/** Rows of each table that one maintenance slice deletes. Chosen: a short transaction. */
const SWEEP = 200;
/** Maximum message ids of one request that are looked up. Chosen: providers post at most some thousand events. */
const MAX_IDS = 5_000;
/** Maximum projects in which one request is applied. Chosen: one provider account may serve several projects. */
const MAX_SCOPES = 16;
/**
 * Maximum projects whose secrets an unverified request is tried with. Chosen: each may hash 1 MB, and most callbacks
 * have one.
 */
const MAX_UNPROVEN = 4;
/**
 * Seconds after which a provider may repeat a report that arrived before the message's own answer. Chosen: longer than
 * a commit.
 */
const EARLY_RETRY_SECONDS = 5;
/** Base URL if there is no public URL. */
const NOWHERE = 'http://localhost';

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type CallbacksContext = {
  readonly storage: Storage;
  readonly tables: CallbackTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: ScopeDirectory;
  readonly keyring: Pick<Keyring, 'seal' | 'open'>;
  readonly tokens: PathTokens;
  readonly find: FindMessages;
  readonly sources: readonly CallbackSource[];
  readonly publicUrl: string | null;
  readonly log: Pick<Log, 'warn'>;
};

type Accepted = { readonly scope: Scope; readonly events: readonly ProviderEvent[] };
/** A project that may own a request, with the secrets to verify it. */
type Candidate = { readonly scope: Scope; readonly secrets: readonly string[] };

const NO_PROJECT: CallbackAnswer = { ...NO_COUNTS, isAccepted: false, reply: null };

/** A body that is already in memory. */
const wholeBody = (body: Uint8Array): CallbackBody => ({
  start: async () => body,
  whole: async () => body,
});

const refused = (reason: Refusal): BeckonError =>
  reason === 'malformed'
    ? validationError({ body: ['has a valid signature, but is not a payload of this provider'] })
    : new BeckonError(
        'UNAUTHORIZED',
        'The signature does not match the settings of this provider. Check its webhook secret with GET /email/settings or /sms/settings.',
        {
          details: { reason },
        },
      );

const early = (): BeckonError =>
  new BeckonError('OVERLOADED', 'The message of this report is still being sent. Post the report again.', {
    retryAfterSeconds: EARLY_RETRY_SECONDS,
  });

const viewOf = ({ scopeId: _, ...row }: ListedCallback) => row;

export const callbacksEngine = (context: CallbacksContext) => {
  const { storage, tables, clock, ids, scopes, keyring, tokens, find, sources, publicUrl, log } = context;
  const hot = callbackStatements(tables);
  const store = callbackStore({ db: storage.db, tables });
  const urlOf = callbackUrls(publicUrl, tokens);
  const apply = eventApplier({ hot, clock, find });
  const sourceOf = (channel: string, provider: string): CallbackSource | undefined =>
    sources.find((one) => one.channel === channel && one.reader.provider === provider);

  const requestOf = (
    { method, path, query, header }: CallbackInput,
    source: CallbackSource,
    rawBody: Uint8Array,
  ): CallbackRequest => {
    const headers = new Headers();
    for (const name of source.reader.headers) {
      const value = header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const url = new URL(`${publicUrl ?? NOWHERE}${path}${query === '' ? '' : `?${query}`}`);
    return { method, url, headers, rawBody };
  };

  /** The projects of scopes, in order. */
  const candidatesAmong = async (
    source: CallbackSource,
    found: readonly InScope[],
    orgId: string | null,
  ): Promise<readonly Candidate[]> => {
    const numbers = [...new Set(found.map(scopeKey))].slice(0, MAX_SCOPES);
    const scopeAt = await scopes.load(numbers);
    const theirs = numbers.map(scopeAt).filter((scope) => orgId === null || scope.orgId === orgId);
    return Promise.all(theirs.map(async (scope) => ({ scope, secrets: await source.secrets(scope) })));
  };

  /** The projects that a request claims by its URL and first bytes. Nothing is verified yet. */
  const ownersOf = async (
    source: CallbackSource,
    start: CallbackRequest,
    claimed: readonly string[],
    orgId: string | null,
  ) => {
    const named = tokens.read(start.url.searchParams.get('k') ?? '');
    const [found, others] = await Promise.all([
      claimed.length === 0 ? [] : find.byProviderIdsOfAll(source.channel, claimed),
      source.scopes?.(start, orgId) ?? [],
    ]);
    return candidatesAmong(source, [...(named ? [named] : []), ...found, ...others], orgId);
  };

  /** Tries the candidates one by one and yields to the event loop in between. */
  const verifiedIn = async (source: CallbackSource, request: CallbackRequest, candidates: readonly Candidate[]) => {
    const now = clock.now();
    const accepted: Accepted[] = [];
    let reason: Refusal = 'no_secret';
    let reply: Reply | undefined;
    for (const [index, { scope, secrets }] of candidates.entries()) {
      if (index > 0) await nextTurn();
      const verdict = await readCallback(source.reader, request, secrets, now);
      if (verdict.ok) {
        accepted.push({ scope, events: verdict.events });
        reply = verdict.reply;
      } else if (reason === 'no_secret') reason = verdict.reason;
    }
    return { accepted, reply: reply ?? null, reason };
  };

  /** If several projects share a provider account: the projects of the messages in a verified request. */
  const furtherOwners = async (
    source: CallbackSource,
    events: readonly ProviderEvent[],
    claimed: readonly string[],
    tried: readonly Candidate[],
    orgId: string | null,
  ): Promise<readonly Candidate[]> => {
    const lookedUp = new Set(claimed);
    const ids = [...new Set(events.flatMap(({ providerIds }) => providerIds))].filter((id) => !lookedUp.has(id));
    if (ids.length === 0) return [];
    const found = await find.byProviderIdsOfAll(source.channel, ids.slice(0, MAX_IDS));
    const triedScopes = new Set(tried.map(({ scope }) => scopeKey(scope)));
    const others = found.filter((message) => !triedScopes.has(scopeKey(message)));
    return candidatesAmong(source, others, orgId);
  };

  /**
   * The projects for which a request has a valid signature. Null: it names no project. Throws UNAUTHORIZED if none
   * verifies it.
   */
  const verified = async (source: CallbackSource, input: CallbackInput) => {
    const { isSuspect = false, orgId = null } = input;
    const { headers } = source.reader;
    const isUnsigned = headers.length > 0 && headers.every((name) => input.header(name) === undefined);
    const refuse = (reason: Refusal): BeckonError => {
      const fields = { provider: source.reader.provider, channel: source.channel, code: reason };
      if (!isSuspect) log.warn(fields, 'a callback was rejected');
      return refused(reason);
    };
    // It would be rejected whatever it contains.
    if (isUnsigned && isSuspect) throw refuse('unsigned');
    const body = input.body instanceof Uint8Array ? wholeBody(input.body) : input.body;
    // `start` may return more, depending on packets.
    const beginning = (await body.start()).subarray(0, CALLBACK_START_BYTES);
    const start = requestOf(input, source, beginning);
    const claimed = source.reader.claimedIds(start);
    const owners = await ownersOf(source, start, claimed, orgId);
    if (owners.length === 0) return null;
    const ready = owners.filter(({ secrets }) => secrets.length > 0);
    if (ready.length === 0) throw refuse('no_secret');
    if (isUnsigned) throw refuse('unsigned');
    const request = { ...start, rawBody: await body.whole() };
    const tried = ready.slice(0, MAX_UNPROVEN);
    const { accepted, reply, reason } = await verifiedIn(source, request, tried);
    const [first] = accepted;
    if (first === undefined) throw refuse(reason);
    const untried = ready.slice(MAX_UNPROVEN);
    const further = await furtherOwners(source, first.events, claimed, ready, orgId);
    const more = await verifiedIn(source, request, [...untried, ...further].slice(0, MAX_SCOPES - tried.length));
    return { request, accepted: [...accepted, ...more.accepted], reply };
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
      const found = await verified(source, input);
      if (found === null) return NO_PROJECT;
      const { request, accepted, reply } = found;
      let answer: CallbackAnswer = { ...NO_COUNTS, isAccepted: true, reply };
      for (const { scope, events } of accepted) {
        const callback = { id: ids.next(), receivedAt: clock.now() };
        const sealed = await keyring.seal(placeOfCallback(scope, callback.id), packRequest(request));
        const { channel, reader } = source;
        const kept = { channel, provider: reader.provider, sealed, bytes: request.rawBody.byteLength, ...NO_COUNTS };
        await storage.commit({ writes: [write(hot.keep, { ...scopeOf(scope), ...callback, ...kept })] });
        const { isEarly, ...counts } = await applied(source, scope, callback, events);
        // Applied events stay applied; the provider repeats the whole request for the others.
        if (isEarly) throw early();
        answer = {
          isAccepted: true,
          reply,
          events: Math.max(answer.events, counts.events),
          applied: answer.applied + counts.applied,
          duplicates: answer.duplicates + counts.duplicates,
          unknown: 0,
        };
      }
      return { ...answer, unknown: Math.max(answer.events - answer.applied - answer.duplicates, 0) };
    },
    list: async (scope, { channel = null, provider = null, from, to, ...query } = {}) => {
      const range = timeRange({ from, to });
      return listPage(query, {
        binding: JSON.stringify(['callbacks', scopeKey(scope), channel, provider, range]),
        read: async (place) => (await store.list(scope, { ...range, channel, provider }, place)).map(viewOf),
        positionOf: idOf,
      });
    },
    replay: async (scope, id) => {
      const row = await store.get(scope, id);
      const source = row && sourceOf(row.channel, row.provider);
      if (!row || !source) throw notFound('callback with this id', scope);
      const request = unpackRequest(await keyring.open(placeOfCallback(scope, id), row.sealed));
      // It was verified before it was stored; the secret may have changed since.
      const parsed = source.reader.parse(request);
      const { sealed: _, ...listed } = row;
      const { isEarly: _early, ...result } = await applied(source, scope, row, parsed?.events ?? []);
      return { ...viewOf(listed), ...result };
    },
    urls: async (scope) => ({
      data: sources.flatMap(({ channel, reader: { provider } }) => {
        const url = urlOf(scope, channel, provider);
        return url === null ? [] : [{ channel, provider, url }];
      }),
    }),
  };

  return {
    api,
    /** Deletes one slice of expired rows; true when more are left. */
    sweep: (): Promise<boolean> => store.sweepOfAll(new Date(clock.now().getTime() - RETENTION_MS), SWEEP),
  };
};
