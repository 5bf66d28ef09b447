import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTableColumns, isNotNull, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { openReceiver, type Receiver } from '../../test/support/webhooks/receiver.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

const HOUR_MS = 3_600_000;
/** Ends only a test that hangs. */
const NEVER_MS = 600_000;
/** Maximum age of due jobs in a running test, on a busy machine. */
const FRESH_MS = 300_000;

const HostDate = Date;
/** Sets the wall clock of this host; timers and the monotonic clock are unaffected. */
const setHostClock = (aheadMs: number): void => {
  const now = (): number => HostDate.now() + aheadMs;
  vi.stubGlobal(
    'Date',
    class extends HostDate {
      static override [Symbol.hasInstance](value: unknown): boolean {
        return value instanceof HostDate;
      }
      static override now = now;
      constructor(...values: readonly unknown[]) {
        // Safe: the caller's arguments of Date are passed to Date.
        super(...((values.length === 0 ? [now()] : values) as [number]));
      }
    },
  );
};
/** Polls until it is true; a test that hangs is ended by its limit. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('host with a wrong clock', () => {
  const masterKey = newMasterKey();
  let database: TestDatabase;
  let folder: string;
  let receiver: Receiver;
  const opened: Beckon[] = [];
  const open = async (): Promise<Beckon> => {
    const outbound = { allowCidrs: ['127.0.0.0/8'] };
    const beckon = await createBeckon({ db: database.url, masterKey, outbound, pollMs: 20 });
    opened.push(beckon);
    return beckon;
  };
  const newScope = async (beckon: Beckon, environment: 'test' | 'prod'): Promise<Scope> => {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    return beckon.tenancy.scope({ orgId, projectId, environment });
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'beckon-host-clock-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}` });
    receiver = await openReceiver(() => ({ status: 200, body: '{}' }));
  });
  afterEach(async () => {
    for (const beckon of opened.splice(0)) await beckon.close();
    vi.unstubAllGlobals();
    await receiver.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** When each job is due, by its table. */
  const dueMoments = async (): Promise<Record<string, Date[]>> => {
    const found: Record<string, Date[]> = {};
    for (const [name, made] of Object.entries(database.tables)) {
      // Safe: see `workColumns` of work/store.ts.
      const table = made as unknown as PgTable;
      const { dueAt } = getTableColumns(table);
      if (!dueAt) continue;
      const rows = await database.storage.db
        .select({ dueAt })
        .from(table)
        .where(isNotNull(dueAt) as SQL);
      // Safe: the column contains times, and the query excludes null.
      if (rows.length > 0) found[name] = rows.map((row) => row.dueAt as Date);
    }
    return found;
  };

  /** Tables with jobs that are all due by the database's clock. */
  const dueNow = async (): Promise<string[]> => {
    const moments = await dueMoments();
    const now = (await database.storage.now()).getTime();
    for (const [table, dueAt] of Object.entries(moments))
      for (const at of dueAt) {
        expect([table, at.getTime() <= now]).toEqual([table, true]);
        expect([table, now - at.getTime() < FRESH_MS]).toEqual([table, true]);
      }
    return Object.keys(moments).sort();
  };

  const steps = (count: number) =>
    Array.from({ length: count }, () => ({ type: 'webhook', config: { url: receiver.url } }) as const);

  for (const hours of [2, -2])
    it(`jobs are due by the database's clock and run at once, while the host is ${hours} h ahead`, async () => {
      // The clock of a SQLite file is the host's.
      if (inject('engine') === 'postgres') setHostClock(hours * HOUR_MS);
      const api = await open();
      const scope = await newScope(api, 'test');
      await api.webhooks.create(scope, { url: receiver.url, events: ['user.identified'] });
      await api.workflows.create(scope, {
        name: 'Posts',
        description: null,
        isActive: true,
        trigger: { eventType: 'asked' },
        steps: steps(2),
      });
      await api.events.identify(scope, { userId: 'ann', traits: { plan: 'pro', email: 'ann@example.com' } });
      await api.events.track(scope, { module: 'm', eventType: 'asked', userId: 'ann' });
      await api.email.send(scope, { to: 'ann@example.com', subject: 's', text: 't' });
      const userIds = Array.from({ length: 500 }, (_, at) => (at === 0 ? 'ann' : `nobody ${at}`));
      await api.email.send(scope, { userIds, subject: 'Large', text: 't' });
      expect(await dueNow()).toEqual(['messages', 'runs', 'sends', 'webhookDeliveries']);
      // Above 5 minutes the service would pause everyone's events.
      expect(await api.load.lagMs()).toBeLessThan(FRESH_MS);

      await api.worker.drain();
      expect((await api.outbox.list(scope)).data.map(({ content }) => Object(content).subject).sort()).toEqual([
        'Large',
        's',
      ]);
      expect((await api.runs.list(scope)).data).toMatchObject([{ status: 'completed', outcome: 'ok' }]);
      // Webhook steps post in `prod` only.
      expect(receiver.got).toHaveLength(1);
      expect(await dueMoments()).toEqual({});

      if (inject('engine') === 'sqlite') return;
      const detail = `this host's clock is 2.0 h ${hours > 0 ? 'ahead of' : 'behind'} the database's: synchronize both with NTP`;
      expect(await api.health()).toMatchObject({
        ready: true,
        status: 'degraded',
        checks: { clock: { ok: false, detail } },
      });
    });

  it(
    "each of 540 steps runs once while the host's clock is set 2 h forward and back",
    async () => {
      const beckon = await open();
      const scope = await newScope(beckon, 'prod');
      await beckon.workflows.create(scope, {
        name: 'Posts',
        description: null,
        isActive: true,
        trigger: { eventType: 'asked' },
        steps: steps(3),
      });
      beckon.worker.start();
      const batch = Array.from({ length: 180 }, (_, at) => ({ module: 'm', eventType: 'asked', userId: `u${at}` }));
      await beckon.events.batch(scope, { batch });
      for (const [posts, hours] of [
        [60, 2],
        [180, 0],
        [300, -2],
        [420, 0],
      ] as const) {
        await until(() => receiver.got.length >= posts);
        setHostClock(hours * HOUR_MS);
      }
      const isCompleted = async (): Promise<boolean> => {
        const rows = await database.storage.db.select().from(database.tables.runs);
        return rows.length === 180 && rows.every(({ status }) => status === 'completed');
      };
      await until(isCompleted);
      await beckon.worker.stop();
      expect(receiver.got).toHaveLength(540);
      const deliveries = await database.storage.db.select().from(database.tables.webhookDeliveries);
      expect(deliveries.filter(({ status, attempts }) => status !== 'delivered' || attempts !== 1)).toEqual([]);
      expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(540);
    },
    NEVER_MS,
  );
});
