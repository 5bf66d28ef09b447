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
    examples: ['--name Shop --lat 52.52 --lng 13.4 --radius 200 --env test'],
    flags: {
      name: 'Name',
      lat: { text: 'Latitude of the center', value: 'degrees' },
      lng: { text: 'Longitude of the center', value: 'degrees' },
      radius: { field: 'radiusMeters', text: 'Radius, from 100 to 100000', value: 'metres' },
      on: { field: 'transitions', text: 'Transitions (default: all)', value: 'transitions...' },
    },
    lines: ({ name, id }) => [`Created geofence ${name} (${id}).`],
  }),
  delete: calls('DELETE /push/geofences/{id}', {
    about: 'Delete a geofence',
    examples: ['Shop --env test'],
    args: [{ arg: ['<geofence>', 'Geofence id or name'], into: 'id', find: byName('geofence', 'GET /push/geofences') }],
    lines: ({ name }) => [`Deleted geofence ${name}.`],
  }),
});

/** Live Activities of iOS. */
export const liveActivities = noun('live-activities', 'Manage iOS Live Activities', {
  list: lists('GET /push/live-activities', {
    about: 'List Live Activities, newest first',
    examples: ['--user ada --env test'],
    flags: {
      user: { field: 'userId', text: 'User id', value: 'id' },
      type: { field: 'activityType', text: 'Activity type' },
      status: { text: 'Status', value: 'status' },
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
    args: [{ arg: ['<externalId>', 'Your id of the activity'], into: 'externalId' }],
    lines: ({ isPending, activities }) => [
      isPending
        ? 'No device has registered this activity. The end is kept for 12 hours for the first one.'
        : `Ended on ${activities.length} ${activities.length === 1 ? 'device' : 'devices'}.`,
    ],
  }),
});
