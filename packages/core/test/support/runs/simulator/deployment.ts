import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Beckon } from '../../../../src/app/api.ts';
import { createBeckon } from '../../../../src/app/create.ts';
import type { OwnTransports } from '../../../../src/delivery/providers/own-transport.ts';
import type { VirtualClock } from '../../../../src/foundation/clock.ts';
import type { Scope } from '../../../../src/foundation/scope.ts';
import { newMasterKey } from '../../../../src/foundation/secrets.ts';
import { openTestDatabase } from '../../database.ts';
import { type Mortal, mortal } from './crash.ts';
import type { Random } from './random.ts';

/** Share of due times at which maintenance runs too. Chosen. */
const UPKEEP_SHARE = 0.2;

/** A call that hangs from some time on. */
type Held = { readonly isHeld: Promise<string>; release(): void };
type Life = Mortal & { readonly beckon: Beckon; readonly scope: Scope };

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** A service on its own database, whose process may die at any time and is restarted. */
export const openDeployment = async (
  clock: VirtualClock,
  random: Random,
  transports: OwnTransports,
  models: string,
) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-simulator-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock, durability: 'process' });
  const masterKey = newMasterKey();
  let crashes = 0;

  // A real service drains far more often than it runs maintenance, which would take a third of the time here.
  const upkeepIsDue = (): boolean => random.chance(UPKEEP_SHARE);

  const open = async () => {
    const one = mortal();
    const options = { db: database.url, masterKey, clock, transports, durability: 'process' } as const;
    const outside = { outbound: { allowCidrs: ['127.0.0.0/8'] }, ai: { shared: { baseUrl: models, key: 'k' } } };
    return {
      ...one,
      beckon: await createBeckon(
        { ...options, ...outside },
        { observer: one.observer, keepsAll: true, maintenanceIsDue: upkeepIsDue },
      ),
    };
  };
  const first = await open();
  const org = await first.beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await first.beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  const names = { orgId: org.id, projectId: project.id, environment: 'prod' } as const;
  let life: Life = { ...first, scope: await first.beckon.tenancy.scope(names) };

  /** Later actions of a dead process have no effect; its connection is closed. */
  const bury = async ({ beckon }: Life): Promise<void> => {
    await beckon.worker.stop({ timeoutMs: 0 }).catch(() => undefined);
    await beckon.close().catch(() => undefined);
  };

  const reborn = async (): Promise<void> => {
    crashes += 1;
    void bury(life);
    const next = await open();
    life = { ...next, scope: await next.beckon.tenancy.scope(names) };
  };

  /** When the next row of any queue can be claimed; null: none waits. */
  const nextDue = async (): Promise<number | null> => {
    const { runs, messages, sends, raisedEvents, webhookDeliveries, aiCalls } = database.tables;
    const moments: number[] = [];
    for (const table of [runs, messages, sends, raisedEvents, webhookDeliveries, aiCalls]) {
      const rows = await database.storage.db.select({ dueAt: table.dueAt, leaseUntil: table.leaseUntil }).from(table);
      for (const { dueAt, leaseUntil } of rows)
        if (dueAt) moments.push(Math.max(dueAt.getTime(), leaseUntil === null ? 0 : leaseUntil.getTime() + 1));
    }
    return moments.length === 0 ? null : Math.min(...moments);
  };

  /** Status and recipient of a message. */
  const standing = async (messageId: string): Promise<string> => {
    const { messages } = database.tables;
    const row = (await database.storage.db.select().from(messages)).find(({ id }) => id === messageId);
    return `${row?.status} of fence ${row?.fence}, ${row?.leaseUntil ? 'leased' : 'free'}`;
  };

  return {
    database,
    nextDue,
    crashes: () => crashes,
    /** The process dies before that many more statements or commit points. */
    dieAfter: (steps: number): void => life.dieAfter(steps),
    /** Calls the service like a client that retries until it gets an answer. */
    surely: async <T>(work: (beckon: Beckon, scope: Scope) => Promise<T>): Promise<T> => {
      for (;;) {
        const { beckon, scope, death, isDead } = life;
        const done = work(beckon, scope);
        done.catch(() => undefined);
        try {
          const outcome = await Promise.race([done.then((value) => ({ value })), death]);
          if (outcome) return outcome.value;
        } catch (error) {
          if (!isDead()) throw error;
        }
        await reborn();
      }
    },
    /**
     * The process works until a call hangs for longer than its lease; another process takes over and hangs too; then
     * the first continues with its lost lease. Returns what it wrote then; null: it did not hang.
     */
    overtaken: async (hold: (messageId?: string) => Held, expire: () => void): Promise<readonly string[] | null> => {
      const slow = life;
      const first = hold();
      const late = slow.beckon.worker.drain().catch(() => null);
      const hung = await Promise.race([first.isHeld, late.then(() => null), slow.death.then(() => null)]);
      if (hung === null || slow.isDead()) {
        first.release();
        // A dead process retries for a long time in vain: nobody waits for it.
        await Promise.race([late, slow.death]);
        return null;
      }
      const next = await open();
      life = { ...next, scope: await next.beckon.tenancy.scope(names) };
      expire();
      const second = hold(hung);
      const work = next.beckon.worker.drain();
      await Promise.race([second.isHeld, work]);
      const before = await standing(hung);
      first.release();
      await Promise.race([late, slow.death]);
      const after = await standing(hung);
      second.release();
      await work;
      void bury(slow);
      return before === after ? [] : [`message ${hung} was ${before}, and a late process made it ${after}`];
    },
    close: async (): Promise<void> => {
      await life.beckon.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
