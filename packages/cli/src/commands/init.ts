import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Beckon } from '@beckon/core';
import { act, type CommonFlags, type Context, databaseOptions, outputOptions, type Register } from '../command-line.ts';
import type { Config } from '../config.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import { described } from '../table/noun.ts';
import { createTenant, DEFAULT_ORG, DEFAULT_PROJECT, keyAssignments, keyLines, type Tenant } from '../tenant.ts';

type InitFlags = { readonly printKeys?: boolean };

const KEY_VARIABLE = 'BECKON_MASTER_KEY';

const alreadySetUp = (what: string): CliError =>
  new CliError(EXIT.conflict, `Beckon is already set up here: ${what}. Nothing was changed.`, {
    hint: 'Start it with "beckon serve". Create more keys with "beckon keys create".',
  });

/** `init` keeps an existing configuration file, so it rejects flags that the file would override at the next start. */
const rejectFlags = (cwd: string, configFile: string, flags: CommonFlags): void => {
  const hasFlag = [flags.db, flags.dataDir, flags.publicUrl].some((flag) => flag !== undefined);
  if (hasFlag && existsSync(configFile))
    throw alreadySetUp(`${relative(cwd, configFile)} exists and names the database`);
};

/** Rejects a database of another version instead of migrating it. A migrated, empty database is accepted. */
const rejectOldSchema = async ({ services }: Context, { db, isPathTrusted }: Config): Promise<void> => {
  const schema = await services.schema({ db, trustPath: isPathTrusted });
  try {
    const { applied, pending, isNewer } = await schema.state();
    if (isNewer || (applied > 0 && pending.length > 0)) throw alreadySetUp('the database belongs to another version');
  } finally {
    await schema.close();
  }
};

const hasPassword = (db: string): boolean => {
  const url = db.startsWith('sqlite:') ? null : URL.parse(db);
  return url !== null && (url.password !== '' || url.searchParams.has('password'));
};

/** Writes the files of the next start; returns a function that undoes it. */
const writeFiles = (
  cwd: string,
  configFile: string,
  settings: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): (() => void) => {
  const env = join(cwd, '.env');
  const before = existsSync(env) ? readFileSync(env, 'utf8') : null;
  const isNew = !existsSync(configFile);
  if (isNew) writeFileSync(configFile, `${JSON.stringify(settings, null, 2)}\n`, { flag: 'wx', mode: 0o644 });
  if (secrets.length > 0) {
    const gap = before === null || before === '' || before.endsWith('\n') ? '' : '\n';
    // An existing .env keeps its lines and becomes readable by its owner only.
    appendFileSync(env, `${gap}${secrets.join('\n')}\n`, { mode: 0o600 });
    chmodSync(env, 0o600);
  }
  return () => {
    if (isNew) rmSync(configFile, { force: true });
    if (before === null) rmSync(env, { force: true });
    else writeFileSync(env, before);
  };
};

const makeTenant = async (
  beckon: Beckon,
  names: { readonly org: string; readonly project: string },
  write: () => () => void,
): Promise<Tenant> => {
  try {
    // Files alone are not a deployment: keys need a project.
    if ((await beckon.tenancy.listProjects({ limit: 1 })).data.length > 0)
      throw alreadySetUp('the database has a project');
    const [org] = (await beckon.tenancy.listOrgs({ limit: 1 })).data;
    const undo = write();
    return await createTenant(beckon, names, org).catch((error: unknown) => {
      undo();
      throw error;
    });
  } finally {
    await beckon.close();
  }
};

const init = async (context: Context, flags: CommonFlags & InitFlags): Promise<undefined> => {
  const { io, services } = context;
  const { CONFIG_FILE, loadConfig, shownDb } = await import('../config.ts');
  const { makeDataDir, openBeckon, withDatabaseInErrors, requireMasterKey } = await import('../session.ts');
  const configFile = join(io.cwd, CONFIG_FILE);
  const hadConfig = existsSync(configFile);
  const config = loadConfig(io, flags, 'fresh');
  rejectFlags(io.cwd, configFile, flags);

  // Checked first, because an invalid key would leave an empty database behind.
  if (config.masterKey !== undefined) await requireMasterKey(context, config);
  const newKey = config.masterKey === undefined ? await services.newMasterKey() : undefined;
  makeDataDir(config, io);
  await withDatabaseInErrors(config, io.cwd, () => rejectOldSchema(context, config));
  const opening = openBeckon(context, { ...config, masterKey: config.masterKey ?? newKey }, 'auto');
  const beckon = await opening.catch((error: unknown) => {
    const hasOtherKey = newKey !== undefined && error instanceof Error && error.name === 'WrongMasterKey';
    throw hasOtherKey ? alreadySetUp(`the database has a master key, and ${KEY_VARIABLE} is not set`) : error;
  });
  const isSecretDb = hasPassword(config.db);
  const settings = {
    dataDir: `./${relative(io.cwd, config.dataDir)}`,
    ...(flags.db === undefined || isSecretDb ? {} : { db: flags.db }),
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
    env: 'test',
  };
  const secrets = [
    ...(newKey === undefined ? [] : [`${KEY_VARIABLE}=${newKey}`]),
    ...(flags.db !== undefined && isSecretDb ? [`BECKON_DB=${config.db}`] : []),
  ];
  const names = { org: flags.org ?? DEFAULT_ORG, project: flags.project ?? DEFAULT_PROJECT };
  const { org, project, keys } = await makeTenant(beckon, names, () =>
    writeFiles(io.cwd, configFile, settings, secrets),
  );

  const output = createOutput(io, flags);
  const lines = [
    `Created ${shownDb(config.db, io.cwd)}: organization ${org.name} (${org.id}), project ${project.name} (${project.id}).`,
    'API keys, shown only once:',
    ...keyLines(keys),
  ];
  output.answer({ org, project, keys }, flags.printKeys === true ? keyAssignments(keys) : lines);
  const wrote = [
    ...(hadConfig ? [] : [CONFIG_FILE]),
    ...(secrets.length > 0 ? ['.env (keep it out of version control)'] : []),
  ];
  output.note(`${wrote.length > 0 ? `Wrote ${wrote.join(' and ')}. ` : ''}Next: beckon serve`);
  return undefined;
};

/** `beckon init`: creates what a deployment needs before its first start. Throws CliError conflict when repeated. */
export const register: Register = (program, context) => {
  outputOptions(
    databaseOptions(
      described(program.command('init'), 'Set up Beckon in this folder', '', '--public-url https://push.example.com'),
    )
      .option('--public-url <url>', 'Public address of the server')
      .option('--org <name>', `Name of the first organization (default: "${DEFAULT_ORG}")`)
      .option('--project <name>', `Name of the first project (default: "${DEFAULT_PROJECT}")`)
      .option('--print-keys', 'Print only the keys, as NAME=value lines'),
  ).action(act<InitFlags>(context, (flags) => init(context, flags)));
};
