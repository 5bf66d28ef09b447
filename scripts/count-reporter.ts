import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Tests of one project in one run. `failed` includes files that could not be loaded; `failures` are their names. */
type Counts = { project: string; passed: number; failed: number; skipped: number; failures: string[] };

/** Adds up the results of a run per project, in the order of projects. Throws nothing. */
const countTests = (modules: readonly TestModule[]): Counts[] => {
  const counts = new Map<string, Counts>();
  for (const module of modules) {
    const project = module.project.name;
    const sum = counts.get(project) ?? { project, passed: 0, failed: 0, skipped: 0, failures: [] };
    counts.set(project, sum);
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // An interrupted run leaves tests pending.
      const end = state === 'pending' ? 'failed' : state;
      sum[end] += 1;
      if (end === 'failed') sum.failures.push(`${module.relativeModuleId} > ${test.fullName}`);
    }
    if (module.errors().length > 0) {
      sum.failed += 1;
      sum.failures.push(module.relativeModuleId);
    }
  }
  return [...counts.values()];
};

/** A reporter that adds one line of JSON per project and run to `file`, which `.ci/run` sums up. */
export const countReporter = (file: string): Reporter => ({
  onTestRunEnd(modules) {
    for (const counts of countTests(modules)) appendFileSync(file, `${JSON.stringify(counts)}\n`);
  },
});
