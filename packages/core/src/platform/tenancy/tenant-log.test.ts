import { describe, expect, it } from 'vitest';
import { testScope } from '../../../test/support/scopes.ts';
import { tenantLog } from './tenant-log.ts';

describe('tenantLog', () => {
  const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
  const lines: unknown[] = [];
  const keep = (fields: unknown, message: string): void => void lines.push([fields, message]);
  const log = tenantLog(
    { info: keep, warn: keep, error: keep },
    { known: (scopeId) => (scopeId === scope.scopeId ? scope : undefined) },
  );

  it('a log line has the organization and project of a cached scope, and otherwise its number', () => {
    log.error({ scopeId: scope.scopeId, code: 'x' }, 'one');
    log.warn({ scopeId: 77, code: 'x' }, 'two');
    log.info({ code: 'x' }, 'three');
    expect(lines).toEqual([
      [{ orgId: 'o', projectId: 'p', code: 'x' }, 'one'],
      [{ scopeId: 77, code: 'x' }, 'two'],
      [{ code: 'x' }, 'three'],
    ]);
  });
});
