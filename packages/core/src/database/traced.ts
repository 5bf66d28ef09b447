import type { Tracing } from '../foundation/telemetry.ts';
import type { Storage } from './storage.ts';

/** Names of the databases in OpenTelemetry. Source: semantic conventions, Database. */
const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

/** Wraps a storage to make a span of each commit. */
export const traced = (storage: Storage, tracing: Tracing): Storage => ({
  ...storage,
  commit: (plan) => {
    const attributes = {
      'db.system.name': SYSTEMS[storage.dialect.name],
      'db.operation.name': 'COMMIT',
      'beckon.commit.rows': plan.writes.length,
    };
    return tracing.trace('COMMIT', { kind: 'client', attributes }, async (span) => {
      const committed = await storage.commit(plan);
      // The caller plans again: a failed guard is no error.
      if (!committed.ok) span.add({ 'beckon.commit.failed_guards': committed.failed.size });
      return committed;
    });
  },
});
