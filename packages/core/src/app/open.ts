import type { StepCatalog } from '../automation/runs/steps/catalog.ts';
import { databaseClock } from '../database/database-clock.ts';
import { ensureSchema } from '../database/ensure-schema.ts';
import { metered } from '../database/metered.ts';
import type { StorageObserver } from '../database/observer.ts';
import { type OpenDatabase, openDatabase, openPool } from '../database/open.ts';
import { traced } from '../database/traced.ts';
import { systemClock } from '../foundation/clock.ts';
import { uuidV7Ids } from '../foundation/ids.ts';
import { silentLog } from '../foundation/log.ts';
import { containedMeter, noMeter } from '../foundation/meter.ts';
import { closeAll } from '../foundation/modules.ts';
import { newMasterKey, parseMasterKeys } from '../foundation/secrets.ts';
import type { Telemetry } from '../foundation/telemetry.ts';
import type { HashPool } from '../identity/passwords/pool.ts';
import { CALLBACK_PURPOSE, type PathTokens, pathTokens } from '../messaging/callbacks/path-token.ts';
import { TRACKING_PURPOSE, type TrackingTokens, trackingTokens } from '../messaging/email/tracking-tokens.ts';
import { UNSUBSCRIBE_DAYS, UNSUBSCRIBE_PURPOSE } from '../messaging/email/unsubscribe-links.ts';
import type { Platform } from '../platform/platform.ts';
import { openKeyring } from '../platform/tenancy/keyring.ts';
import { type Tenancy, tenancyEngine } from '../platform/tenancy/tenancy.ts';
import { tenantLog } from '../platform/tenancy/tenant-log.ts';
import { tenantTracing } from '../platform/tenancy/tenant-tracing.ts';
import type { Closable } from './module.ts';
import type { BeckonOptions } from './options.ts';
import { type Tables, tablesOf } from './tables.ts';

/** Hooks for tests of this repository; not part of the public interface. */
export type Seams = {
  readonly observer?: StorageObserver;
  /** Step types of runs, replacing all others. */
  readonly steps?: Pick<StepCatalog, 'find' | 'armsOf'>;
  /** Disables retention, so that a test can look back over years. */
  readonly keepsAll?: boolean;
  /** Whether a drain also runs maintenance; called each time. Default: it always does. */
  readonly maintenanceIsDue?: () => boolean;
  /** Hashes passwords, in place of threads. */
  readonly hashPool?: HashPool;
};

/** Signs and verifies the tokens of links, with keys derived from the deployment's. */
export type LinkTokens = {
  readonly tracking: TrackingTokens;
  readonly unsubscribe: TrackingTokens;
  readonly callbacks: PathTokens;
};

/** The base of all modules. */
export type Opened = {
  readonly platform: Platform<Tables>;
  /** Without metering: health reads the state of its schema. */
  readonly database: OpenDatabase;
  readonly tenancy: Tenancy;
  readonly linkTokens: LinkTokens;
  /** How far this host's clock is ahead of the database's; absent: both are one clock. */
  readonly hostAheadMs?: (() => number) | undefined;
  /** In the order in which they were opened. */
  readonly parts: readonly Closable[];
};

const openStorage = (options: BeckonOptions, observer: StorageObserver | undefined): Promise<OpenDatabase> => {
  const { db, log = silentLog, clock, durability, trustPath, poolSize, preparedNames } = options;
  const onError = (error: unknown) => log.warn({ error }, 'a background database error');
  const settings = { clock, observer, durability, trustPath, poolSize, preparedNames, onError };
  return typeof db === 'string' ? openDatabase({ url: db, ...settings }) : openPool(db, settings);
};

/** `parts` receives what was opened, even if a later step throws. */
const openParts = async (
  options: BeckonOptions,
  telemetry: Telemetry | null,
  masterKeys: readonly [Uint8Array, ...Uint8Array[]],
  database: OpenDatabase,
  parts: Closable[],
): Promise<Opened> => {
  const { log: hostLog = silentLog } = options;
  const { storage, dialect } = database;
  await ensureSchema(database, options.migrate);
  // The database's clock, so that jobs are due at one moment for all workers.
  const remote =
    options.clock === undefined && dialect === 'postgres' ? await databaseClock(storage, hostLog) : undefined;
  if (remote) parts.push({ name: 'database clock', close: remote.close });
  const clock = options.clock ?? remote ?? systemClock;
  const ids = uuidV7Ids(clock);
  const tables = tablesOf(dialect);
  const keyring = await openKeyring({ storage, tables, clock, masterKeys });
  const tenancy = tenancyEngine({ storage, tables, clock, ids, secrets: keyring, log: hostLog });
  parts.push({ name: 'tenancy', close: tenancy.close });
  const { scopes } = tenancy;

  const maxAgeDays = options.email?.linkDays;
  const linkTokens: LinkTokens = {
    tracking: trackingTokens(await keyring.derived(TRACKING_PURPOSE), { clock, maxAgeDays }),
    callbacks: pathTokens(await keyring.derived(CALLBACK_PURPOSE)),
    unsubscribe: trackingTokens(await keyring.derived(UNSUBSCRIBE_PURPOSE), { clock, maxAgeDays: UNSUBSCRIBE_DAYS }),
  };

  const log = tenantLog(hostLog, scopes);
  const threw = (error: unknown): void => log.warn({ error }, 'the meter threw');
  const meters = [options.meter, telemetry?.meter].filter((one) => one !== undefined && one !== null);
  const meter = meters.length === 0 ? noMeter : containedMeter(meters, threw);
  const tracing = telemetry?.tracing ? tenantTracing(telemetry.tracing, scopes) : null;
  const spanned = tracing ? traced(storage, tracing) : storage;
  const measured = meter === noMeter ? spanned : metered(spanned, meter);
  const platform = { storage: measured, tables, clock, ids, log, meter, tracing, scopes, keyring };
  return { platform, database, tenancy, linkTokens, hostAheadMs: remote?.hostAheadMs, parts };
};

/**
 * Opens the database, migrates its schema to this version, and opens the keyring and tenancy. Closes what it opened if
 * it throws.
 *
 * @throws TypeError for an invalid master key, SchemaError, UnsafeDatabase, WrongMasterKey, what the driver throws
 */
export const open = async (
  options: BeckonOptions,
  telemetry: Telemetry | null,
  observer?: StorageObserver,
): Promise<Opened> => {
  // Only an in-memory database has no key: see parseOptions.
  const masterKeys = parseMasterKeys(options.masterKey ?? newMasterKey());
  const database = await openStorage(options, observer);
  const parts: Closable[] = [{ name: 'storage', close: () => database.storage.close() }];
  try {
    return await openParts(options, telemetry, masterKeys, database, parts);
  } catch (error) {
    // The cause of the failure matters more than errors of closing.
    await closeAll(parts).catch(() => undefined);
    throw error;
  }
};
