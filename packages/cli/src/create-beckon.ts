// The program of the package `create-beckon`, which `npm create beckon DIR` runs. It has no dependencies, so that nothing
// else is downloaded for it.

import { parseArgs } from 'node:util';
import { CliError } from './exit-codes.ts';
import { FRAMEWORKS, nextSteps, startersFolder, writeStarter } from './starter.ts';
import { programVersion } from './version.ts';

const USAGE = `Usage: npm create beckon FOLDER -- [--framework ${FRAMEWORKS.join('|')}]\n`;

const create = (args: readonly string[]): number => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { framework: { type: 'string', default: FRAMEWORKS[0] }, help: { type: 'boolean', short: 'h' } },
  });
  const framework = FRAMEWORKS.find((one) => one === values.framework);
  const [folder] = positionals;
  if (values.help || folder === undefined || positionals.length > 1 || framework === undefined) {
    (values.help ? process.stdout : process.stderr).write(USAGE);
    return values.help ? 0 : 2;
  }
  const version = programVersion();
  const written = writeStarter({ cwd: process.cwd(), folder, framework, version, starters: startersFolder() });
  process.stdout.write(
    `Created ${written.folder}. Next:\n${nextSteps(folder)
      .map((line) => `  ${line}\n`)
      .join('')}`,
  );
  return 0;
};

try {
  process.exitCode = create(process.argv.slice(2));
} catch (error) {
  // Unknown options are a TypeError of parseArgs, with a message for users.
  if (!(error instanceof CliError) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof CliError ? `${error.hint}\n` : USAGE}`);
  process.exitCode = error instanceof CliError ? error.exitCode : 2;
}
