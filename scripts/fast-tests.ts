import { globSync } from 'node:fs';

/** Tests that start servers or processes, or take more than two CPU seconds each. `npm test` runs them. */
const SLOW = [
  '**/transports/**',
  '**/cli/src/commands/{automation,backup,settings,templates}.test.ts',
  '**/http/src/{node,listen,listen-metrics}.test.ts',
  '**/http/src/openapi/{operations.db,document}.test.ts',
  '**/http/src/{hostile,canary,tenants}.db.test.ts',
  '**/http/src/pipeline/body.test.ts',
  '**/analytics/counts.test.ts',
  '**/sms/segments.billed.test.ts',
  '**/workflows/bundle.test.ts',
  '**/email/{html-tags,tracking.db}.test.ts',
  '**/events/{history,raised,catalog}.db.test.ts',
  '**/events/footprint.test.ts',
  '**/events/people/people.db.test.ts',
  '**/core/src/app/statements.db.test.ts',
  '**/audiences/matching/matching.db.test.ts',
  '**/runs/{adoption,simulator,control,outcomes}.db.test.ts',
  '**/runs/steps/send.db.test.ts',
  '**/audiences/predicate/store.db.test.ts',
  '**/workflows/definitions.db.test.ts',
  '**/erasure.db.test.ts',
  '**/database/storage.db.test.ts',
  '**/database/sqlite/readers.test.ts',
  '**/deliver/fallback.db.test.ts',
  '**/expand/fan-out.db.test.ts',
  '**/ai/ai-action.db.test.ts',
  '**/webhooks/{webhooks,webhook-step}.db.test.ts',
  '**/app/backup.db.test.ts',
  'scripts/{mutations,sdk-*,architecture,lint}.test.ts',
];

/** The files of `npm run test:fast`: units and SQLite. Measured together: below 120 CPU seconds. */
export const fastTests = (): string[] =>
  globSync(['packages/*/src/**/*.test.ts', 'scripts/*.test.ts'], { exclude: SLOW }).filter(
    (file) => !file.endsWith('.postgres.test.ts'),
  );
