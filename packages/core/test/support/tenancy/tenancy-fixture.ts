import type { Storage } from '../../../src/database/storage.ts';
import type { Wake } from '../../../src/database/wake.ts';
import { type VirtualClock, virtualClock } from '../../../src/foundation/clock.ts';
import { type Ids, uuidV7Ids } from '../../../src/foundation/ids.ts';
import { newDataKey } from '../../../src/foundation/secrets.ts';
import { type Keyring, openKeyring } from '../../../src/platform/tenancy/keyring.ts';
import { type Tenancy, type TenancyDeps, tenancyEngine } from '../../../src/platform/tenancy/tenancy.ts';
import { openTestDatabase, type TestDatabase } from '../database.ts';

const deafAndMute: Wake = { signal: () => undefined, subscribe: () => () => undefined };

/** A database with a tenancy module, a fixed clock, and a count of statements. */
export type TenancyFixture = {
  readonly database: TestDatabase;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly tenancy: Tenancy;
  /** Ids of the statements that ran since the last call. */
  statements(): string[];
  /** The storage of a process that loses all signals, sent and received; `over` replaces parts of it. */
  silent(over?: Partial<Storage>): Storage;
  /** Another tenancy module on the same database. */
  another(over?: Partial<TenancyDeps>): Tenancy;
  /** An organization with a project. */
  tenant(name: string): Promise<{ orgId: string; projectId: string }>;
  close(): Promise<void>;
};

/** Opens the fixture on the database that this project tests. */
export const openTenancy = async (): Promise<TenancyFixture> => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const ids = uuidV7Ids(clock);
  let ran: string[] = [];
  const database = await openTestDatabase({ clock, observer: { statement: (id) => ran.push(id) } });
  const { storage, tables } = database;
  const keyring = await openKeyring({ storage, tables, clock, masterKeys: [newDataKey()] });
  const another: TenancyFixture['another'] = (over = {}) =>
    tenancyEngine({ storage, tables, clock, ids, secrets: keyring, ...over });
  const tenancy = another();
  return {
    database,
    clock,
    ids,
    keyring,
    tenancy,
    another,
    statements: () => {
      const since = ran;
      ran = [];
      return since;
    },
    silent: (over = {}) => ({ ...storage, wake: deafAndMute, ...over }),
    tenant: async (name) => {
      const { id: orgId } = await tenancy.createOrg({ name });
      const { id: projectId } = await tenancy.createProject({ orgId, name: `${name} app` });
      return { orgId, projectId };
    },
    close: async () => {
      await tenancy.close();
      await database.close();
    },
  };
};
