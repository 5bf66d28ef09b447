// Cache of the configured credentials: kept for 10 s and dropped at once when any process changes them. Holds only
// names and versions; a secret is opened once per live transport.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { scopeKey } from '../../foundation/scope.ts';
import { type SharedCache, sharedCache } from '../../jobs/shared-cache.ts';
import type { ChannelKey, Credential } from './connections.ts';
import { PROVIDERS } from './names.ts';
import type { CredentialStatements } from './statements.ts';

/** Topic of the signal that credentials changed. */
const CREDENTIALS_CHANGED = 'credentials';

const keyOf = (key: ChannelKey): string => `${scopeKey(key)}/${key.channel}`;

export type Configured = Pick<SharedCache<ChannelKey, readonly Credential[]>, 'load' | 'change' | 'close'>;

export const configured = ({
  storage,
  hot,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
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
      // Skips a provider that only a newer version of this program knows.
      const provider = PROVIDERS[row.channel].find((one) => one === row.provider);
      if (provider === undefined) continue;
      found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), { provider, version: row.version }]);
    }
    return (key) => found.get(keyOf(key)) ?? [];
  };
  return sharedCache({ storage, clock, topic: CREDENTIALS_CHANGED, nameOf: keyOf, read });
};
