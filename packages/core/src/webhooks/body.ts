import { anonymousIdOf, userIdOf } from '../foundation/person.ts';
import type { Scope } from '../foundation/scope.ts';
import { truncateObject, utf8Bytes } from '../foundation/truncate.ts';
import type { CatalogEvent } from '../people/events/emit.ts';

/** Bytes of a body. Source: contract, Outbound webhooks. */
export const MAX_BODY_BYTES = 20_480;

/** What a body tells of an event. */
export type ToldEvent = Pick<CatalogEvent, 'id' | 'person' | 'properties' | 'at'> & { readonly type: string };

/** Whose it is, as far as somebody is known, before what it says. */
const dataOf = ({ person, properties }: ToldEvent): Readonly<Record<string, unknown>> => {
  if (person === null) return properties;
  const [userId, anonymousId] = [userIdOf(person), anonymousIdOf(person)];
  return {
    ...(userId === null ? {} : { userId }),
    ...(anonymousId === null ? {} : { anonymousId }),
    ...properties,
  };
};

/**
 * The body that tells an event, the same in every attempt. Larger data is cut as traits are, and says so. Throws nothing.
 */
export const bodyOf = ({ orgId, projectId, environment }: Scope, event: ToldEvent): string => {
  const { id, type, at } = event;
  const createdAt = at.toISOString();
  // `type` and `timestamp` stand where receivers of Standard Webhooks look for them.
  const around = { event: { id, type, createdAt, orgId, projectId, environment }, type, timestamp: createdAt };
  const room = MAX_BODY_BYTES - utf8Bytes({ ...around, data: {} }) + utf8Bytes({});
  return JSON.stringify({ ...around, data: truncateObject(dataOf(event), room) });
};
