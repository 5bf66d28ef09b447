import { z } from 'zod';
import { cleanId, isObject, normaliseFreeForm } from '../../../foundation/json.ts';
import { parse } from '../../../foundation/parse.ts';
import { type BodyShape, PROJECT_FIELD } from '../../../foundation/pre-scan.ts';

/** Transitions that a device can report. Source: interface, Events (Geofence). */
export const TRANSITIONS = ['entered', 'exited', 'dwelled'] as const;
export type Transition = (typeof TRANSITIONS)[number];
/** Names used by the platforms' own libraries; accepted as aliases. Source: contract, Live activities and geofences. */
const SHORT = { enter: 'entered', exit: 'exited', dwell: 'dwelled' } as const;

/** Maximum characters of a name. Chosen: as for a workflow. */
const MAX_NAME = 200;
/** Maximum characters of an id in a report, and of a userId. Source: contract, Ingest and profiles. */
const MAX_ID = 256;
/** Radius limits in metres. Source: contract, Live activities and geofences. */
const RADIUS = { min: 100, max: 100_000 } as const;
/** Maximum dwell time in seconds. Chosen: a day. */
const MAX_DWELL = 86_400;
/** Maximum bytes of `data` as JSON. Chosen: a device stores it for every nearby geofence. */
const MAX_DATA_BYTES = 4_096;

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

const fields = {
  name: z.string().trim().min(1).max(MAX_NAME).describe('Name of the geofence. 1 to 200 characters.'),
  /** Degrees, stored with six decimals: a tenth of a metre. */
  lat: latitude.describe('Latitude of the centre, in degrees. -90 to 90.'),
  lng: longitude.describe('Longitude of the centre, in degrees. -180 to 180.'),
  radiusMeters: z.number().min(RADIUS.min).max(RADIUS.max).describe('Radius in metres. 100 to 100,000.'),
  transitions: z.array(z.enum(TRANSITIONS)).min(1).max(TRANSITIONS.length).describe('Transitions that devices report.'),
  dwellSeconds: z
    .int()
    .min(1)
    .max(MAX_DWELL)
    .nullish()
    .describe('Seconds inside the circle before dwelled is reported. At most 86,400. Null: the platform decides.'),
  data: z
    .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
    .refine(
      (data) => Buffer.byteLength(JSON.stringify(data)) <= MAX_DATA_BYTES,
      `must have at most ${MAX_DATA_BYTES} bytes`,
    )
    .nullish()
    .describe('Values for the app. At most 4,096 bytes of JSON. Null: none.'),
};

/** Body of `POST /push/geofences`. */
export const geofenceBody = z.strictObject({
  ...fields,
  transitions: fields.transitions
    .default([...TRANSITIONS])
    .describe('Transitions that devices report. Default: all three.'),
});
/** Body of `PATCH /push/geofences/:id`: omitted fields keep their values. */
export const geofencePatch = z.strictObject({
  name: fields.name.optional(),
  lat: fields.lat.optional(),
  lng: fields.lng.optional(),
  radiusMeters: fields.radiusMeters.optional(),
  transitions: fields.transitions.optional(),
  dwellSeconds: fields.dwellSeconds,
  data: fields.data,
});

const id = z
  .string()
  .min(1)
  .max(MAX_ID)
  .transform((text, context) => {
    const clean = cleanId(text);
    if (clean !== null) return clean;
    context.addIssue({ code: 'custom', message: 'must not contain the character U+0000' });
    return z.NEVER;
  });

/** Body of `POST /push/geofences/event`. Unknown keys are ignored, because devices send it. */
export const geofenceEventBody = z
  .object({
    geofenceId: id.describe('Id of the geofence.'),
    transition: z
      .union([z.enum(TRANSITIONS), z.enum(['enter', 'exit', 'dwell']).transform((word) => SHORT[word])])
      .describe('What the device did.'),
    userId: id
      .nullish()
      .describe('Id of the user. One of userId, anonymousId and tokenId is required; null counts as omitted.'),
    anonymousId: id.nullish().describe('Id of the visitor without a user. Null counts as omitted.'),
    tokenId: id.nullish().describe('Id of the registered device token. Null counts as omitted.'),
    occurredAt: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe('When the transition happened. ISO 8601 with an offset. Null or omitted: when Beckon receives it.'),
    location: z
      .object({
        lat: latitude.describe('Latitude in degrees. -90 to 90.'),
        lng: longitude.describe('Longitude in degrees. -180 to 180.'),
        accuracyMeters: z
          .number()
          .min(0)
          .max(1_000_000)
          .nullish()
          .describe('Accuracy of the position, in metres. At most 1,000,000. Null or omitted: unknown.'),
      })
      .nullish()
      .describe('Where the device was. Null or omitted: not recorded.'),
    dwellSeconds: z
      .number()
      .min(0)
      .max(10 * MAX_DWELL)
      .nullish()
      .describe('Seconds that the device has been inside. At most 864,000. Null or omitted: unknown.'),
  })
  .refine(({ userId, anonymousId, tokenId }) => Boolean(userId ?? anonymousId ?? tokenId), {
    path: ['userId'],
    message: 'pass one of userId, anonymousId and tokenId',
  });
export type GeofenceReport = z.output<typeof geofenceEventBody>;

/** The fields that are read of a report. */
export const GEOFENCE_REPORT_SHAPE: BodyShape = {
  names: [...Object.keys(geofenceEventBody.shape), PROJECT_FIELD],
  cut: [],
};

/** Maximum geofences per answer of `sync`: iOS watches 20 regions per app, Android 100. */
export const MAX_NEAREST = 100;
export const DEFAULT_NEAREST = 20;
const nearestQuery = z.object({
  lat: latitude,
  lng: longitude,
  limit: z.int().min(1).max(MAX_NEAREST).default(DEFAULT_NEAREST),
});

/** The parsers throw VALIDATION_ERROR. */
export const parseGeofence = (body: unknown): z.output<typeof geofenceBody> =>
  normaliseFreeForm(parse(geofenceBody, body));
export const parseGeofencePatch = (body: unknown): z.output<typeof geofencePatch> =>
  normaliseFreeForm(parse(geofencePatch, body));
export const parseGeofenceReport = (body: unknown): GeofenceReport => parse(geofenceEventBody, body);
export const parseNearest = (query: unknown): z.output<typeof nearestQuery> => parse(nearestQuery, query);
