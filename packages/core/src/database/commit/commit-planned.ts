import { nextTurn } from '../../foundation/contained.ts';
import type { Storage } from '../storage.ts';
import { MAX_TRIES, type Tag, type WriteSet } from './write-set.ts';

/** Loads rows for items and plans the resulting write set. */
export type Planning<Item, Plan extends WriteSet> = {
  /**
   * Reads again each time and writes nothing; a plan without writes counts as committed. `failed`: guards that failed
   * in the previous plan.
   */
  plan(items: readonly Item[], failed: ReadonlySet<Tag>): Promise<Plan>;
  /** True for an item that another process has taken: it is left out of the next plan. Absent: no item is ever lost. */
  isLost?(item: Item, failed: ReadonlySet<Tag>): boolean;
  /**
   * A number that decreases when failed guards decided something for good, which counts as progress. Absent: constant.
   */
  open?(plan: Plan): number;
};

/** `plan` null: every item was lost. Not ok: guards kept failing; `failed` has those of the last plan. */
export type CommittedPlan<Plan> =
  | { readonly ok: true; readonly plan: Plan | null }
  | { readonly ok: false; readonly plan: Plan; readonly failed: ReadonlySet<Tag> };

/**
 * Loads, plans and commits. If a guard fails, the data has changed since it was read, so it loads and plans again. Ends
 * after MAX_TRIES plans in a row without progress. Throws errors of `plan` and of the storage.
 */
export const commitPlanned = async <Item, Plan extends WriteSet>(
  storage: Pick<Storage, 'commit'>,
  allItems: readonly Item[],
  { plan: makePlan, isLost = () => false, open = () => 0 }: Planning<Item, Plan>,
): Promise<CommittedPlan<Plan>> => {
  let items = allItems;
  let leastOpen = Number.POSITIVE_INFINITY;
  let failed: ReadonlySet<Tag> = new Set();
  for (let tries = 1; items.length > 0; tries += 1) {
    const plan = await makePlan(items, failed);
    const committed = plan.writes.length === 0 ? ({ ok: true } as const) : await storage.commit(plan);
    if (committed.ok) return { ok: true, plan };
    const failedGuards = committed.failed;
    const remaining = items.filter((item) => !isLost(item, failedGuards));
    if (remaining.length < items.length || open(plan) < leastOpen) tries = 1;
    else if (tries >= MAX_TRIES) return { ok: false, plan, failed: failedGuards };
    leastOpen = Math.min(leastOpen, open(plan));
    items = remaining;
    failed = failedGuards;
  }
  return { ok: true, plan: null };
};

/** A plan for the first items; `rest`: items left for later commits. */
export type PartPlan<Item> = WriteSet & { readonly rest: readonly Item[] };

/**
 * As `commitPlanned`, in as many commits as the plans need, one after another.
 *
 * @param committed called with each plan that is on disk
 * @returns false if guards kept failing; items that were not committed before are left undone. Throws errors of `plan`
 * and of the storage
 */
export const commitInParts = async <Item, Plan extends PartPlan<Item>>(
  storage: Pick<Storage, 'commit'>,
  allItems: readonly Item[],
  planning: Planning<Item, Plan>,
  committed: (plan: Plan) => void = () => undefined,
): Promise<boolean> => {
  let open = allItems;
  let maxItems = allItems.length;
  while (open.length > 0) {
    const part = open.slice(0, maxItems);
    const { ok, plan } = await commitPlanned(storage, part, planning);
    if (!ok) return false;
    const remaining = plan?.rest ?? [];
    if (plan) committed(plan);
    // The reason for a small commit probably holds for the next one.
    maxItems = remaining.length > 0 ? Math.max(1, part.length - remaining.length) : maxItems * 2;
    open = [...remaining, ...open.slice(part.length)];
    if (open.length > 0) await nextTurn();
  }
  return true;
};
