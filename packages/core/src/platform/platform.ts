import type { Storage } from '../database/storage.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Ids } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import type { Meter } from '../foundation/meter.ts';
import type { Tracing } from '../foundation/telemetry.ts';
import type { Keyring } from './tenancy/keyring.ts';
import type { Scopes } from './tenancy/scope-directory.ts';

/**
 * What every module may use. The app builds one with the tables of all modules; each module declares the tables that it
 * needs (`Platform<CapTables>`), and the compiler checks that the app has them.
 */
export type Platform<Tables> = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly meter: Meter;
  /** Null: the host has set up no tracer. */
  readonly tracing: Tracing | null;
  readonly scopes: Scopes;
  readonly keyring: Keyring;
};
