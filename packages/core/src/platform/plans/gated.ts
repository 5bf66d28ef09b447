import { isBeckonError } from '../../foundation/errors.ts';
import type { Gate } from './plan.ts';
import type { RequirePlan } from './plans.ts';

type Call<Answer> = (scope: { readonly orgId: string }, ...rest: never[]) => Promise<Answer>;

/** What is wrong with what a call was given, before anything is looked up: throws VALIDATION_ERROR. */
export type Checks<Api> = {
  readonly [Name in keyof Api]?: Api[Name] extends (...args: infer Args) => unknown
    ? (...args: Args) => unknown
    : never;
};

/**
 * A group of public functions that are of a plan. Only what would be done is refused: of whoever lacks the plan a call
 * that is wrong in itself is answered as it is to everybody. Throws nothing.
 *
 * @param checks of those functions that are given more than ids
 */
export const gated = <Api extends object>(
  require: RequirePlan,
  gate: Gate,
  api: Api,
  checks: Checks<NoInfer<Api>> = {},
): Api => {
  const calls = Object.entries(api).map(([name, call]: [string, Call<unknown>]) => {
    // Safe: a check takes what its function takes.
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
  // Safe: each function answers as the one under its name, and a rejection is an answer of any of them.
  return Object.fromEntries(calls) as Api;
};
