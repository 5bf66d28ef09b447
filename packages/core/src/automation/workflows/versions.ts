import { LRUCache } from 'lru-cache';
import type { Storage } from '../../database/storage.ts';
import type { InProject } from '../../foundation/scope.ts';
import type { StepsOf, VersionKey } from '../runs/definition.ts';
import type { Step } from '../runs/steps/list.ts';
import { workflowStatements } from './statements.ts';
import type { WorkflowTables } from './tables.ts';

/** Maximum cached versions per process. Chosen: bounds the memory. */
const MAX_VERSIONS = 1_000;
/** Maximum characters of cached JSON. Chosen: 16 million, about 32 MiB of heap. */
const MAX_CHARACTERS = 16_000_000;

const keyOf = ({ projectKey, workflowId, version }: VersionKey): string => `${projectKey}/${workflowId}/${version}`;

/**
 * Cache of steps by version. Versions are immutable, so entries never become stale. Steps are returned as stored: a
 * type unknown to this program comes from a newer one.
 */
export const workflowVersions = ({
  storage,
  tables,
}: {
  readonly storage: Storage;
  readonly tables: WorkflowTables;
}) => {
  const { versionSteps } = workflowStatements(tables);
  const cached = new LRUCache<string, readonly Step[]>({
    max: MAX_VERSIONS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (steps) => JSON.stringify(steps).length,
  });

  /** Steps of several versions: one statement for all that are not cached. */
  const load = async (keys: readonly VersionKey[]): Promise<StepsOf> => {
    const found = new Map<string, readonly Step[] | null>();
    const missing = new Map<string, VersionKey>();
    for (const key of keys) {
      const text = keyOf(key);
      const known = cached.get(text);
      if (known) found.set(text, known);
      else missing.set(text, key);
    }
    for (const text of missing.keys()) found.set(text, null);
    const rows = await storage.select(
      versionSteps,
      [...missing.values()].map((key) => [key.projectKey, key.workflowId, key.version]),
    );
    for (const row of rows) {
      cached.set(keyOf(row), row.steps);
      found.set(keyOf(row), row.steps);
    }
    return (key) => {
      const steps = found.get(keyOf(key));
      if (steps === undefined) throw new TypeError('this version was not loaded');
      return steps;
    };
  };

  return {
    load,
    async stepsOf(scope: InProject, workflowId: string, version: number): Promise<ReturnType<StepsOf>> {
      const key = { projectKey: scope.projectKey, workflowId, version };
      return (await load([key]))(key);
    },
  };
};
