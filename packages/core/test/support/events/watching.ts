import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Beckon } from '../../../src/app/api.ts';
import { createBeckon } from '../../../src/app/create.ts';
import type { BeckonOptions } from '../../../src/app/options.ts';
import type { Run } from '../../../src/automation/runs/answers.generated.ts';
import type { StorageObserver } from '../../../src/database/observer.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { newMasterKey } from '../../../src/foundation/secrets.ts';
import { openTestDatabase, type TestDatabase } from '../database.ts';
import { unchecked } from '../unchecked.ts';

export const START = '2026-03-01T10:00:00.000Z';

/** A workflow with that trigger. */
export const workflowOn = (
  eventType: string,
  steps: readonly unknown[] = [{ type: 'update_profile', config: { increment: { [`seen ${eventType}`]: 1 } } }],
) => ({ name: `On ${eventType}`, description: null, isActive: true, trigger: { eventType }, steps });

export type Watching = Awaited<ReturnType<typeof openWatching>>;

/** A service over an empty database, with projects whose workflows subscribe to events. */
export const openWatching = async () => {
  const clock = virtualClock(START);
  const masterKey = newMasterKey();
  const folder = mkdtempSync(join(tmpdir(), 'beckon-watching-'));
  // A file, because several processes use it.
  const database: TestDatabase = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}` });
  const opened: Beckon[] = [];
  const statements: string[] = [];
  /** Starts another process over the same database. */
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
    /** Creates a project with these workflows. */
    project: async (...workflows: readonly unknown[]): Promise<Scope> => {
      const { id } = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
      const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: id, environment: 'test' });
      if (workflows.length > 0)
        await beckon.workflows.importBundle(scope, unchecked({ version: 1, exportedAt: START, workflows }));
      return scope;
    },
    /** Runs of a project, ordered by start. */
    runs: async (scope: Scope): Promise<readonly Run[]> =>
      (await beckon.runs.list(scope, { limit: 200 })).data.toReversed(),
    close: async (): Promise<void> => {
      for (const one of opened) await one.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};
