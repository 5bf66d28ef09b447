// Keeps the roll-ups of sends. A send tells by how much more it counts than it told before, and is noted as told in the
// transaction in which that is added, so each change is counted once however often a process stops. What was counted stays where
// a send goes: it names nobody.

import type { Db, Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import type { SendChange, SendChanges } from '../../../messaging/sends/sums/sums.ts';
import { quarterOf } from '../quarters.ts';
import type { AnalyticsTables } from '../tables.ts';
import { COUNTS, type SendQuarter, sendQuarterStore } from './store.ts';

/** Sends of one transaction, which others wait for; ours: SQLite writes each row anew, with what its messages say. */
const SLICE = 250;
/** Slices of one piece of upkeep; ours. */
const SLICES = 8;
/** Of sends without a template or a workflow. */
const NONE = 'none';

/** Which workflows runs are of, as far as there are such runs. */
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

/** What changes add to roll-ups, each row once, in the order of their keys. Throws nothing. */
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

/** One piece of rolling up; true when more is left. Throws what the database throws. */
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
      // Mostly there is nothing, and a transaction keeps other writers out.
      if (!(await changes.isAny())) return false;
      if ((await rollSlice()) < slice) return false;
    }
    return true;
  };
};
