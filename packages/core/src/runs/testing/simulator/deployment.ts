import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '../../../../test/database.ts';
import type { Beckon } from '../../../api.ts';
import { createBeckon } from '../../../beckon.ts';
import type { VirtualClock } from '../../../primitives/clock.ts';
import type { Scope } from '../../../primitives/scope.ts';
import { newMasterKey } from '../../../primitives/secrets.ts';
import type { OwnTransports } from '../../../providers/own-transport.ts';
import { type Mortal, mortal } from './crash.ts';

type Life = Mortal & { readonly beckon: Beckon; readonly scope: Scope };

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;

/** A service on a database of its own, whose process may die at any moment and is started again. */
export const openDeployment = async (clock: VirtualClock, transports: OwnTransports) => {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-simulator-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'test.db')}`, clock, durability: 'process' });
  const masterKey = newMasterKey();
  let crashes = 0;

  const open = async () => {
    const one = mortal();
    const options = { db: database.url, masterKey, clock, transports, durability: 'process' } as const;
    return { ...one, beckon: await createBeckon(options, { observer: one.observer }) };
  };
  const first = await open();
  const org = await first.beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await first.beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  const names = { orgId: org.id, projectId: project.id, environment: 'prod' } as const;
  let life: Life = { ...first, scope: await first.beckon.tenancy.scope(names) };

  /** What a dead process still does comes to nothing; its connection is closed behind its back. */
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
    const { runs, messages, sends, raisedEvents } = database.tables;
    const moments: number[] = [];
    for (const table of [runs, messages, sends, raisedEvents]) {
      const rows = await database.storage.db.select({ dueAt: table.dueAt, leaseUntil: table.leaseUntil }).from(table);
      for (const { dueAt, leaseUntil } of rows)
        if (dueAt) moments.push(Math.max(dueAt.getTime(), leaseUntil === null ? 0 : leaseUntil.getTime() + 1));
    }
    return moments.length === 0 ? null : Math.min(...moments);
  };

  return {
    database,
    nextDue,
    crashes: () => crashes,
    /** The process dies before that many more steps towards the disk. */
    dieAfter: (steps: number): void => life.dieAfter(steps),
    /** Does something with the service, as a client does that tries again until it hears that it is done. */
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
    close: async (): Promise<void> => {
      await life.beckon.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
