// Maintains roll-ups of sends. A send reports how much its counts increased since its previous report, and is marked as
// reported in the transaction that adds the increase. Each change is therefore counted once however often a process
// stops. Counts stay when a send is deleted: they identify nobody.

import type { Db, Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendChange, SendChanges } from '../../../messaging/sends/sums/sums.ts';
import { quarterOf } from '../quarters.ts';
import type { AnalyticsTables } from '../tables.ts';
import { COUNTS, type SendQuarter, sendQuarterStore } from './store.ts';

/** Sends per transaction, which other writers wait for. Chosen: SQLite rewrites each row including its content. */
const SLICE = 250;
/** Slices per step of maintenance. Chosen. */
const SLICES = 8;
/** Value for sends without a template or a workflow. */
const NONE = 'none';

/** Workflows of the runs that exist. */
export type WorkflowsOf = (
  db: Db,
  scope: InScope,
  runIds: readonly string[],
) => Promise<readonly { readonly id: string; readonly workflowId: string }[]>;

export type SendRollUpDeps = {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly tables: AnalyticsTables;
  readonly changes: SendChanges;
  readonly workflowsOf: WorkflowsOf;
  readonly slice?: number | undefined;
};

/** Increases of the roll-ups, one row per key, ordered by key. Throws nothing. */
export const quartersOf = (
  changes: readonly SendChange[],
  workflowIds: ReadonlyMap<string, string>,
): readonly SendQuarter[] => {
  const rows = new Map<string, SendQuarter>();
  for (const { scopeId, createdAt, channel, templateId, workflowRunId, more } of changes) {
    const key = {
      scopeId,
      quarter: quarterOf(createdAt.getTime()),
      channel,
      templateId: templateId ?? NONE,
      workflowId: workflowIds.get(workflowRunId ?? '') ?? NONE,
    };
    const name = JSON.stringify(Object.values(key));
    const there = rows.get(name);
    const [targeted, sent, delivered, opened, clicked, bounced, failed, suppressed] = COUNTS.map(
      (count, at) => (there?.[count] ?? 0) + (more[at] ?? 0),
    );
    rows.set(name, {
      ...key,
      targeted: targeted ?? 0,
      sent: sent ?? 0,
      delivered: delivered ?? 0,
      opened: opened ?? 0,
      clicked: clicked ?? 0,
      bounced: bounced ?? 0,
      failed: failed ?? 0,
      suppressed: suppressed ?? 0,
    });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
};

/** One step of the roll-up; true if more is left. Throws database errors. */
export const rollUpSends = ({ storage, tables, changes, workflowsOf, slice = SLICE }: SendRollUpDeps) => {
  const workflowIdsOf = async (db: Db, sendChanges: readonly SendChange[]): Promise<Map<string, string>> => {
    const ofRuns = sendChanges.filter(({ workflowRunId }) => workflowRunId !== null);
    const workflowIds = new Map<string, string>();
    for (const [scopeId, some] of Map.groupBy(ofRuns, (one) => one.scopeId)) {
      const runIds = new Set(some.flatMap(({ workflowRunId }) => workflowRunId ?? []));
      for (const { id, workflowId } of await workflowsOf(db, { scopeId }, [...runIds])) workflowIds.set(id, workflowId);
    }
    return workflowIds;
  };
  const rollSlice = (): Promise<number> =>
    storage.transaction(async (db) => {
      const sendChanges = await changes.take(db, slice);
      await sendQuarterStore({ db, tables }).add(quartersOf(sendChanges, await workflowIdsOf(db, sendChanges)));
      return sendChanges.length;
    });
  return async (): Promise<boolean> => {
    for (let done = 0; done < SLICES; done += 1) {
      // Usually nothing has changed, and a transaction would block other writers.
      if (!(await changes.isAny())) return false;
      if ((await rollSlice()) < slice) return false;
    }
    return true;
  };
};
