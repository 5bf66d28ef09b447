import { nextTurn } from '../../foundation/contained.ts';
import type { Storage } from '../storage.ts';
import { MAX_TRIES, type Tag, type WriteSet } from './write-set.ts';

/** Load and plan: what is read for the items, and the write set that follows from it. */
export type Planning<Item, Plan extends WriteSet> = {
  /**
   * Reads anew each time and writes nothing; a plan without writes is as good as committed. `failed`: the guards that
   * failed in the plan before.
   */
  plan(items: readonly Item[], failed: ReadonlySet<Tag>): Promise<Plan>;
  /** True for an item that is somebody else's by now: it is left out of the next plan. Absent: none ever is. */
  isLost?(item: Item, failed: ReadonlySet<Tag>): boolean;
  /** A number that shrinks where failed guards decided something for good, which counts as getting on. Absent: none. */
  open?(plan: Plan): number;
};

/** `plan` null: every item was lost. Not ok: guards kept failing, those of the last plan as `failed`. */
export type CommittedPlan<Plan> =
  | { readonly ok: true; readonly plan: Plan | null }
  | { readonly ok: false; readonly plan: Plan; readonly failed: ReadonlySet<Tag> };

/**
 * Load, plan, commit: where a guard fails all is loaded and planned again, since somebody else changed what was read. It
 * ends: after MAX_TRIES plans in a row that got nothing done. Throws what `plan` and the storage throw.
 */
export const commitPlanned = async <Item, Plan extends WriteSet>(
  storage: Pick<Storage, 'commit'>,
  given: readonly Item[],
  { plan: makePlan, isLost = () => false, open = () => 0 }: Planning<Item, Plan>,
): Promise<CommittedPlan<Plan>> => {
  let items = given;
  let least = Number.POSITIVE_INFINITY;
  let failed: ReadonlySet<Tag> = new Set();
  for (let tries = 1; items.length > 0; tries += 1) {
    const plan = await makePlan(items, failed);
    const committed = plan.writes.length === 0 ? ({ ok: true } as const) : await storage.commit(plan);
    if (committed.ok) return { ok: true, plan };
    const missed = committed.failed;
    const rest = items.filter((item) => !isLost(item, missed));
    if (rest.length < items.length || open(plan) < least) tries = 1;
    else if (tries >= MAX_TRIES) return { ok: false, plan, failed: missed };
    least = Math.min(least, open(plan));
    items = rest;
    failed = missed;
  }
  return { ok: true, plan: null };
};

/** A plan for the first of the items that it was given; `rest`: those that are left for later commits. */
export type PartPlan<Item> = WriteSet & { readonly rest: readonly Item[] };

/**
 * As `commitPlanned`, in as many commits as the plans say, one after another.
 *
 * @param committed hears of each plan that is on disk
 * @returns false: guards kept failing, and what was not committed before is left undone. Throws what `plan` and the storage
 * throw
 */
export const commitInParts = async <Item, Plan extends PartPlan<Item>>(
  storage: Pick<Storage, 'commit'>,
  given: readonly Item[],
  planning: Planning<Item, Plan>,
  committed: (plan: Plan) => void = () => undefined,
): Promise<boolean> => {
  let open = given;
  let most = given.length;
  while (open.length > 0) {
    const part = open.slice(0, most);
    const { ok, plan } = await commitPlanned(storage, part, planning);
    if (!ok) return false;
    const rest = plan?.rest ?? [];
    if (plan) committed(plan);
    // What made this commit small is likely to be true of the next one.
    most = rest.length > 0 ? Math.max(1, part.length - rest.length) : most * 2;
    open = [...rest, ...open.slice(part.length)];
    if (open.length > 0) await nextTurn();
  }
  return true;
};
