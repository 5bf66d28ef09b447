import { LRUCache } from 'lru-cache';
import type { Storage } from '../../database/storage.ts';
import type { InProject } from '../../foundation/scope.ts';
import type { StepsOf, VersionKey } from '../runs/definition.ts';
import type { Step } from '../runs/steps/list.ts';
import { workflowStatements } from './statements.ts';
import type { WorkflowTables } from './tables.ts';

/** Versions remembered per process; ours. */
const MAX_VERSIONS = 1_000;
/** Characters of their JSON in all; ours: 16 million, some 32 MiB of heap. */
const MAX_CHARACTERS = 16_000_000;

const keyOf = ({ projectKey, workflowId, version }: VersionKey): string => `${projectKey}/${workflowId}/${version}`;

/**
 * Steps of versions. Version rows never change, so what is remembered is never too old. Steps are given as they were
 * stored: one of a type that this program does not know can only stem from a newer one.
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

  /** Steps of many versions: one statement for all of those that are not remembered. */
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
