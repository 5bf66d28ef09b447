import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest or wait most, by where their paths end; begun last they would keep one core alone. */
const LONG = [
  '/test/kill/kill-9.test.ts',
  '/runs/simulator.db.test.ts',
  '/openapi/operations.db.test.ts',
  '/test/serve.test.ts',
  '/test/delivery.test.ts',
  '/app/backup.db.test.ts',
  '/host-transaction.postgres.test.ts',
  '/test/bundle.test.ts',
  '/test/backup.test.ts',
];

/**
 * The order of files without durations of an earlier run, by which vitest knows better: the long ones first, and then project
 * by project, since a worker is only kept for files of the same one. Without it the largest files come first.
 */
// A class since vitest makes it.
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((end) => moduleId.endsWith(end));
      return place < 0 ? LONG.length : place;
    };
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...byProject.values()].flat().toSorted((one, other) => rank(one) - rank(other));
  }
}
