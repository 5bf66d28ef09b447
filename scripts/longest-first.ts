import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest test files, by the ends of their paths; started last they would keep one core busy alone. */
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
 * The order of test files without recorded durations: the long ones first, and then project by project, because a
 * worker is only reused for files of the same project. Without it the largest files come first.
 */
// A class because vitest creates it.
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
