import type { Columns } from '../../../database/columns.ts';
import type { Transition } from './schema.ts';

/** Geofences, and the last crossing of each user. */
export const geofenceTables = (c: Columns) => ({
  geofences: c.table(
    'geofences',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      name: c.text('name').notNull(),
      lat: c.real('lat').notNull(),
      lng: c.real('lng').notNull(),
      radiusMeters: c.real('radius_meters').notNull(),
      transitions: c.json<readonly Transition[]>('transitions').notNull(),
      dwellSeconds: c.int('dwell_seconds'),
      data: c.json<Readonly<Record<string, unknown>>>('data'),
      createdAt: c.time('created_at').notNull(),
      updatedAt: c.time('updated_at').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.id] })],
  ),
  geofenceCrossings: c.table(
    'geofence_crossings',
    {
      scopeId: c.scope('scope_id').notNull(),
      /** For a device without a user: `t:` and the token id. */
      person: c.text('person').notNull(),
      geofenceId: c.id('geofence_id').notNull(),
      transition: c.text('transition').$type<Transition>().notNull(),
      /** When it last counted. */
      lastCountedAt: c.time('last_counted_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.person, t.geofenceId, t.transition] }),
      c.index('geofence_crossings_counted').on(t.lastCountedAt),
    ],
  ),
});

export type GeofenceTables = ReturnType<typeof geofenceTables>;
export type GeofenceRow = GeofenceTables['geofences']['$inferSelect'];
