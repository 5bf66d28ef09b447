import type { LoadSettings } from '../../settings/reader.ts';
import type { SendRequest, SuppressionReason } from '../schema.ts';
import type { MessageRow } from '../store.ts';
import { contentOf } from './content.ts';
import type { BoundReservation, Reserving } from './reservations.ts';

/** Finds the messages of a request that reservations would suppress now, by id. Reserves nothing. */
export type WouldStop = (
  rows: readonly MessageRow[],
  request: SendRequest,
  now: Date,
) => Promise<ReadonlyMap<string, SuppressionReason>>;

/** Makes the function that evaluates reservations ahead of time. */
export const lookAhead =
  ({
    reservations,
    loadSettings,
  }: {
    readonly reservations: readonly BoundReservation[];
    readonly loadSettings: LoadSettings;
  }): WouldStop =>
  async (rows, request, now) => {
    const settingsOf = await loadSettings(rows);
    const send = contentOf(request);
    let open = rows.map((row): Reserving => ({ row, send, settings: settingsOf(row) }));
    const stopped = new Map<string, SuppressionReason>();
    for (const { concerns, load, onFailure } of reservations) {
      const mine = open.filter(concerns);
      if (mine.length === 0 || onFailure.verdict !== 'suppressed') continue;
      const loaded = (await load(mine, false))(now);
      for (const [at, { row }] of mine.entries()) if (loaded[at] === null) stopped.set(row.id, onFailure.reason);
      open = open.filter(({ row }) => !stopped.has(row.id));
    }
    return stopped;
  };
