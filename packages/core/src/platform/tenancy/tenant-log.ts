import type { Log } from '../../foundation/log.ts';
import type { Scopes } from './scope-directory.ts';

/**
 * Adds the organization and project to log lines that have the number of a scope. A scope that this process has not
 * cached keeps its number. Throws errors of the log.
 */
export const tenantLog = (log: Log, { known }: Pick<Scopes, 'known'>): Log => {
  const withTenant = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const { scopeId, ...rest } = fields;
    const scope = typeof scopeId === 'number' ? known(scopeId) : undefined;
    return scope ? { ...rest, orgId: scope.orgId, projectId: scope.projectId } : fields;
  };
  return {
    info: (fields, message) => log.info(withTenant(fields), message),
    warn: (fields, message) => log.warn(withTenant(fields), message),
    error: (fields, message) => log.error(withTenant(fields), message),
  };
};
