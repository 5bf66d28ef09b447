import type { OrderOf } from '../../delivery/providers/order.ts';
import { type InScope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { agedCache } from '../../jobs/concurrency/aged-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import { settingsStatements } from './statements.ts';
import type { SettingsTables } from './tables.ts';
import { type DeliverySettings, viewOf } from './view.ts';

/** Largest age of a cached value. Chosen: as for API keys. */
const MAX_AGE_MS = 10_000;
/** Cached scopes. Chosen: one to two kilobytes each. */
const MAX_SCOPES = 10_000;
/** Wake topic: settings changed in some process. */
const SETTINGS_CHANGED = 'settings';

/** The settings of each scope that was loaded. */
export type SettingsOf = (scope: InScope) => DeliverySettings;

/** The settings of scopes; at most 10 s old, and newer after a change in any process. Throws what the database throws. */
export type LoadSettings = (scopes: readonly InScope[]) => Promise<SettingsOf>;

export type SettingsReader = {
  readonly load: LoadSettings;
  /** Call after a write that may have been committed. */
  forget(): void;
  /** Call after a commit: other processes forget as well. */
  announce(): void;
  close(): void;
};

/** Cached settings. Needs the platform alone, so every module can use it. */
export const settingsReader = ({
  storage,
  tables,
  clock,
}: Pick<Platform<SettingsTables>, 'storage' | 'tables' | 'clock'>): SettingsReader => {
  const statements = settingsStatements(tables);
  const cache = agedCache<InScope, DeliverySettings>({
    nameOf: scopeKey,
    read: async (scopes) => {
      const keys = scopes.map((scope) => [scopeKey(scope)]);
      const rows = Map.groupBy(await storage.select(statements.ofScope, keys), ({ scopeId }) => scopeId);
      return (scope) => viewOf(rows.get(scope.scopeId) ?? []);
    },
    clock,
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  let stopListening: (() => void) | undefined;
  return {
    load: (scopes) => {
      stopListening ??= storage.wake.subscribe((topic) => topic === SETTINGS_CHANGED && cache.clear());
      // Reads outside the host's transaction: the cache is shared, and uncommitted values must not get into it.
      return storage.apart(() => cache.load(scopes.map(scopeOf)));
    },
    forget: () => cache.clear(),
    announce: () => storage.wake.signal([SETTINGS_CHANGED]),
    close: () => stopListening?.(),
  };
};

/** The order of a channel's providers, as settings have it. Push has none. */
export const providerOrder =
  (load: LoadSettings): OrderOf =>
  async (keys) => {
    const settingsOf = await load(keys);
    return (key) => (key.channel === 'push' ? [] : settingsOf(key).channels[key.channel].providers);
  };
