// Which events somebody may wait for. Asked of every batch of events before the waits themselves are read, so that an event
// that no workflow of its project ever waits for costs no statement.

import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { InProject } from '../../foundation/scope.ts';
import { sharedCache } from '../../jobs/shared-cache.ts';
import { workflowStatements } from './statements.ts';
import type { WorkflowTables } from './tables.ts';
import { MAX_AGE_MS } from './triggers.ts';

/** Whether a workflow of the project may wait for an event of that name. Throws TypeError for a project not asked for. */
export type IsAwaited = (project: InProject, eventType: string) => boolean;

export type AwaitedCache = {
  /** One statement for all projects that are not fresh. */
  load(projects: readonly InProject[]): Promise<IsAwaited>;
  /** Forgets a project, so that whoever asks from now on reads it again. */
  invalidate(project: InProject): void;
};

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Names of awaited events in memory, as late as triggers are where another process changed a definition. Of the waits
 * themselves nothing is remembered: one that began a moment ago in another process is read. All requests share what was
 * read, so it is read outside the host's transaction.
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
