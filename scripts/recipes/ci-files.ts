/* Runs the shell scripts of examples/ci as a runner does, with this checkout's program, against a server. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { type Report, recipe, root } from './tools.ts';

type Action = { readonly runs: { readonly steps: readonly { readonly run: string }[] } };
type Job = { readonly script?: readonly string[]; readonly variables?: Readonly<Record<string, string>> };

const PROGRAM = join(root, 'packages/cli/bin/beckon.js');
/** Programs of a runner: `npx @beckon/cli` and an installed `beckon`, both of this checkout. */
const PROGRAMS = {
  npx: `[ "$2" = "@beckon/cli@latest" ] || exit 99\nshift 2\nexec "${process.execPath}" "${PROGRAM}" "$@"`,
  beckon: `exec "${process.execPath}" "${PROGRAM}" "$@"`,
};

/** A repository with the workflow of the starter and one template. */
const makeRepository = (folder: string): void => {
  cpSync(join(root, 'packages/cli/starter/shared/workflows'), join(folder, 'workflows'), { recursive: true });
  const template = join(folder, 'templates/email/welcome');
  mkdirSync(template, { recursive: true });
  writeFileSync(join(template, 'template.json'), JSON.stringify({ name: 'Welcome', subject: 'Hello' }));
  writeFileSync(join(template, 'body.txt'), 'Hello\n');
};

/** @param server a running server and a secret key of it */
export const tryCiFiles = (
  report: Report,
  folder: string,
  server: { readonly url: string; readonly key: string },
): void => {
  const repository = join(folder, 'repository');
  const programs = join(folder, 'programs');
  makeRepository(repository);
  mkdirSync(programs);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const runScript = (script: string, env: Readonly<Record<string, string>>): string => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: repository,
      encoding: 'utf8',
      input: '',
      env: { HOME: folder, PATH: `${programs}${delimiter}${process.env['PATH']}`, ...env },
    });
    return status === 0 ? 'ok' : `status ${status}: ${stderr}${stdout}`;
  };
  const patterns = { BUNDLES: 'workflows/*.bundle.json', TESTS: 'workflows/*.test.json', TEMPLATES: 'templates' };
  const push = { SERVER_URL: server.url, BECKON_API_KEY: server.key };

  const action: Action = parseYaml(recipe('../ci/action.yml'));
  const [step] = action.runs.steps;
  const github = (env: Readonly<Record<string, string>>): string =>
    runScript(step?.run ?? 'exit 98', { ...patterns, VERSION: 'latest', SERVER_URL: '', BECKON_API_KEY: '', ...env });
  report('GitHub action checks without a server', 'ok', github({}));
  report('GitHub action pushes', 'ok', github(push));
  report('GitHub action pushes again without changes', 'ok', github(push));

  const gitlab: Readonly<Record<string, Job>> = parseYaml(recipe('../ci/gitlab.yml'));
  for (const [job, env] of [
    ['beckon:check', patterns],
    ['beckon:push', { ...patterns, ...push }],
  ] as const)
    report(`GitLab job ${job}`, 'ok', runScript(['set -e', ...(gitlab[job]?.script ?? ['exit 98'])].join('\n'), env));

  const list = (noun: string): string =>
    runScript(`beckon ${noun} list --url "$SERVER_URL" --json | grep -q '"name":"Welcome"'`, push);
  report('the server has the workflow and the template', ['ok', 'ok'], [list('workflows'), list('templates')]);

  writeFileSync(join(repository, 'workflows/broken.bundle.json'), '{"version":1}');
  report('GitHub action refuses a broken bundle', false, github({}) === 'ok');
};
