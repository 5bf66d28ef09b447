import { byName } from '../lookups.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

/** Geofences of the push SDKs. */
export const geofences = noun('geofences', 'Manage geofences', {
  list: lists('GET /push/geofences', {
    about: 'List geofences, oldest first',
    examples: ['--env test'],
    columns: () => [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['LAT', ({ lat }) => lat],
      ['LNG', ({ lng }) => lng],
      ['RADIUS', ({ radiusMeters }) => `${radiusMeters} m`],
      ['ON', ({ transitions }) => transitions.join(' ')],
    ],
  }),
  create: calls('POST /push/geofences', {
    about: 'Create a geofence',
    examples: ['--name Shop --lat 52.52 --lng 13.4 --radius 200'],
    flags: {
      name: 'Name',
      lat: { text: 'Latitude of its centre', value: 'degrees' },
      lng: { text: 'Longitude of its centre', value: 'degrees' },
      radius: { field: 'radiusMeters', text: 'From 100 to 100000', value: 'metres' },
      on: { field: 'transitions', text: 'Transitions to report (default: all)', value: 'transitions...' },
    },
    lines: ({ name, id }) => [`The geofence ${name} is ${id}.`],
  }),
  delete: calls('DELETE /push/geofences/{id}', {
    about: 'Delete a geofence',
    examples: ['Shop --env test'],
    args: [{ arg: ['<geofence>', 'Its id or name'], into: 'id', find: byName('geofence', 'GET /push/geofences') }],
    lines: ({ name }) => [`The geofence ${name} is deleted.`],
  }),
});

/** Live Activities of iOS. */
export const liveActivities = noun('live-activities', 'Manage iOS Live Activities', {
  list: lists('GET /push/live-activities', {
    about: 'List Live Activities, newest first',
    examples: ['--user ada --env test'],
    flags: {
      user: { field: 'userId', text: 'Those of one user', value: 'id' },
      type: { field: 'activityType', text: 'Those of one type' },
      status: { text: 'Those in this status', value: 'status' },
    },
    columns: () => [
      ['EXTERNAL ID', ({ externalId }) => externalId],
      ['USER', ({ userId }) => userId],
      ['TYPE', ({ activityType }) => activityType],
      ['STATUS', ({ status }) => status],
      ['UPDATES', ({ updates }) => updates],
      ['LAST UPDATE', ({ lastUpdatedAt }) => lastUpdatedAt],
    ],
  }),
  end: calls('DELETE /push/live-activities/{externalId}', {
    about: 'End a Live Activity on all devices',
    examples: ['order-7 --env test'],
    isSending: true,
    args: [{ arg: ['<externalId>', 'The id that your program gave it'], into: 'externalId' }],
    lines: ({ isPending, activities }) => [
      isPending ? 'No device shows it yet.' : `It ends on ${activities.length} devices.`,
    ],
  }),
});
