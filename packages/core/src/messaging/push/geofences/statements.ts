import { bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { GeofenceTables } from './tables.ts';

const KEY = ['scopeId', 'person', 'geofenceId', 'transition'] as const;

/** The statements of reports of devices. */
export const geofenceStatements = ({ geofences, geofenceCrossings }: GeofenceTables) => ({
  geofence: bulkSelect('geofences.one', geofences, ['scopeId', 'id'], ['scopeId', 'id', 'name', 'transitions', 'data']),
  positions: bulkSelect('geofences.places', geofences, ['scopeId'], ['scopeId', 'id', 'lat', 'lng']),
  counted: bulkSelect('geofences.counted', geofenceCrossings, KEY, [...KEY, 'lastCountedAt']),
  /** Of two that race for the first one finds the other's row. */
  first: bulkInsert('geofences.first_crossing', geofenceCrossings, [...KEY, 'lastCountedAt'], {
    conflict: { target: [...KEY] },
    isGuarded: true,
  }),
  /** Of two that race for the next one finds the moment that it read. */
  again: bulkUpdate('geofences.crossed_again', geofenceCrossings, {
    where: [...KEY, 'lastCountedAt'],
    set: { lastCountedAt: 'value' },
    isGuarded: true,
  }),
});

export type GeofenceStatements = ReturnType<typeof geofenceStatements>;
