// Which credentials there are, remembered for 10 s and forgotten at once when any process changes one. Only names and
// versions are held; what is sealed is opened once per live transport.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { scopeKey } from '../../foundation/scope.ts';
import { agedCache } from '../../jobs/concurrency/aged-cache.ts';
import type { ChannelKey, Credential, CredentialSource } from './connections.ts';
import { PROVIDERS } from './names.ts';
import type { CredentialStatements } from './statements.ts';

/** How old an answer may be, in milliseconds. Ours: as for keys. */
const MAX_AGE_MS = 10_000;
/** Channels whose answers are held; ours: some hundred bytes each. */
const MAX_CHANNELS = 10_000;
/** The topic that says that credentials changed somewhere. */
export const CREDENTIALS_CHANGED = 'credentials';

const keyOf = (key: ChannelKey): string => `${scopeKey(key)}/${key.channel}`;

export type Configured = {
  readonly load: CredentialSource['load'];
  forget(): void;
  /** Stops listening for changes. */
  close(): void;
};

export const configured = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly hot: CredentialStatements;
  readonly clock: Clock;
}): Configured => {
  const read = async (keys: readonly ChannelKey[]): Promise<(key: ChannelKey) => readonly Credential[]> => {
    const rows = await storage.select(
      hot.configured,
      keys.map((key) => [scopeKey(key), key.channel]),
    );
    const found = new Map<string, Credential[]>();
    for (const row of rows) {
      // A name that a newer program wrote is none that this one can open.
      const provider = PROVIDERS[row.channel].find((one) => one === row.provider);
      if (provider === undefined) continue;
      found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), { provider, version: row.version }]);
    }
    return (key) => found.get(keyOf(key)) ?? [];
  };

  const cache = agedCache({ nameOf: keyOf, read, clock, maxAgeMs: MAX_AGE_MS, maxEntries: MAX_CHANNELS });
  let stopListening: (() => void) | undefined;

  return {
    load: (keys, isUrgent) => {
      stopListening ??= storage.wake.subscribe((topic) => topic === CREDENTIALS_CHANGED && cache.clear());
      // Reads outside the host's transaction: the cache is shared, and uncommitted values must not get into it.
      return storage.apart(() => cache.load(keys, isUrgent));
    },
    forget: cache.clear,
    close: () => stopListening?.(),
  };
};
