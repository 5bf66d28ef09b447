// Who is told of what, and the rows that tell them: written with what happened, in its transaction, one for each webhook
// that names it. Webhooks are remembered for a moment, so that an event that nobody wants to hear of costs nothing.

import { type Write, write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { followingId } from '../../foundation/derived-id.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../jobs/shared-cache.ts';
import type { CatalogName } from '../../people/events/catalog.ts';
import type { Announcer, CatalogEvent, Emitted } from '../../people/events/emit.ts';
import { bodyOf, type ToldEvent } from '../body.ts';
import { WEBHOOKS_QUEUE } from '../schema.ts';
import type { WebhookStatements } from '../statements.ts';
import type { WebhookRow } from '../tables.ts';

/** Age at which another process's change is seen, in milliseconds. Ours: as of triggers. */
const MAX_AGE_MS = 2_000;

/** A webhook as far as making a delivery needs it. */
export type Named = Pick<WebhookRow, 'id' | 'isPulled'>;
type NamedBy = ReadonlyMap<string, readonly Named[]>;

const NOBODY: NamedBy = new Map();

/** The id of what one webhook is told of one event: planned again it is the same. Throws nothing. */
export const deliveryId = ({ id, at }: Pick<ToldEvent, 'id' | 'at'>, webhookId: string): string =>
  followingId(at, id, `webhooks/${webhookId}`);

/** The row that tells a webhook of an event, whose body lies beside it. */
const deliveryOf = (
  hot: Pick<WebhookStatements, 'insert'>,
  scope: Scope,
  event: ToldEvent,
  { id: webhookId, isPulled }: Named,
): Write =>
  write(hot.insert, {
    ...scopeOf(scope),
    id: deliveryId(event, webhookId),
    webhookId,
    eventId: event.id,
    eventType: event.type,
    status: isPulled ? 'held' : 'pending',
    trigger: 'schedule',
    attempts: 0,
    attemptLog: [],
    step: null,
    createdAt: event.at,
    dueAt: isPulled ? null : event.at,
    fence: 0,
  });

/** The rows that tell these webhooks of an event: its body, and one for each of them. Throws nothing. */
export const toldTo = (
  hot: Pick<WebhookStatements, 'insert' | 'insertBody'>,
  scope: Scope,
  event: ToldEvent,
  webhooks: readonly Named[],
): Write[] => {
  const { id, person, at: createdAt } = event;
  return [
    write(hot.insertBody, { ...scopeOf(scope), id, person, body: bodyOf(scope, event), createdAt }),
    ...webhooks.map((webhook) => deliveryOf(hot, scope, event, webhook)),
  ];
};

/** `forget`: for whoever changed a webhook of a scope. */
export type WebhookAnnouncer = Announcer & { forget(scope: InScope): void };

export const webhookAnnouncer = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly hot: Pick<WebhookStatements, 'active' | 'insert' | 'insertBody'>;
  readonly clock: Clock;
}): WebhookAnnouncer => {
  const cache = sharedCache<InScope, NamedBy>({
    storage,
    clock,
    topic: null,
    nameOf: scopeKey,
    read: readByScope(storage, hot.active, (rows) => {
      if (rows.length === 0) return NOBODY;
      const pairs = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const named = pairs.flatMap((row) => row.events.map((name) => [name, row] as const));
      return new Map(
        [...Map.groupBy(named, ([name]) => name)].map(([name, some]) => [name, some.map(([, row]) => row)]),
      );
    }),
    maxAgeMs: MAX_AGE_MS,
  });

  const tell = (scope: Scope, event: CatalogEvent, webhooks: readonly Named[]): Emitted => {
    const isPosted = webhooks.some(({ isPulled }) => !isPulled);
    return {
      writes: toldTo(hot, scope, { ...event, type: event.name }, webhooks),
      wakes: isPosted ? [WEBHOOKS_QUEUE] : [],
    };
  };

  return {
    load: async (scopes) => {
      const namedIn = await cache.load(scopes);
      return (scope, name: CatalogName) => {
        const webhooks = namedIn(scope).get(name);
        return webhooks === undefined ? null : (event) => tell(scope, event, webhooks);
      };
    },
    forget: cache.forget,
  };
};
