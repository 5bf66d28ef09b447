// Message settings of projects. Provider credentials are shown and changed together with them, and stored by
// providers/.

import { lockName } from '../../database/statements/capped.ts';
import type { Db, Storage } from '../../database/storage.ts';
import type { ProviderStates } from '../../delivery/providers/api.ts';
import type { ProviderSettings } from '../../delivery/providers/credentials.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { Clock } from '../../foundation/clock.ts';
import { fieldErrorsOf, validationError } from '../../foundation/errors.ts';
import { type InScope, type Scope, scopeKey } from '../../foundation/scope.ts';
import type { CallbackChanges, CallbackSettings } from '../callbacks/secrets/secrets.ts';
import type { Settings, SettingsApi } from './api.ts';
import type { SettingsReader } from './reader.ts';
import { sharedSettings, storedBodies } from './schema.ts';
import { settingsStatements } from './statements.ts';
import { settingsStore } from './store.ts';
import type { SettingsTables } from './tables.ts';
import { nameOf, viewOf } from './view.ts';

/** Key of the callback settings in a body. */
const CALLBACKS = 'callbacks';
/** The setting behind the time zone `org`. */
const ORG_ZONE = 'orgDefaultTimezone';

/** Dependencies of this module's functions. `module.ts` builds it once. */
export type SettingsContext = {
  readonly storage: Storage;
  readonly tables: SettingsTables;
  readonly clock: Clock;
  readonly reader: SettingsReader;
  readonly providers: ProviderSettings;
  /** Callback settings; absent: none can be set. */
  readonly callbacks?: CallbackSettings | undefined;
  /** Called when the order of a channel's providers changed in this process. */
  readonly resume?: ((scope: InScope, channel: Channel) => void) | undefined;
  /** Called when the time zone of a scope changes, not when the same one is set again. */
  readonly onOrgZone?: OnOrgZone | undefined;
};

/**
 * Writes what follows from a new time zone of a scope, in the transaction that stores the zone. The function that it
 * resolves with runs after the commit.
 */
export type OnOrgZone = (scope: InScope, db: Db) => Promise<() => void>;

export const settingsApi = (context: SettingsContext): SettingsApi => {
  const { storage, tables, clock, reader, providers, callbacks, resume, onOrgZone } = context;
  const statements = settingsStatements(tables);
  const shown = async <C extends Channel>(
    scope: Scope,
    channel: C,
    states: ProviderStates<C>,
  ): Promise<Settings<C>> => {
    const rows = await storage.select(statements.ofScope, [[scopeKey(scope)]]);
    const { channels, ...shared } = viewOf(rows);
    const checked = callbacks?.has(channel) ? { callbacks: await callbacks.states(scope, channel) } : {};
    // Safe: provider states, shared values, and the channel's own values.
    return { ...states, ...shared, ...channels[channel], ...checked } as unknown as Settings<C>;
  };

  /** Splits a body into values that this module stores and the others. Throws VALIDATION_ERROR. */
  const split = (channel: Channel, body: unknown) => {
    const { shape } = storedBodies[channel];
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { stored: {}, checks: [], rest: body };
    const { [CALLBACKS]: callbackSettings, ...others } = { [CALLBACKS]: undefined, ...body };
    const checking = callbackSettings !== undefined && callbacks?.has(channel) ? callbacks : null;
    const checks: CallbackChanges = checking?.parse(channel, callbackSettings) ?? [];
    const entries = Object.entries(checking ? others : body);
    const isStored = ([key]: readonly [string, unknown]): boolean => Object.hasOwn(shape, key);
    const parsed = storedBodies[channel].safeParse(Object.fromEntries(entries.filter(isStored)));
    if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error));
    const stored: Readonly<Record<string, unknown>> = parsed.data;
    return { stored, checks, rest: Object.fromEntries(entries.filter((entry) => !isStored(entry))) };
  };

  /** Reads the time zone of a scope and locks it until this transaction ends; null: none. */
  const lockZone = async (db: Db, scope: Scope): Promise<unknown> => {
    await lockName(db, storage.dialect, `settings/${scopeKey(scope)}/${ORG_ZONE}`);
    return settingsStore({ db, tables }).get(scope, ORG_ZONE);
  };

  const write = async (scope: Scope, channel: Channel, stored: Readonly<Record<string, unknown>>): Promise<void> => {
    const changes = Object.entries(stored).filter(([, value]) => value !== undefined);
    if (changes.length === 0) return;
    const afterCommit = await reader.change(() =>
      storage.transaction(async (db) => {
        const store = settingsStore({ db, tables });
        const zoneBefore = stored[ORG_ZONE] !== undefined ? await lockZone(db, scope) : undefined;
        for (const [key, value] of changes) {
          const name = nameOf(channel, key, Object.hasOwn(sharedSettings, key));
          await (value === null ? store.remove(scope, name) : store.put(scope, name, value, clock.now()));
        }
        return zoneBefore === undefined || zoneBefore === stored[ORG_ZONE] ? undefined : onOrgZone?.(scope, db);
      }),
    );
    afterCommit?.();
    if (Object.hasOwn(stored, 'providers')) resume?.(scope, channel);
  };

  return {
    get: async (scope, channel) => shown(scope, channel, await providers.get(scope, channel)),
    update: async (scope, channel, body) => {
      const { stored, checks, rest } = split(channel, body);
      // Everything that may be rejected comes first: an invalid body writes nothing.
      const states = await providers.put(scope, channel, rest);
      await write(scope, channel, stored);
      if (checks.length > 0) await callbacks?.put(scope, channel, checks);
      return shown(scope, channel, states);
    },
    test: providers.test,
  };
};
