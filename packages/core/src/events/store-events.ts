import { scopeOf } from '../primitives/scope.ts';
import { write } from '../storage/write-set.ts';
import type { EventHot } from './hot.ts';
import { personKey } from './person-key.ts';
import { freshEntries, type Reaction } from './pipeline.ts';

/** Keeps what happened. An identify call is one event row that names the traits it changed. */
export const storeEvents = (hot: EventHot): Reaction<void> => ({
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
