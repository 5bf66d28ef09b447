import { bulkInsert, bulkSelect, bulkUpdate } from '../../../database/statements/bulk.ts';
import type { GeofenceTables } from './tables.ts';

const KEY = ['scopeId', 'person', 'geofenceId', 'transition'] as const;

/** Statements of device reports. */
export const geofenceStatements = ({ geofences, geofenceCrossings }: GeofenceTables) => ({
  geofence: bulkSelect('geofences.one', geofences, ['scopeId', 'id'], ['scopeId', 'id', 'name', 'transitions', 'data']),
  positions: bulkSelect('geofences.places', geofences, ['scopeId'], ['scopeId', 'id', 'lat', 'lng']),
  counted: bulkSelect('geofences.counted', geofenceCrossings, KEY, [...KEY, 'lastCountedAt']),
  /** Guarded: of two racing first reports, one finds the row of the other. */
  first: bulkInsert('geofences.first_crossing', geofenceCrossings, [...KEY, 'lastCountedAt'], {
    conflict: { target: [...KEY] },
    isGuarded: true,
  }),
  /** Guarded by the last counted time that was read: of two racing reports one fails. */
  again: bulkUpdate('geofences.crossed_again', geofenceCrossings, {
    where: [...KEY, 'lastCountedAt'],
    set: { lastCountedAt: 'value' },
    isGuarded: true,
  }),
});

export type GeofenceStatements = ReturnType<typeof geofenceStatements>;
