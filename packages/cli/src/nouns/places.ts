import { byName } from '../table/find.ts';
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
