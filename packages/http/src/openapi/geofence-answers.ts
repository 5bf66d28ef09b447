import { type Geofence, type NearGeofence, TRANSITIONS } from '@beckon/core';
import { z } from 'zod';
import { answerOf, freeForm, id, moment, word } from './wire.ts';

const fence = {
  id,
  name: z.string(),
  lat: z.number(),
  lng: z.number(),
  radiusMeters: z.number(),
  transitions: z.array(word(TRANSITIONS)),
  dwellSeconds: z.int().nullable(),
  data: freeForm.nullable(),
};

/** Schemas of this file, by the names that the document gives them. */
export const geofenceAnswers = {
  Geofence: answerOf<Geofence>()(z.object({ ...fence, createdAt: moment, updatedAt: moment })),
  NearGeofences: answerOf<readonly NearGeofence[]>()(z.array(z.object({ ...fence, distanceMeters: z.int() }))),
} as const;
