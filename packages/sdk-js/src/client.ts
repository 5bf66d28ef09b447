import { MAX_BATCH_BYTES } from './batches.ts';
import type { AnyEvents, Client, Properties } from './client-types.ts';
import { makeDelivery } from './delivery.ts';
import { isPlaceholder } from './development.ts';
import type { ApiError } from './errors.ts';
import type { EventInput, PushToken } from './generated/wire.ts';
import type { Globals } from './globals.ts';
import { orderedIds, timeOfId } from './ids.ts';
import { type Internals, keepInternals, SHOWN } from './internals.ts';
import type { ClientOptions, Consent } from './options.ts';
import { prepare } from './prepare.ts';
import { type Batch, type Entry, makeQueue } from './queue.ts';
import { BASE, makeSend, type Send } from './request.ts';
import { waitMs } from './retry.ts';
import { makeSlots } from './slots.ts';

declare const BECKON_PRODUCTION: boolean | undefined;

/** Source: sdk, Consent. */
const MAX_PENDING = 100;
/** Source: interface, Errors, 500, 502 and 503. */
const RETRIES = 3;
/** Without Web Locks: delay before this page sends another page's events. Chosen: far longer than a request. */
const OTHERS_AFTER_MS = 60_000;
const ANONYMOUS = 'anonymous';
const USER = 'user';
const TOKEN = 'token';

/**
 * The client for the environment `g`, without features that need a page.
 *
 * @param page properties of a page view
 * @throws TypeError for a secret key in a browser
 */
