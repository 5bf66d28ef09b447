// Names of events that runs may wait for, by project. Checked for every batch before the waits are read, so that an
// event no workflow waits for costs no statement.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { InProject } from '../../foundation/scope.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import { workflowStatements } from './statements.ts';
import type { WorkflowTables } from './tables.ts';
import { MAX_AGE_MS } from './triggers.ts';

/**
 * Whether a workflow of the project may wait for an event of that name. Throws TypeError for a project that was not
 * loaded.
 */
export type IsAwaited = (project: InProject, eventType: string) => boolean;

export type AwaitedCache = {
  /** One statement for all projects whose cache entry is stale. */
  load(projects: readonly InProject[]): Promise<IsAwaited>;
  /** Forgets a project, so that the next call reads it again. */
  invalidate(project: InProject): void;
};

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Cache of awaited event names. A change by another process is visible as late as for triggers. The waits themselves
 * are not cached: one that began in another process must be found. The cache is shared by all requests, so it is read
 * outside the host's transaction.
 */
export const awaitedCache = ({
  storage,
  tables,
  clock,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly tables: WorkflowTables;
  readonly clock: Clock;
}): AwaitedCache => {
  const { awaited } = workflowStatements(tables);
  const read = async (projects: readonly InProject[]) => {
    const rows = await storage.select(
      awaited,
      projects.map(({ projectKey }) => [projectKey]),
    );
    const names = new Map<number, Set<string>>();
    for (const { projectKey, eventType } of rows)
      names.set(projectKey, (names.get(projectKey) ?? new Set()).add(eventType));
    return ({ projectKey }: InProject): ReadonlySet<string> => names.get(projectKey) ?? NOTHING;
  };
  const nameOf = ({ projectKey }: InProject): number => projectKey;
  const cache = sharedCache({ storage, clock, topic: null, nameOf, read, maxAgeMs: MAX_AGE_MS });
  return {
    load: async (projects) => {
      const namesOf = await cache.load(projects);
      return (project, eventType) => namesOf(project).has(eventType);
    },
    invalidate: cache.forget,
  };
};
