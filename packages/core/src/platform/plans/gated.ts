import { isBeckonError } from '../../foundation/errors.ts';
import type { Gate } from './plan.ts';
import type { RequirePlan } from './plans.ts';

type Call<Answer> = (scope: { readonly orgId: string }, ...rest: never[]) => Promise<Answer>;

/** Checks of a call's input before any read: throws VALIDATION_ERROR. */
export type Checks<Api> = {
  readonly [Name in keyof Api]?: Api[Name] extends (...args: infer Args) => unknown
    ? (...args: Args) => unknown
    : never;
};

/**
 * Wraps public functions that a plan must include. Invalid input is reported first: without the plan, an invalid call
 * gets the same error as with it. Throws nothing.
 *
 * @param checks for functions with more input than ids
 */
export const gated = <Api extends object>(
  require: RequirePlan,
  gate: Gate,
  api: Api,
  checks: Checks<NoInfer<Api>> = {},
): Api => {
  const calls = Object.entries(api).map(([name, call]: [string, Call<unknown>]) => {
    // Safe: a check has the parameters of its function.
    const check = Reflect.get(checks, name) as Call<unknown> | undefined;
    const checked: Call<unknown> = async (scope, ...rest) => {
      try {
        await require(scope, gate);
      } catch (error) {
        if (isBeckonError(error, 'tier_required')) await check?.(scope, ...rest);
        throw error;
      }
      return call(scope, ...rest);
    };
    return [name, checked] as const;
  });
  // Safe: each function returns what the original does, and any of them may reject.
  return Object.fromEntries(calls) as Api;
};
