import { type InScope, scopeOf } from '../../../src/foundation/scope.ts';
import { rowId } from '../row-ids.ts';

/** A due run, for tests that need rows of a work table. */
export const dueRun = (scope: InScope, name: string, at: Date) => ({
  ...scopeOf(scope),
  id: rowId(name),
  triggerEventId: rowId(name),
  workflowId: rowId('w'),
  workflowVersion: 1,
  workflowName: 'W',
  person: 'u:ann',
  triggerEvent: {},
  status: 'running' as const,
  depth: 0,
  runBudget: 0,
  cursor: '0',
  attempt: 1,
  startedAt: at,
  context: {},
  dueAt: at,
  fence: 0,
});
