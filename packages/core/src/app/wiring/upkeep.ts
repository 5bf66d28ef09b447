import type { Upkeep } from '../../jobs/maintenance.ts';
import type { Tokens } from '../../messaging/push/tokens.ts';
import type { eventsEngine } from '../../people/events/events.ts';
import type { profilesEngine } from '../../people/profiles/profiles.ts';
import type { idempotencyEngine } from '../../platform/idempotency/idempotency.ts';

export type UpkeepEngines = {
  readonly events: Pick<ReturnType<typeof eventsEngine>, 'catchUp' | 'move' | 'sweep'>;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'moveMerged'>;
  readonly tokens: Pick<Tokens, 'follow'>;
  readonly idempotency: Pick<ReturnType<typeof idempotencyEngine>, 'sweep'>;
  /** Of the engines that bring their own. */
  readonly more: readonly Upkeep[];
};

/** What is done behind everything else, in bounded pieces: whoever has more of it adds a line. */
export const upkeepOf = ({ events, profiles, tokens, idempotency, more }: UpkeepEngines): readonly Upkeep[] => [
  {
    name: 'index over people',
    run: async () => {
      await events.catchUp();
      return false;
    },
  },
  {
    name: 'events and tokens of merged people',
    run: () =>
      profiles.moveMerged({
        moveEvents: async (scope, from, to) => {
          await tokens.follow(scope, from, to);
          return events.move(scope, from, to);
        },
      }),
  },
  { name: 'message ids', run: events.sweep },
  { name: 'idempotency keys', run: idempotency.sweep },
  ...more,
];
