// Frequency caps: the most messages that a project sends to one person in a rolling window. A handover reserves one
// entry per rule; entries expire with the window. Projects without rules store nothing.

import type { Storage } from '../../database/storage.ts';
import { type ErasedPerson, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import { bindReservation } from '../sends/deliver/reservations.ts';
import { bindMessageReaction } from '../sends/finalize/reactions.ts';
import type { LoadSettings } from '../settings/reader.ts';
import { capRelease } from './release.ts';
import { capReservation } from './reserve.ts';
import { byAddress, type CountedChannels } from './rules.ts';
import { capStatements } from './statements.ts';
import { type CapStore, capStore } from './store.ts';
import type { CapTables } from './tables.ts';

/** Expired entries deleted per slice. Source: SQLite allows 1,000 terms in a condition. */
const EXPIRED_SLICE = 400;

type Needs = { readonly channels: CountedChannels; readonly loadSettings: LoadSettings };

export type CapsPlatform = Platform<CapTables>;

/** Dependencies of this module's functions. */
type CapContext = {
  readonly storage: Pick<Storage, 'dialect' | 'transaction' | 'now'>;
  readonly tables: CapTables;
  readonly channels: CountedChannels;
};

const inTransaction = <Result>(
  { storage, tables }: CapContext,
  work: (store: CapStore) => Promise<Result>,
): Promise<Result> => storage.transaction((db) => work(capStore({ db, dialect: storage.dialect, tables })));

/** Deletes a slice of expired entries of all tenants. True: more may be left. */
const deleteExpired = async (context: CapContext): Promise<boolean> => {
  const now = await context.storage.now();
  return (await inTransaction(context, (store) => store.sweepOfAll(now, EXPIRED_SLICE))) === EXPIRED_SLICE;
};

/** Deletes a slice of a user's entries. Entries of a deleted device expire by themselves: they identify nobody. */
const eraseEntries = (context: CapContext, { scope, people, addresses }: ErasedPerson): Promise<number> => {
  const channels = Object.values(context.channels);
  const ofAddresses = addresses.flatMap((address) => channels.map(({ addressKey }) => byAddress(addressKey(address))));
  return inTransaction(context, (store) => store.erase(scope, [...people, ...ofAddresses], SLICE));
};

export const capsModule = (
  { storage, tables }: Pick<CapsPlatform, 'storage' | 'tables'>,
  { channels, loadSettings }: Needs,
) => {
  const statements = capStatements(tables);
  const context: CapContext = { storage, tables, channels };
  return {
    name: 'frequency caps',
    messageReactions: [bindMessageReaction(capRelease({ statements, channels, loadSettings }))],
    reservations: [bindReservation(capReservation({ storage, statements, channels }))],
    erasers: [sliced('frequency caps', (person) => eraseEntries(context, person))],
    maintenance: [{ name: 'frequency caps', run: () => deleteExpired(context) }],
  };
};
