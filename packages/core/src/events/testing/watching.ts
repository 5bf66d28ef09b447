import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { unchecked } from '../../../test/unchecked.ts';
import type { Beckon } from '../../api.ts';
import { createBeckon } from '../../beckon.ts';
import type { BeckonOptions } from '../../options.ts';
import { virtualClock } from '../../primitives/clock.ts';
import type { Scope } from '../../primitives/scope.ts';
import { newMasterKey } from '../../primitives/secrets.ts';
import type { Run } from '../../runs/api.ts';
import type { StorageObserver } from '../../storage/observer.ts';

export const START = '2026-03-01T10:00:00.000Z';

/** A workflow of that trigger. */
export const workflowOn = (
  eventType: string,
  steps: readonly unknown[] = [{ type: 'update_profile', config: { increment: { [`seen ${eventType}`]: 1 } } }],
) => ({ name: `On ${eventType}`, description: null, isActive: true, trigger: { eventType }, steps });

export type Watching = Awaited<ReturnType<typeof openWatching>>;

/** A whole service over an empty database, with projects whose workflows watch. */
export const openWatching = async () => {
  const clock = virtualClock(START);
  const masterKey = newMasterKey();
  const folder = mkdtempSync(join(tmpdir(), 'beckon-watching-'));
  // Several processes over it, so not in memory.
  const database: TestDatabase = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
  const opened: Beckon[] = [];
  const statements: string[] = [];
  /** One more process over the same database. */
  const start = async (
    more: Partial<BeckonOptions> = {},
    observer: StorageObserver = { statement: (id) => statements.push(id) },
  ): Promise<Beckon> => {
    const beckon = await createBeckon(
      { db: database.url, masterKey, clock, publicUrl: 'https://beckon.test', ...more },
      { observer },
    );
    opened.push(beckon);
    return beckon;
  };
  const beckon = await start();
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });

  return {
    beckon,
    clock,
    database,
    masterKey,
    statements,
    start,
    /** A project of its own with these workflows. */
    project: async (...workflows: readonly unknown[]): Promise<Scope> => {
      const { id } = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
      const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: id, environment: 'test' });
      if (workflows.length > 0)
        await beckon.workflows.importBundle(scope, unchecked({ version: 1, exportedAt: START, workflows }));
      return scope;
    },
    /** Runs of a project, in the order of their beginning. */
    runs: async (scope: Scope): Promise<readonly Run[]> =>
      (await beckon.workflows.listRuns(scope, { limit: 200 })).data.toReversed(),
    close: async (): Promise<void> => {
      for (const one of opened) await one.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};
