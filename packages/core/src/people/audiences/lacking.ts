import { ENVIRONMENTS, type ProjectScope, type Scope, type ScopeNames } from '../../foundation/scope.ts';
import type { Definitions } from './definitions.ts';

/**
 * Those of the ids of audiences that neither environment of a project has: definitions serve both, and an audience belongs
 * to one.
 */
export const lackingAudiences =
  (definitions: Definitions, scopeOf: (names: ScopeNames) => Promise<Scope>) =>
  async ({ orgId, projectId }: ProjectScope, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if (ids.length === 0) return new Set();
    const scopes = await Promise.all(ENVIRONMENTS.map((environment) => scopeOf({ orgId, projectId, environment })));
    const liveOf = await definitions.load(scopes, true);
    const isThere = (id: string): boolean =>
      scopes.some((scope) => liveOf(scope).byId.has(id) || liveOf(scope).lists.has(id));
    return new Set(ids.filter((id) => !isThere(id)));
  };
