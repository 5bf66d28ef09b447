// Frequency caps: how often a project lets its messages reach one person in a rolling window. Slots are taken as messages
// are handed over and free again by themselves; nothing is stored of projects without rules.

import type { Db, Storage } from '../../database/storage.ts';
import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import { type BoundReservation, bindReservation } from '../sends/deliver/reservations.ts';
import { type BoundMessageReaction, bindMessageReaction } from '../sends/finalize/reactions.ts';
import type { LoadSettings } from '../settings/settings.ts';
import { capRelease } from './release.ts';
import { capReservation } from './reserve.ts';
import { byAddress, type CountedChannels } from './rules.ts';
import { capStatements } from './statements.ts';
import { capStore } from './store.ts';
import type { CapTables } from './tables.ts';

/** Rows that one piece of upkeep removes. Ours: SQLite takes a condition of at most a thousand parts. */
const SWEEP = 400;

export type CapDeps = {
  readonly storage: Pick<Storage, 'select' | 'dialect' | 'transaction' | 'now'>;
  readonly tables: CapTables;
  readonly channels: CountedChannels;
  readonly loadSettings: LoadSettings;
};

export type Caps = {
  readonly reservation: BoundReservation;
  readonly reaction: BoundMessageReaction;
  /** Upkeep: removes a piece of what counts no longer, and answers whether more may be left. */
  sweep(): Promise<boolean>;
  /** What is counted under the id of a device stays for as long as it counts: its device is gone, and it tells of nobody. */
  readonly eraser: Eraser;
};

export const frequencyCaps = ({ storage, tables, channels, loadSettings }: CapDeps): Caps => {
  const hot = capStatements(tables);
  const { dialect } = storage;
  const storeOf = (db: Db) => capStore({ db, dialect, tables });
  /** As they may be written by any channel. */
  const keysOf = (address: string): string[] =>
    Object.values(channels).map(({ addressKey }) => byAddress(addressKey(address)));
  return {
    reservation: bindReservation(capReservation({ storage, hot, channels })),
    reaction: bindMessageReaction(capRelease({ hot, channels, loadSettings })),
    sweep: async () => {
      const now = await storage.now();
      return (await storage.transaction((db) => storeOf(db).sweepOfAll(now, SWEEP))) === SWEEP;
    },
    eraser: sliced('frequency caps', ({ scope, people, addresses }) =>
      storage.transaction((db) => storeOf(db).erase(scope, [...people, ...addresses.flatMap(keysOf)], SLICE)),
    ),
  };
};
