/*
 * The last words of .ci/run: node scripts/ci-summary.mjs <counts file> [name of a failed step ...]
 * Names what failed, prints `N passed, N failed, N skipped` over all test runs, and ends with 1 when anything failed or
 * did not run.
 */
import { existsSync, readFileSync } from 'node:fs';

const PROJECTS = ['unit', 'contract-sqlite', 'contract-postgres', 'e2e', 'faults'];
const [file = '', ...failedSteps] = process.argv.slice(2);
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : [];
const counts = lines.map((line) => JSON.parse(line));
const sum = (key) => counts.reduce((total, one) => total + one[key], 0);

const silent = PROJECTS.filter((name) => !counts.some((one) => one.project === name && one.passed + one.failed > 0));
for (const { project, failures } of counts) for (const name of failures) console.log(`Failed test: ${project} ${name}`);
for (const name of silent) console.log(`No test of the project ${name} ran.`);
if (failedSteps.length > 0) console.log(`Failed steps: ${failedSteps.join(', ')}`);

// A failed step that is not a test counts as well: the line never says "0 failed" when something did.
const failed = Math.max(sum('failed'), failedSteps.length + silent.length);
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
