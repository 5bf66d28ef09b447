// Applies the events of a callback: each finds its message and is applied once. Events of one message stay in order;
// those of different messages run concurrently.

import { write } from '../../database/commit/write-set.ts';
import type { Clock } from '../../foundation/clock.ts';
import { sha256Hex } from '../../foundation/hash.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { ProviderEvent } from './reader.ts';
import { type Applied, type CallbackMessage, type CallbackSource, MARK_TAG } from './source.ts';
import type { CallbackStatements } from './statements.ts';

/** Maximum characters of an event id that is stored literally; longer ones are hashed. Chosen: above real ids. */
const MAX_ID = 200;
/** Messages whose events are applied concurrently. Chosen: a small bound on concurrency. */
const AT_ONCE = 16;

/** Finds messages of a channel by provider ids in all scopes, and by Beckon's ids in one scope. One statement each. */
export type FindMessages = {
  byProviderIdsOfAll(channel: CallbackMessage['channel'], ids: readonly string[]): Promise<readonly Found[]>;
  byIds(
    scope: InScope,
    channel: CallbackMessage['channel'],
    ids: readonly string[],
  ): Promise<readonly CallbackMessage[]>;
};
export type Found = CallbackMessage & { readonly providerId: string | null };

export type Counts = Readonly<Record<'events' | 'applied' | 'duplicates' | 'unknown', number>>;
/** `isEarly`: the provider must send some events again. */
export type CallbackResult = { readonly counts: Counts; readonly isEarly: boolean };
export const NO_COUNTS: Counts = { events: 0, applied: 0, duplicates: 0, unknown: 0 };

const FIELD = {
  applied: 'applied',
  duplicate: 'duplicates',
  unknown: 'unknown',
  early: 'unknown',
} as const satisfies Record<Applied, keyof Counts>;

/** Counts the results of events. Throws nothing. */
export const countsOf = (outcomes: readonly Applied[]): CallbackResult => {
  const counts = { ...NO_COUNTS, events: outcomes.length };
  for (const outcome of outcomes) counts[FIELD[outcome]] += 1;
  return { counts, isEarly: outcomes.includes('early') };
};

/** The ids that identify an event; each has its own row. Throws nothing. */
export const idsOfEvent = (event: ProviderEvent): readonly string[] => {
  const uniqueIds = [...new Set(event.ids)];
  const eventIds =
    uniqueIds.length > 0
      ? uniqueIds
      : [`${event.type}/${event.messageId ?? event.providerIds[0] ?? ''}/${event.at.toISOString()}`];
  return eventIds.map((id) => (id.length <= MAX_ID && !id.includes('\0') ? id : `sha256:${sha256Hex(id)}`));
};

export const eventApplier = ({ hot, clock, find }: { hot: CallbackStatements; clock: Clock; find: FindMessages }) => {
  /** The message of each event, as far as the scope has it. */
  const messagesOf = async (
    scope: InScope,
    { channel }: Pick<CallbackSource, 'channel'>,
    events: readonly ProviderEvent[],
  ): Promise<(event: ProviderEvent) => CallbackMessage | null> => {
    const providerIds = [...new Set(events.flatMap((event) => event.providerIds))];
    const ids = [...new Set(events.flatMap(({ messageId }) => messageId ?? []))];
    const [named, foundMessages] = await Promise.all([
      ids.length === 0 ? [] : find.byIds(scope, channel, ids),
      providerIds.length === 0 ? [] : find.byProviderIdsOfAll(channel, providerIds),
    ]);
    const ownMessages = foundMessages.filter(({ scopeId }) => scopeId === scope.scopeId);
    const byProviderId = new Map(ownMessages.map((message) => [message.providerId, message]));
    const byId = new Map(named.map((message) => [message.id, message]));
    return (event) => {
      const mine = event.messageId === null ? undefined : byId.get(event.messageId);
      return mine ?? event.providerIds.map((id) => byProviderId.get(id)).find((one) => one !== undefined) ?? null;
    };
  };

  /** Results in event order. Throws what the database throws; events applied before stay applied. */
  return async (
    source: CallbackSource,
    scope: Scope,
    callback: { readonly id: string; readonly receivedAt: Date },
    events: readonly ProviderEvent[],
  ): Promise<readonly Applied[]> => {
    const messageOf = await messagesOf(scope, source, events);
    const applyOne = (reported: ProviderEvent): Promise<Applied> => {
      const message = messageOf(reported);
      // A provider's clock may be ahead; event times are never in the future.
      const event = reported.at > callback.receivedAt ? { ...reported, at: callback.receivedAt } : reported;
      const ids = idsOfEvent(reported);
      return source.apply(event, {
        scope,
        message,
        receivedAt: callback.receivedAt,
        mark: (subject = { person: message?.person ?? null, address: message?.address ?? null }) =>
          ids.map((eventId) =>
            write(
              hot.mark,
              {
                ...scopeOf(scope),
                provider: source.reader.provider,
                eventId,
                callbackId: callback.id,
                person: subject.person,
                address: subject.address,
                createdAt: clock.now(),
              },
              MARK_TAG,
            ),
          ),
      });
    };
    const outcomes = new Map<ProviderEvent, Applied>();
    const groups = [...Map.groupBy(events, (event) => messageOf(event)?.id ?? null).values()];
    for (let at = 0; at < groups.length; at += AT_ONCE)
      await Promise.all(
        groups.slice(at, at + AT_ONCE).map(async (group) => {
          for (const event of group) outcomes.set(event, await applyOne(event));
        }),
      );
    return events.map((event) => outcomes.get(event) ?? 'unknown');
  };
};
