import { write } from '../../database/commit/write-set.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { personKey } from './person-key.ts';
import { freshEntries, type Reaction } from './pipeline.ts';
import type { EventStatements } from './statements.ts';

/** Stores events. An identify call becomes one event row with the names of the traits that it changed. */
export const storeEvents = (hot: EventStatements): Reaction<void> => ({
  name: 'store events',
  load: async () => undefined,
  plan: (draft) => {
    for (const { item, person, changedTraits } of freshEntries(draft)) {
      draft.writes.push(
        write(hot.insertEvent, {
          ...scopeOf(item.scope),
          id: item.id,
          person,
          personKey: personKey(item.scope, person),
          anonymousId: item.anonymousId,
          module: item.module,
          eventType: item.eventType,
          properties: item.kind === 'identify' ? { traits: changedTraits } : item.properties,
          traits: item.traits,
          context: item.context,
          sessionId: item.sessionId,
          messageId: item.messageId,
          source: 'customer',
          timestamp: item.timestamp,
          receivedAt: item.receivedAt,
        }),
      );
    }
  },
});
