import { z } from 'zod';
import { answersOf, freeForm } from '../../../foundation/answers.ts';
import type { Answers } from './answers.generated.ts';
import { TRANSITIONS } from './schema.ts';

/** Answer schemas of geofences. */
export const geofenceAnswers = answersOf<Answers>()(() => {
  const fence = {
    id: z.uuid().describe('Id of the geofence.'),
    name: z.string().describe('Name of the geofence.'),
    lat: z.number().describe('Latitude of the center, in degrees.'),
    lng: z.number().describe('Longitude of the center, in degrees.'),
    radiusMeters: z.number().describe('Radius, in meters.'),
    transitions: z.array(z.enum(TRANSITIONS)).describe('Transitions that devices report.'),
    dwellSeconds: z
      .int()
      .nullable()
      .describe('How long a device must stay inside before it reports `dwelled`, in seconds; null if not set.'),
    data: freeForm().nullable().describe('Custom data for the app; null if there is none.'),
  };
  const NearGeofence = z
    .object({ ...fence, distanceMeters: z.int().describe('Distance between the device and the center, in meters.') })
    .describe('A geofence near a device.');
  return {
    Geofence: z
      .object({
        ...fence,
        createdAt: z.date().describe('When the geofence was created.'),
        updatedAt: z.date().describe('When the geofence was last changed.'),
      })
      .describe('A circular area that devices monitor.'),
    NearGeofence,
    NearGeofences: z.array(NearGeofence).describe('Geofences near a device, nearest first.'),
  };
});
