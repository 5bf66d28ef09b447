import type { Emitter, LoadedEmitter } from '../../people/events/emit.ts';
import { freshEntries, type Reaction } from '../../people/events/pipeline.ts';

const IDENTIFIED = 'user.identified';

/** Publishes `user.identified` for each identify call. Without subscribers it reads a cache and writes nothing. */
export const publishIdentifyCalls = (emitter: Emitter): Reaction<LoadedEmitter> => ({
  name: 'webhooks of identify calls',
  load: (items) => emitter.load(items.map(({ scope }) => scope)),
  plan: (draft, { publish }) => {
    for (const { item, person, changedTraits } of freshEntries(draft)) {
      if (item.kind !== 'identify') continue;
      const { scope, id, traits, depth } = item;
      const { writes, wakes } = publish({
        id,
        name: IDENTIFIED,
        scope,
        person,
        properties: { traits: traits ?? {}, changedTraits },
        at: draft.now,
        depth,
      });
      draft.writes.push(...writes);
      for (const topic of wakes) draft.wakes.add(topic);
    }
  },
});
