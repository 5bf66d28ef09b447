import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Tests of one project in one run. `failed` includes files that could not be loaded. */
type Counts = { project: string; passed: number; failed: number; skipped: number };

/** Adds up the results of a run per project, in the order in which projects appear. Throws nothing. */
const countTests = (modules: readonly TestModule[]): Counts[] => {
  const counts = new Map<string, Counts>();
  for (const module of modules) {
    const project = module.project.name;
    const sum = counts.get(project) ?? { project, passed: 0, failed: 0, skipped: 0 };
    counts.set(project, sum);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // Pending is what a run that was cut short leaves behind.
      sum[state === 'pending' ? 'failed' : state] += 1;
    }
    if (module.errors().length > 0) sum.failed += 1;
  }
  return [...counts.values()];
};

/** A reporter that adds one line of JSON per project and run to `file`, for `.ci/run` to sum up. */
export const countReporter = (file: string): Reporter => ({
  onTestRunEnd(modules) {
    for (const counts of countTests(modules)) appendFileSync(file, `${JSON.stringify(counts)}\n`);
  },
});
