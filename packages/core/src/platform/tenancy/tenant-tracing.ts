import type { Tracing } from '../../foundation/telemetry.ts';
import type { Scopes } from './scope-directory.ts';

/**
 * Adds the organization, project and environment to spans that have a scope. A scope that this process has not cached
 * adds nothing.
 */
export const tenantTracing = (tracing: Tracing, { known }: Pick<Scopes, 'known'>): Tracing => ({
  ...tracing,
  trace: (name, options, work) => {
    const scope = options.scope && known(options.scope.scopeId);
    if (scope === undefined) return tracing.trace(name, options, work);
    const { orgId, projectId, environment } = scope;
    const tenant = { 'beckon.org_id': orgId, 'beckon.project_id': projectId, 'beckon.environment': environment };
    return tracing.trace(name, { ...options, attributes: { ...tenant, ...options.attributes } }, work);
  },
});
