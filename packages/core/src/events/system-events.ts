import type { Ids } from '../primitives/ids.ts';
import { anonymousIdOf } from '../primitives/person.ts';
import { type InScope, scopeOf } from '../primitives/scope.ts';
import { type Write, write } from '../storage/write-set.ts';
import type { EventHot } from './hot.ts';
import { personKey } from './person-key.ts';

/** Something that the service itself found out. Source: contract, Ingest and profiles (`source: system`, no tick). */
export type SystemEvent = {
  readonly scope: InScope;
  readonly person: string;
  readonly module: string;
  readonly eventType: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly at: Date;
};

/** How another engine's plan stores such events. */
export type SystemEvents = { write(event: SystemEvent): Write };

/** How such an event is stored as part of another engine's plan. Pure. */
export const systemEvents = (hot: EventHot, ids: Ids): SystemEvents => ({
  write: ({ scope, person, module, eventType, properties, at }) =>
    write(hot.insertEvent, {
      ...scopeOf(scope),
      id: ids.next(),
      person,
      personKey: personKey(scope, person),
      anonymousId: anonymousIdOf(person),
      module,
      eventType,
      properties,
      traits: null,
      context: null,
      sessionId: null,
      messageId: null,
      source: 'system',
      timestamp: at,
      receivedAt: at,
    }),
});
