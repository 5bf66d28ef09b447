import type { WholeList } from '../../foundation/page.ts';
import type { Gate, Plan } from './plan.ts';

/** Plans of organizations. A change takes effect everywhere within 10 s. */
export type PlansApi = {
  /**
   * All plans from the lowest: those of the option `plans` or the defaults, and `unlimited`, which includes everything.
   */
  list(): WholeList<Plan>;
  /** The plan of an organization; `unlimited` if none was set. Throws NOT_FOUND for an unknown organization. */
  of(orgId: string): Promise<Plan>;
  /** Throws VALIDATION_ERROR for an unknown plan, NOT_FOUND as `of`. */
  set(orgId: string, plan: string): Promise<Plan>;
  /**
   * Events of an organization in a UTC month such as `2026-03`, without the service's own events. Throws
   * VALIDATION_ERROR for another format of month.
   */
  usageOf(orgId: string, month: string): Promise<number>;
  /** Throws `tier_required`, with `details.requiredPlan`, unless the organization's plan includes the gate. */
  require(of: { readonly orgId: string }, gate: Gate): Promise<void>;
};
