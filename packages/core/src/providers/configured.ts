// Which credentials there are, remembered for 10 s and forgotten at once when any process changes one. Only names and
// versions are held; what is sealed is opened once per live transport.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../primitives/clock.ts';
import { scopeKey } from '../primitives/scope.ts';
import type { Storage } from '../storage/storage.ts';
import type { ChannelKey, Credential, CredentialSource } from './connections.ts';
import type { CredentialHot } from './hot.ts';
import { PROVIDERS } from './names.ts';

/** How old an answer may be, in milliseconds. Ours: as for keys. */
const MAX_AGE_MS = 10_000;
/** Channels whose answers are held; ours: some hundred bytes each. */
const MAX_CHANNELS = 10_000;
/** The topic that says that credentials changed somewhere. */
export const CREDENTIALS_CHANGED = 'credentials';

const keyOf = (key: ChannelKey): string => `${scopeKey(key)}/${key.channel}`;

type Entry = { readonly beganAt: number; readonly found: Promise<readonly Credential[]> };

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
  readonly storage: Pick<Storage, 'select' | 'wake'>;
  readonly hot: CredentialHot;
  readonly clock: Clock;
}): Configured => {
  const entries = new LRUCache<string, Entry>({ max: MAX_CHANNELS });
  let stopListening: (() => void) | undefined;

  const read = async (keys: readonly ChannelKey[]): Promise<Map<string, Credential[]>> => {
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
    return found;
  };

  const isFresh = (entry: Entry | undefined, now: number): entry is Entry =>
    // A clock that was set back makes ages negative; such an entry would live for as long again.
    entry !== undefined && now >= entry.beganAt && now - entry.beganAt < MAX_AGE_MS;

  return {
    load: async (keys, isUrgent = () => false) => {
      stopListening ??= storage.wake.subscribe((topic) => topic === CREDENTIALS_CHANGED && entries.clear());
      const beganAt = clock.now().getTime();
      const asked = new Map(keys.map((key) => [keyOf(key), key]));
      const missing = [...asked].filter(([name, key]) => isUrgent(key) || !isFresh(entries.get(name), beganAt));
      if (missing.length > 0) {
        const all = read(missing.map(([, key]) => key));
        for (const [name] of missing) {
          const entry = { beganAt, found: all.then((found) => found.get(name) ?? []) };
          entries.set(name, entry);
          entry.found.catch(() => {
            if (entries.peek(name) === entry) entries.delete(name);
          });
        }
      }
      const held = [...asked.keys()].map(async (name) => [name, (await entries.get(name)?.found) ?? []] as const);
      const found = new Map(await Promise.all(held));
      return (key) => found.get(keyOf(key)) ?? [];
    },
    forget: () => entries.clear(),
    close: () => stopListening?.(),
  };
};
