import type { OrderOf } from '../../delivery/providers/order.ts';
import { type InScope, scopeKey } from '../../foundation/scope.ts';
import { readByScope, type SharedCache, sharedCache } from '../../jobs/shared-cache.ts';
import type { Platform } from '../../platform/platform.ts';
import { settingsStatements } from './statements.ts';
import type { SettingsTables } from './tables.ts';
import { type DeliverySettings, viewOf } from './view.ts';

/** Wake topic: settings changed in some process. */
const SETTINGS_CHANGED = 'settings';

/** The settings of each scope that was loaded. */
export type SettingsOf = (scope: InScope) => DeliverySettings;

/**
 * Loads the settings of scopes; at most 10 s old, and current after a signalled change in any process. Throws what the
 * database throws.
 */
export type LoadSettings = (scopes: readonly InScope[]) => Promise<SettingsOf>;

export type SettingsReader = Pick<SharedCache<InScope, DeliverySettings>, 'change' | 'close'> & {
  readonly load: LoadSettings;
};

/** Cached settings. Needs the platform alone, so every module can use it. */
export const settingsReader = ({
  storage,
  tables,
  clock,
}: Pick<Platform<SettingsTables>, 'storage' | 'tables' | 'clock'>): SettingsReader => {
  const { load, change, close } = sharedCache<InScope, DeliverySettings>({
    storage,
    clock,
    topic: SETTINGS_CHANGED,
    nameOf: scopeKey,
    read: readByScope(storage, settingsStatements(tables).ofScope, viewOf),
  });
  return { load: (scopes) => load(scopes), change, close };
};

/** Reads the time zone settings of scopes without a cache; null: none. Throws what the database throws. */
export const orgZoneReader = ({ storage, tables }: Pick<Platform<SettingsTables>, 'storage' | 'tables'>) => {
  const read = readByScope(storage, settingsStatements(tables).ofScope, viewOf);
  return async (scopes: readonly InScope[]): Promise<(scope: InScope) => string | null> => {
    const settingsOf = await read(scopes);
    return (scope) => settingsOf(scope).orgDefaultTimezone;
  };
};

/** The order of a channel's providers, from settings. Push has none. */
export const providerOrder =
  (load: LoadSettings): OrderOf =>
  async (keys) => {
    const settingsOf = await load(keys);
    return (key) => (key.channel === 'push' ? [] : settingsOf(key).channels[key.channel].providers);
  };
