/* What the checks of the recipes share: a report, and packages of npm that only they need. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file of examples/deploy. */
export const recipe = (name: string): string => readFileSync(join(root, 'examples/deploy', name), 'utf8');

export const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Prints one line per check, and counts those that failed. */
export const reporter = () => {
  let failures = 0;
  return {
    report: (name: string, expected: unknown, got: unknown): void => {
      const isRight = JSON.stringify(expected) === JSON.stringify(got);
      if (!isRight) failures += 1;
      console.log(
        `recipe ${name}: ${isRight ? 'ok' : `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`}`,
      );
    },
    failures: (): number => failures,
  };
};
export type Report = ReturnType<typeof reporter>['report'];

/** Kubernetes' types made from its OpenAPI description, and a linter. 26 MB: not part of the checkout. */
const PACKAGES = ['kubernetes-models@5.1.0', 'dockerfile-utils@0.16.3'];

/** Installs the packages into a folder; returns `require` from there, or null if they cannot be installed. */
export const installTools = (folder: string): NodeJS.Require | null => {
  const flags = ['--prefix', folder, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, ...PACKAGES], { encoding: 'utf8' });
  if (status === 0) return createRequire(join(folder, 'package.json'));
  console.log(`recipe tools: not tried, npm cannot install ${PACKAGES.join(' and ')}: ${stderr.split('\n')[0]}`);
  return null;
};