export const makeClient = <Events extends object = AnyEvents>(
  options: ClientOptions,
  g: Globals,
  page: (g: Globals) => Properties = () => ({}),
): Client<Events> => {
  const { module = 'analytics', flushAt = 20, flushMs = 3_000, maxQueue = 1_000, apiKey } = options;
  if (g.window && apiKey.startsWith('sk_')) throw new TypeError('Secret apiKey in a page.');
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const now = (): number => g.Date.now();
  const isoNow = (): string => new g.Date().toISOString();
  const report = (error: ApiError): void => {
    try {
      options.onError?.(error);
    } catch {}
  };
  const localArea = (): Storage | null => {
    try {
      return (options.storage !== 'memory' && g.window && g.localStorage) || null;
    } catch {
      return null;
    }
  };

  let consent: Consent;
  /** Name of stored values, and of the lock under which they are sent. */
  const name = `beckon:${apiKey}:`;
  const slots = makeSlots(name, null);
  const queue = makeQueue(
    slots,
    () => (consent === 'pending' ? Math.min(MAX_PENDING, maxQueue) : maxQueue),
    now,
    report,
  );
  const send = makeSend(g, baseUrl + BASE, apiKey);
  const nextId = orderedIds(g);
  /** Entries that this page queued. */
  const own = new Set<string>();
  /** Events that a beacon sent before this moment are sent again. */
  let resumedMs = now();
  /** Events queued since the last flush was considered. */
  let freshEvents = 0;
  let freshBytes = 0;

  const anonymousId = (): string => {
    const known = slots.get(ANONYMOUS) ?? nextId();
    slots.set(ANONYMOUS, known);
    return known;
  };
  const bodyOf = (entries: readonly Entry[]): Batch => ({
    // Safe: an event, or the one call that `delivery` takes out of it again.
    batch: entries.map(({ body }) => body as EventInput),
    sentAt: isoNow(),
  });
  // Before consent no user may be known, so the ids are added when the event is sent.
  const who = (): { anonymousId?: string; userId?: string } => {
    const userId = slots.get(USER);
    return { ...(consent === 'granted' && { anonymousId: anonymousId() }), ...(userId && { userId }) };
  };

  const isDue = ({ id, sentAtMs = 0 }: Entry): boolean => {
    const isOthers = slots.isShared() && !g.navigator?.locks && !own.has(id);
    if (isOthers && Math.abs(now() - timeOfId(id)) < OTHERS_AFTER_MS) return false;
    // A time in the future was written before the clock was set back.
    return sentAtMs < resumedMs || sentAtMs > now();
  };
  const due = (): Entry[] => {
    freshEvents = freshBytes = 0;
    if (consent !== 'granted') return [];
    const entries = queue.list().filter(isDue);
    // Safe: adding missing user ids does not change the type.
    return entries.map((entry) => ({ ...entry, body: { anonymousId: anonymousId(), ...entry.body } }) as Entry);
  };
  const closed = new AbortController();
  const { signal } = closed;
  const delivery = makeDelivery({ g, name, slots, queue, send, due, bodyOf, report });
  const flushSoon = (): void => delivery.flushIn(0);

  const enqueue = (kind: 'event' | 'auto', eventType: string, properties: Properties, inModule = module): void => {
    if (consent === 'denied' || (kind === 'auto' && delivery.isPaused())) return;
    const messageId = nextId();
    const made = { messageId, module: inModule, eventType, properties, ...who(), timestamp: isoNow() };
    const prepared = prepare(made, options, report);
    if (!prepared) return;
    own.add(messageId);
    queue.put(messageId, { kind, body: prepared.event });
    freshEvents++;
    freshBytes += prepared.bytes;
    delivery.flushIn(freshEvents < flushAt && freshBytes < MAX_BATCH_BYTES ? flushMs : 0);
  };

  const direct: Send = async (...request) => {
    for (let failures = 1; ; failures++) {
      try {
        return await send(...request);
      } catch (thrown) {
        // Safe: `send` throws nothing else.
        const { status, details } = thrown as ApiError;
        if (details['reason'] === 'duplicate') return details;
        if (failures > RETRIES || ![500, 502, 503].includes(status)) throw thrown;
        await new Promise((done) => void g.setTimeout(done, waitMs(details, failures, g.Math.random())));
      }
    }
  };

  const resets: (() => Promise<unknown>)[] = [];
  const on: Internals['on'] = (type, listener, capture = false) =>
    g.window?.addEventListener(type, listener, { capture, signal });
  on('online', flushSoon);

  let requested: Consent;
  const setConsent = (value: Consent): void => {
    const clear = (): void => slots.names().forEach(slots.delete);
    requested = value;
    // A prerendered page that may never be shown writes and sends nothing.
    consent = value === 'granted' && g.document?.prerendering ? 'pending' : value;
    if (value === 'denied') {
      clear();
      slots.move(localArea());
      clear();
    }
    slots.move(consent === 'granted' ? localArea() : null);
    if (consent === 'granted') anonymousId();
    if (due().length > 0) flushSoon();
  };
  on(SHOWN, () => setConsent(requested), true);

  const client: Client<Events> = {
    baseUrl,
    apiKey,
    track: (eventType, ...[properties = {}, inModule]) =>
      // Safe: a map of events contains objects.
      enqueue('event', eventType, properties as Properties, inModule),
    page: (properties) => enqueue('event', 'page.viewed', { ...page(g), ...properties }),
    identify: async (userId, traits = {}) => {
      if (typeof BECKON_PRODUCTION === 'undefined' && isPlaceholder(userId)) {
        g.console?.warn(
          `Beckon: identify got ${JSON.stringify(userId)}, which is not the id of a user. Nothing is sent.`,
        );
        return;
      }
      // The usual text of a lost variable. More placeholders would enlarge the production build; the service rejects
      // all of them.
      if (consent === 'denied' || /^(undefined|null)?$/.test(userId)) return;
      const messageId = nextId();
      slots.set(USER, userId);
      own.add(messageId);
      queue.put(messageId, { kind: 'identify', body: { ...who(), userId, traits, messageId, timestamp: isoNow() } });
      const outcome = delivery.outcome(messageId);
      // A caller that does not await it is notified by `onError`.
      outcome.catch(() => {});
      flushSoon();
      return consent === 'granted' && g.navigator?.onLine !== false ? outcome : undefined;
    },
    reset: async () => {
      const token = slots.get(TOKEN);
      [USER, ANONYMOUS, TOKEN].forEach(slots.delete);
      if (consent === 'granted') anonymousId();
      try {
        if (token) await direct('DELETE', `/push/tokens/${token}`);
      } finally {
        // A browser that cannot reach the service must not continue to show pushes for another user.
        for (const work of resets) await work();
      }
    },
    flush: delivery.flush,
    setConsent,
    trackOpen: (sendId, clickAction, messageId) =>
      direct('POST', '/push/track-open', { sendId, clickAction, messageId }),
    trackDelivered: (sendId, messageId) => direct('POST', '/push/track-delivered', { sendId, messageId }),
    registerToken: async (fields) => {
      // Safe: the response of this route, as the API describes it.
      const token = (await direct('POST', '/push/tokens', { ...who(), ...fields })) as PushToken;
      slots.set(TOKEN, token.id);
      return token;
    },
    call: direct,
    close: () => {
      delivery.stop();
      closed.abort();
    },
  };
  keepInternals(client, {
    g,
    slots,
    queue,
    send,
    ownDue: () => due().filter(({ id }) => own.has(id)),
    bodyOf,
    flushSoon,
    resume: () => {
      resumedMs = now();
      flushSoon();
    },
    on,
    onReset: (work) => resets.push(work),
    trackAuto: (eventType, properties) => enqueue('auto', eventType, properties),
    signal,
  });
  // Safe: the types of browsers lack this property, which is a boolean if present.
  const privacy = g.navigator as { readonly globalPrivacyControl?: boolean } | undefined;
  setConsent(options.respectGpc && privacy?.globalPrivacyControl ? 'denied' : (options.consent ?? 'granted'));
  return client;
};
