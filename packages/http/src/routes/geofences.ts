import { DEFINITION_CAPS, GEOFENCE_REPORT_SHAPE } from '@beckon/core';
import { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { pageQuery, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';
import { capsText } from './caps.ts';

const plan = 'geofences';
const read = { ...reading('push:read'), plan } as const;
const write = { ...read, scope: 'push:write', bodyCap: DEFAULT_BODY_CAP } as const;

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;
const PATH = '/push/geofences';
/** Number of geofences that a sync returns. */
const NEAREST = { least: 1, most: 100, usual: 20 } as const;

const degrees = (most: number) =>
  z
    .string()
    .regex(/^-?\d{1,3}(\.\d{1,12})?$/, 'must be decimal degrees, such as 51.05')
    .transform(Number)
    .refine((value) => Math.abs(value) <= most, `must be from -${most} to ${most}`)
    .meta({ type: 'number', minimum: -most, maximum: most });
const isResultCount = (value: number): boolean => value >= NEAREST.least && value <= NEAREST.most;
const limit = z
  .string()
  .regex(/^\d{1,3}$/, 'must be a whole number')
  .transform(Number)
  .refine(isResultCount, `must be from ${NEAREST.least} to ${NEAREST.most}`)
  .default(NEAREST.usual)
  .meta({ type: 'integer', minimum: NEAREST.least, maximum: NEAREST.most, default: NEAREST.usual });
const nearestQuery = z.object({
  lat: degrees(90).describe('Latitude of the device, in degrees.'),
  lng: degrees(180).describe('Longitude of the device, in degrees.'),
  limit: limit.describe('Number of geofences. 1 to 100. Default: 20.'),
});

/** Geofences that devices monitor, and the transitions that they report. */
export const geofenceRoutes: readonly ProjectRoute[] = [
  {
    method: 'GET',
    path: `${PATH}/sync`,
    summary: 'Get the nearest geofences',
    description: 'Nearest first. Devices watch these and report transitions.',
    answer: { 200: 'NearGeofences' },
    query: nearestQuery,
    shape: 'both',
    kind: 'sdk',
    scope: 'tokens:write',
    needs: 'project',
    plan,
    bodyCap: null,
    run: async (beckon, { scope, query }) =>
      succeed((await beckon.geofences.nearest(scope, readQuery(query, nearestQuery))).data),
  },
  {
    method: 'POST',
    path: `${PATH}/event`,
    summary: 'Report a geofence transition',
    description:
      'Raises `geofence.entered`, `geofence.exited` or `geofence.dwelled`. Reports within a minute count once.',
    takes: 'GeofenceEventInput',
    answer: { 200: 'Reported' },
    // Source: interface, Endpoints: device routes have one shape.
    shape: 'auto',
    kind: 'sdk',
    scope: 'events.write',
    needs: 'project',
    plan,
    bodyCap: DEFAULT_BODY_CAP,
    reads: GEOFENCE_REPORT_SHAPE,
    run: async (beckon, { scope, body }) => succeed(await beckon.geofences.report(scope, body)),
  },
  {
    ...read,
    path: PATH,
    summary: 'List geofences',
    description: 'Oldest first.',
    answer: { page: 'Geofence' },
    query: pageQuery,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.geofences.list(scope, readQuery(query, pageQuery))),
  },
  {
    ...write,
    method: 'POST',
    path: PATH,
    summary: 'Create a geofence',
    description: capsText('Creates a circle that devices watch.', DEFINITION_CAPS.geofences),
    takes: 'GeofenceInput',
    answer: { 201: 'Geofence' },
    run: async (beckon, { scope, body }) => succeed(await beckon.geofences.create(scope, body), CREATED),
  },
  {
    ...read,
    path: `${PATH}/:id`,
    summary: 'Get a geofence',
    description: 'Contains the circle and its transitions.',
    answer: { 200: 'Geofence' },
    run: async (beckon, call) => succeed(await beckon.geofences.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: `${PATH}/:id`,
    summary: 'Update a geofence',
    description: 'Fields that you omit keep their values.',
    takes: 'GeofencePatch',
    answer: { 200: 'Geofence' },
    run: async (beckon, call) => succeed(await beckon.geofences.update(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...write,
    method: 'DELETE',
    path: `${PATH}/:id`,
    summary: 'Delete a geofence',
    description: 'Devices stop watching it at their next sync.',
    answer: { 200: 'Geofence' },
    bodyCap: null,
    run: async (beckon, call) => succeed(await beckon.geofences.delete(call.scope, param(call, 'id'))),
  },
];
