import { toneOf } from '../colour.ts';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import type { Config } from '../config.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { EXIT, failureOf } from '../exit-codes.ts';
import { type Column, createOutput } from '../output.ts';
import { described } from '../table/noun.ts';

type DoctorFlags = { readonly fix?: boolean; readonly network?: boolean; readonly strict?: boolean };

const COLUMNS: readonly Column<Finding>[] = [
  ['GROUP', ({ group }) => group],
  ['CHECK', ({ check }) => check],
  ['RESULT', ({ state }) => (state === 'fail' ? 'failed' : state), toneOf],
  ['MESSAGE', ({ message }) => message],
];

/** Checks of the database and its tenants. A database that does not open is a finding, too. */
const storedFindings = async (
  context: Context,
  flags: CommonFlags & DoctorFlags,
  config: Config,
): Promise<readonly Finding[]> => {
  const { io, services } = context;
  const { databaseFindings, serviceFindings } = await import('../doctor/service.ts');
  const { tenantFindings } = await import('../doctor/tenants.ts');
  const { withDatabaseInErrors, withBeckon } = await import('../session.ts');
  try {
    return await withBeckon(context, flags, async (beckon) => [
      finding('secrets', 'data keys', 'ok', 'the master key decrypts them'),
      ...databaseFindings(
        await withDatabaseInErrors(config, io.cwd, () => services.examine({ db: config.db, clock: io })),
      ),
      ...(await serviceFindings(beckon)),
      ...(await tenantFindings(beckon, io.now(), flags.network === true)),
    ]);
  } catch (error) {
    const { code, message, hint } = failureOf(error);
    if (code === 'WRONG_MASTER_KEY') return [finding('secrets', 'data keys', 'fail', message)];
    return [{ group: 'storage', check: 'database', state: 'fail', message: [message, hint].join(' ').trim() }];
  }
};

const findings = async (context: Context, flags: CommonFlags & DoctorFlags): Promise<readonly Finding[]> => {
  const { io, services } = context;
  const { folderFindings, keyFileFindings, keyFindings, modeFindings, runtimeFindings } = await import(
    '../doctor/machine.ts'
  );
  const { networkFindings } = await import('../doctor/network.ts');
  const { sentPlaceholders } = await import('../doctor/placeholders.ts');
  const { loadConfig } = await import('../config.ts');
  const modes = modeFindings(io.cwd, flags.fix === true);
  const runtime = await runtimeFindings(services);
  // The configuration refuses to load while these files are open to others.
  if (modes.some(({ state }) => state === 'fail')) return [...runtime, ...modes];
  const config = loadConfig(io, flags);
  // First, because the database cannot be checked without a usable key.
  const key = await keyFindings(io, config, services);
  const hasKey = key.every(({ state }) => state !== 'fail');
  return [
    ...key,
    ...runtime,
    ...modes,
    ...keyFileFindings(io, flags.fix === true),
    ...folderFindings(config, io.cwd),
    ...(await networkFindings(config, { fetch: services.fetch, now: io.now }, flags.network === true)),
    ...(hasKey
      ? await storedFindings(context, flags, config)
      : [finding('storage', 'database', 'skip', 'not checked: the master key is unusable')]),
    await sentPlaceholders(config, services.fetch),
  ];
};

/** `beckon doctor`: checks the installation and suggests fixes. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      described(program.command('doctor'), 'Check the installation and suggest fixes', '', '--network --strict'),
    ),
    ['table', 'json', 'ndjson', 'yaml'],
  )
    .option('--fix', 'Restrict permissions of files with secrets')
    .option('--network', 'Also check credentials, DNS records and the public URL')
    .option('--strict', 'Exit 1 for warnings too')
    .addHelpText('after', '\nExit codes: 0 no check failed, 1 a check failed')
    .action(
      act<DoctorFlags>(context, async (flags) => {
        const found = await findings(context, flags);
        createOutput(context.io, flags).rows(found, COLUMNS);
        const bad = flags.strict === true ? ['fail', 'warn'] : ['fail'];
        return found.some(({ state }) => bad.includes(state)) ? EXIT.negative : undefined;
      }),
    );
};
