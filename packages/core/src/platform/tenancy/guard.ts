import type { Scopes } from './scope-directory.ts';

const foreignScope = (name: string): TypeError =>
  new TypeError(`${name} needs a scope from tenancy.scope or tenancy.project: an object of the same shape is none`);

/**
 * Wraps public functions whose first argument is a scope, so that they reject, with a TypeError, a scope that tenancy
 * did not create. Throws nothing.
 *
 * @param unscoped functions without a scope
 */
export const guardScopes = <Api extends object>(
  api: Api,
  { isOurs }: Pick<Scopes, 'isOurs'>,
  unscoped: readonly (keyof Api & string)[] = [],
): Api => {
  const unguarded = new Set<string>(unscoped);
  const guarded = Object.entries(api).map(([name, call]) => {
    if (typeof call !== 'function' || unguarded.has(name)) return [name, call] as const;
    const checked = (scope: unknown, ...rest: unknown[]): unknown =>
      isOurs(scope) ? call(scope, ...rest) : Promise.reject(foreignScope(name));
    return [name, checked] as const;
  });
  // Safe: each function returns what the original does, and any of them may reject.
  return Object.fromEntries(guarded) as Api;
};
