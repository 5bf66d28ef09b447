import type { Gate, Plan } from './plan.ts';

/** What orgs may do, by their plans. A plan is in force everywhere within 10 s. */
export type PlansApi = {
  /** From the least on. Those of the option `plans`, or of the service, and `unlimited`, which opens everything. */
  list(): readonly Plan[];
  /** Of an org; `unlimited` of whoever was given none. Throws NOT_FOUND for an org that there is not. */
  of(orgId: string): Promise<Plan>;
  /** Throws VALIDATION_ERROR for a name that no plan has, NOT_FOUND as `of`. */
  set(orgId: string, plan: string): Promise<Plan>;
  /**
   * Events that an org had in a UTC month such as `2026-03`, those of the service's own left out. Throws VALIDATION_ERROR for
   * another form of month.
   */
  usageOf(orgId: string, month: string): Promise<number>;
  /** Throws `tier_required`, with `details.requiredPlan`, unless the plan of the org opens the gate. */
  require(of: { readonly orgId: string }, gate: Gate): Promise<void>;
};
