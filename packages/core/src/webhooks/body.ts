import { anonymousIdOf, userIdOf } from '../foundation/person.ts';
import type { Scope } from '../foundation/scope.ts';
import { truncateObject, utf8Bytes } from '../foundation/truncate.ts';
import type { CatalogEvent } from '../people/events/emit.ts';

/** Bytes of a body. Source: contract, Outbound webhooks. */
export const MAX_BODY_BYTES = 20_480;

/** The parts of an event that a delivery's body contains. */
export type PublishedEvent = Pick<CatalogEvent, 'id' | 'person' | 'properties' | 'at'> & { readonly type: string };

/** The user's ids, if known, followed by the event's properties. */
const dataOf = ({ person, properties }: PublishedEvent): Readonly<Record<string, unknown>> => {
  if (person === null) return properties;
  const [userId, anonymousId] = [userIdOf(person), anonymousIdOf(person)];
  return {
    ...(userId === null ? {} : { userId }),
    ...(anonymousId === null ? {} : { anonymousId }),
    ...properties,
  };
};

/** The request body of an event, the same in every attempt. Larger data is truncated and marked as such. Throws nothing. */
export const bodyOf = ({ orgId, projectId, environment }: Scope, event: PublishedEvent): string => {
  const { id, type, at } = event;
  const createdAt = at.toISOString();
  // Receivers of Standard Webhooks read the top-level `type` and `timestamp`.
  const envelope = { event: { id, type, createdAt, orgId, projectId, environment }, type, timestamp: createdAt };
  const dataBytes = MAX_BODY_BYTES - utf8Bytes({ ...envelope, data: {} }) + utf8Bytes({});
  return JSON.stringify({ ...envelope, data: truncateObject(dataOf(event), dataBytes) });
};
