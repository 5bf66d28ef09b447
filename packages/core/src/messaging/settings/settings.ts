// What projects set about their messages. Values are remembered for 10 s and forgotten at once when any process changes
// one; credentials of providers are shown and changed beside them, and kept by providers/.

import { lockName } from '../../database/statements/capped.ts';
import type { Db, Storage } from '../../database/storage.ts';
import type { ProviderStates } from '../../delivery/providers/api.ts';
import type { ProviderSettings } from '../../delivery/providers/credentials.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import { agedCache } from '../../jobs/concurrency/aged-cache.ts';
import type { CallbackChanges, CallbackSettings } from '../callbacks/secrets/secrets.ts';
import type { Settings, SettingsApi } from './api.ts';
import { ownBodies, sharedSettings } from './schema.ts';
import { settingsStatements } from './statements.ts';
import { settingsStore } from './store.ts';
import type { SettingsTables } from './tables.ts';
import { type DeliverySettings, nameOf, viewOf } from './view.ts';

/** How old an answer may be, in milliseconds. Ours: as for keys. */
const MAX_AGE_MS = 10_000;
/** Scopes whose settings are held; ours: a kilobyte or two each. */
const MAX_SCOPES = 10_000;
/** The key of a body under which callbacks are. */
const CALLBACKS = 'callbacks';
/** The time zone that `org` stands for. */
const ORG_ZONE = 'orgDefaultTimezone';
/** The topic that says that settings changed somewhere. */
const SETTINGS_CHANGED = 'settings';

export type SettingsDeps = {
  readonly storage: Storage;
  readonly tables: SettingsTables;
  readonly clock: Clock;
  readonly providers: ProviderSettings;
  /** What callbacks are checked with; absent: nothing of it can be set. */
  readonly callbacks?: CallbackSettings | undefined;
  /** What has to happen when the order of a channel's providers changed in this process. */
  readonly onOrder?: ((scope: InScope, channel: Channel) => void) | undefined;
  /** Called where the time zone of a scope changes, and not where the same one is set again. */
  readonly onOrgZone?: OnOrgZone | undefined;
};

type ReadDeps = Pick<SettingsDeps, 'storage' | 'tables'>;

/** Reads what is set in each of the scopes, without a cache. */
const settingsReader = ({ storage, tables }: ReadDeps): LoadSettings => {
  const hot = settingsStatements(tables);
  return async (scopes) => {
    const rows = await storage.select(
      hot.ofScope,
      scopes.map((scope) => [scopeKey(scope)]),
    );
    const found = Map.groupBy(rows, ({ scopeId }) => scopeId);
    return (scope) => viewOf(found.get(scope.scopeId) ?? []);
  };
};

/** Reads which time zone is set in each of the scopes, without a cache; null: none. Throws what the database throws. */
export const orgZoneReader = (deps: ReadDeps) => {
  const read = settingsReader(deps);
  return async (scopes: readonly InScope[]): Promise<(scope: InScope) => string | null> => {
    const settingsOf = await read(scopes);
    return (scope) => settingsOf(scope).orgDefaultTimezone;
  };
};

/**
 * Writes what follows from a new time zone of a scope, in the transaction that stores the zone. The function that it resolves
 * with runs after the commit.
 */
export type OnOrgZone = (scope: InScope, db: Db) => Promise<() => void>;

/** What is set in each of the scopes; at most 10 s old. Throws what the database throws. */
export type LoadSettings = (scopes: readonly InScope[]) => Promise<(scope: InScope) => DeliverySettings>;

export const settingsEngine = ({ storage, tables, clock, providers, callbacks, onOrder, onOrgZone }: SettingsDeps) => {
  const hot = settingsStatements(tables);
  const cache = agedCache<InScope, DeliverySettings>({
    nameOf: scopeKey,
    read: settingsReader({ storage, tables }),
    clock,
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  let stopListening: (() => void) | undefined;
  const load: LoadSettings = (scopes) => {
    stopListening ??= storage.wake.subscribe((topic) => topic === SETTINGS_CHANGED && cache.clear());
    return cache.load(scopes.map(scopeOf));
  };

  const shown = async <C extends Channel>(
    scope: Scope,
    channel: C,
    states: ProviderStates<C>,
  ): Promise<Settings<C>> => {
    const rows = await storage.select(hot.ofScope, [[scopeKey(scope)]]);
    const { channels, ...shared } = viewOf(rows);
    const checked = callbacks?.has(channel) ? { callbacks: await callbacks.states(scope, channel) } : {};
    // Safe: the states of the channel's providers, what all channels share, and what is the channel's own.
    return { ...states, ...shared, ...channels[channel], ...checked } as unknown as Settings<C>;
  };

  /** The values of a body that are kept here, and the rest of it. Throws VALIDATION_ERROR. */
  const split = (channel: Channel, body: unknown) => {
    const { shape } = ownBodies[channel];
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { own: {}, checks: [], rest: body };
    const { [CALLBACKS]: asked, ...others } = { [CALLBACKS]: undefined, ...body };
    const checking = asked !== undefined && callbacks?.has(channel) ? callbacks : null;
    const checks: CallbackChanges = checking?.parse(channel, asked) ?? [];
    const entries = Object.entries(checking ? others : body);
    const isOwn = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(shape, key);
    const parsed = ownBodies[channel].safeParse(Object.fromEntries(entries.filter(isOwn)));
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const own: Readonly<Record<string, unknown>> = parsed.data;
    return { own, checks, rest: Object.fromEntries(entries.filter((entry) => !isOwn(entry))) };
  };

  /** Reads the time zone of a scope, and lets no other transaction change it until this one ends; null: none. */
  const lockZone = async (db: Db, scope: Scope): Promise<unknown> => {
    await lockName(db, storage.dialect, `settings/${scopeKey(scope)}/${ORG_ZONE}`);
    return settingsStore({ db, tables }).get(scope, ORG_ZONE);
  };

  const write = async (scope: Scope, channel: Channel, own: Readonly<Record<string, unknown>>): Promise<void> => {
    const changes = Object.entries(own).filter(([, value]) => value !== undefined);
    if (changes.length === 0) return;
    let afterCommit: (() => void) | undefined;
    try {
      afterCommit = await storage.transaction(async (db) => {
        const store = settingsStore({ db, tables });
        const zoneBefore = own[ORG_ZONE] !== undefined ? await lockZone(db, scope) : undefined;
        for (const [key, value] of changes) {
          const name = nameOf(channel, key, Object.hasOwn(sharedSettings, key));
          await (value === null ? store.remove(scope, name) : store.put(scope, name, value, clock.now()));
        }
        return zoneBefore === undefined || zoneBefore === own[ORG_ZONE] ? undefined : onOrgZone?.(scope, db);
      });
    } finally {
      // Also when it failed: a commit whose answer was lost may have happened.
      cache.clear();
    }
    storage.wake.signal([SETTINGS_CHANGED]);
    afterCommit?.();
    if (Object.hasOwn(own, 'providers')) onOrder?.(scope, channel);
  };

  const api: SettingsApi = {
    get: async (scope, channel) => shown(scope, channel, await providers.get(scope, channel)),
    put: async (scope, channel, body) => {
      const { own, checks, rest } = split(channel, body);
      // First what may be refused: nothing is written of a body that is not right.
      const states = await providers.put(scope, channel, rest);
      await write(scope, channel, own);
      if (checks.length > 0) await callbacks?.put(scope, channel, checks);
      return shown(scope, channel, states);
    },
    test: providers.test,
  };
  return { api, load, close: () => stopListening?.() };
};
