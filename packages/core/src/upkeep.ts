import type { callbacksEngine } from './callbacks/callbacks.ts';
import type { Caps } from './caps/caps.ts';
import type { eventsEngine } from './events/events.ts';
import type { idempotencyEngine } from './idempotency/idempotency.ts';
import type { profilesEngine } from './profiles/profiles.ts';
import type { geofencesEngine } from './push/geofences/geofences.ts';
import type { liveActivitiesEngine } from './push/live-activities/live-activities.ts';
import type { tokensEngine } from './push/tokens.ts';
import type { Upkeep } from './work/maintenance.ts';

export type UpkeepEngines = {
  readonly events: Pick<ReturnType<typeof eventsEngine>, 'catchUp' | 'move' | 'sweep'>;
  readonly profiles: Pick<ReturnType<typeof profilesEngine>, 'moveMerged'>;
  readonly tokens: Pick<ReturnType<typeof tokensEngine>, 'follow'>;
  readonly geofences: Pick<ReturnType<typeof geofencesEngine>, 'sweep'>;
  readonly liveActivities: Pick<ReturnType<typeof liveActivitiesEngine>, 'sweep'>;
  readonly callbacks: Pick<ReturnType<typeof callbacksEngine>, 'sweep'>;
  readonly idempotency: Pick<ReturnType<typeof idempotencyEngine>, 'sweep'>;
  readonly caps: Pick<Caps, 'sweep'>;
};

/** What is done behind everything else, in bounded pieces: whoever has more of it adds a line. */
export const upkeepOf = ({
  events,
  profiles,
  tokens,
  geofences,
  liveActivities,
  callbacks,
  caps,
  idempotency,
}: UpkeepEngines): readonly Upkeep[] => [
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
  { name: 'callbacks', run: callbacks.sweep },
  { name: 'idempotency keys', run: idempotency.sweep },
  { name: 'geofence crossings', run: geofences.sweep },
  { name: 'live activities', run: liveActivities.sweep },
  { name: 'frequency caps', run: caps.sweep },
];
