import type { Scopes } from './scope-directory.ts';

const madeUp = (name: string): TypeError =>
  new TypeError(`${name} needs a scope from tenancy.scope or tenancy.project: an object of the same shape is none`);

/**
 * A group of public functions that take a scope first, and reject with a TypeError any that tenancy did not hand out:
 * its rows would be nobody's. Throws nothing.
 *
 * @param unscoped functions of the group that take no scope
 */
export const guardScopes = <Api extends object>(
  api: Api,
  { isOurs }: Pick<Scopes, 'isOurs'>,
  unscoped: readonly (keyof Api & string)[] = [],
): Api => {
  const free = new Set<string>(unscoped);
  const guarded = Object.entries(api).map(([name, call]) => {
    if (typeof call !== 'function' || free.has(name)) return [name, call] as const;
    const checked = (scope: unknown, ...rest: unknown[]): unknown =>
      isOurs(scope) ? call(scope, ...rest) : Promise.reject(madeUp(name));
    return [name, checked] as const;
  });
  // Safe: each function answers as the one under its name, and a rejection is an answer of any of them.
  return Object.fromEntries(guarded) as Api;
};
