import { pageLimit } from '../../../foundation/page.ts';
import type { CountPlaceholders } from '../../../foundation/placeholder-user-id.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { Emitter } from '../../../people/events/emit.ts';
import { gated } from '../../../platform/plans/gated.ts';
import type { RequirePlan } from '../../../platform/plans/plans.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Tokens } from '../tokens.ts';
import { geofencesEngine } from './geofences.ts';
import { parseGeofence, parseGeofencePatch, parseGeofenceReport, parseNearest } from './schema.ts';
import type { GeofenceTables } from './tables.ts';

export type GeofencesPlatform = Platform<GeofenceTables>;

type Needs = {
  readonly emitter: Emitter;
  /** The user that an anonymous id was identified as; null: none yet. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  readonly countPlaceholders: CountPlaceholders;
  readonly tokens: Pick<Tokens, 'ownerOf'>;
  readonly requirePlan: RequirePlan;
};

/** Builds geofences and their reports. */
export const geofencesModule = ({ storage, tables, clock, ids }: GeofencesPlatform, needs: Needs) => {
  const { emitter, userOf, countPlaceholders, tokens, requirePlan } = needs;
  const { api, sweep, eraser, close } = geofencesEngine({
    ...{ storage, tables, clock, ids, emitter, userOf, countPlaceholders },
    ownerOf: tokens.ownerOf,
  });
  return {
    name: 'geofences',
    api: gated(requirePlan, 'geofences', api, {
      create: (_, body) => parseGeofence(body),
      update: (_, _id, body) => parseGeofencePatch(body),
      nearest: (_, query) => parseNearest(query),
      report: (_, body) => parseGeofenceReport(body),
      list: (_, query) => pageLimit(query?.limit),
    }),
    erasers: [eraser],
    maintenance: [{ name: 'geofence crossings', run: sweep }],
    close,
  };
};
