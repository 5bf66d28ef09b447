import type { Log } from '../../foundation/log.ts';
import type { Scopes } from './scope-directory.ts';

/**
 * A log whose lines name the org of what they tell of: engines know rows, and those have the number of their scope. One
 * that this process has not looked up yet is told by its number. Throws what the log throws.
 */
export const tenantLog = (log: Log, { known }: Pick<Scopes, 'known'>): Log => {
  const told = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const { scopeId, ...rest } = fields;
    const scope = typeof scopeId === 'number' ? known(scopeId) : undefined;
    return scope ? { ...rest, orgId: scope.orgId, projectId: scope.projectId } : fields;
  };
  return {
    info: (fields, message) => log.info(told(fields), message),
    warn: (fields, message) => log.warn(told(fields), message),
    error: (fields, message) => log.error(told(fields), message),
  };
};
