import type { Emission, Emitter } from '../../people/events/emit.ts';
import { freshEntries, type Reaction } from '../../people/events/pipeline.ts';

const IDENTIFIED = 'user.identified';

/**
 * Tells of identify calls, which are events by themselves: what nobody else raises. Where nobody wants to hear of them it
 * reads a cache and writes nothing.
 */
export const toldIdentities = (emitter: Emitter): Reaction<Emission> => ({
  name: 'webhooks of identify calls',
  load: (items) => emitter.load(items.map(({ scope }) => scope)),
  plan: (draft, { announce }) => {
    for (const { item, person, changedTraits } of freshEntries(draft)) {
      if (item.kind !== 'identify') continue;
      const { scope, id, traits, depth } = item;
      const { writes, wakes } = announce({
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
