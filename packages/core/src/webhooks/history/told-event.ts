import { isObject } from '../../foundation/json.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { EventRecord } from '../../people/events/api.ts';
import { CATALOG } from '../../people/events/catalog.ts';
import type { ToldBody } from './store.ts';

const MODULES: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALOG).map(([name, { module }]) => [name, module]),
);

/**
 * The event that a webhook's body tells: of an event of nobody's, or of one that no workflow listens to, the body may be
 * all that is kept. Throws nothing.
 */
export const recordOfTold = (
  scope: Scope,
  id: string,
  { person, body, eventType, createdAt }: ToldBody,
): EventRecord => {
  const { data }: { readonly data?: unknown } = JSON.parse(body);
  const [userId, anonymousId] = person === null ? [null, null] : [userIdOf(person), anonymousIdOf(person)];
  const said = isObject(data) ? data : {};
  // The body names the person before what the event says.
  const properties = Object.fromEntries(
    Object.entries(said).filter(
      ([key, value]) => !(key === 'userId' && value === userId) && !(key === 'anonymousId' && value === anonymousId),
    ),
  );
  return {
    id,
    userId,
    anonymousId,
    module: MODULES.get(eventType) ?? 'webhooks',
    eventType,
    properties,
    traits: null,
    messageId: null,
    sessionId: null,
    context: null,
    source: 'system',
    timestamp: createdAt,
    receivedAt: createdAt,
    environment: scope.environment,
    orgId: scope.orgId,
    projectId: scope.projectId,
  };
};
