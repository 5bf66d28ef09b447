import { Command } from 'commander';
import {
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from './command-line.ts';
import { register as backup } from './commands/backup.ts';
import { register as bounceIngest } from './commands/bounce-ingest.ts';
import { register as completion } from './commands/completion.ts';
import { register as create } from './commands/create.ts';
import { register as dashboard } from './commands/dashboard.ts';
import { register as docs } from './commands/docs.ts';
import { register as doctor } from './commands/doctor.ts';
import { register as help } from './commands/help.ts';
import { register as init } from './commands/init.ts';
import { register as migrate } from './commands/migrate.ts';
import { register as providers } from './commands/providers.ts';
import { register as restore } from './commands/restore.ts';
import { register as serve } from './commands/serve.ts';
import { register as version } from './commands/version.ts';
import { register as worker } from './commands/worker.ts';
import { helpConfiguration, usageOf } from './help-text.ts';
import { abTests } from './nouns/ab-tests.ts';
import { admin } from './nouns/admin.ts';
import { ai } from './nouns/ai.ts';
import { analytics } from './nouns/analytics.ts';
import { audiences } from './nouns/audiences.ts';
import { auth } from './nouns/auth.ts';
import { runs, workflows } from './nouns/automation.ts';
import { bundle } from './nouns/bundle.ts';
import { callbacks } from './nouns/callbacks.ts';
import { domains } from './nouns/domains.ts';
import { keys } from './nouns/keys.ts';
import { outbox } from './nouns/outbox.ts';
import { events, profiles } from './nouns/people.ts';
import { geofences, liveActivities } from './nouns/push.ts';
import { secrets } from './nouns/secrets.ts';
import { send } from './nouns/send.ts';
import { sends } from './nouns/sends.ts';
import { settings } from './nouns/settings.ts';
import { suppressions } from './nouns/suppressions.ts';
import { templates } from './nouns/templates.ts';
import { orgs, projects } from './nouns/tenants.ts';
import { types } from './nouns/types.ts';
import { users } from './nouns/users.ts';
import { webhooks } from './nouns/webhooks.ts';
import { adviseOnUnknown } from './unknown-commands.ts';

/** In the order of `--help`. */
const COMMANDS: readonly Register[] = [
  init,
  create,
  serve,
  worker,
  migrate,
  backup,
  restore,
  admin,
  orgs,
  projects,
  keys,
  secrets,
  providers,
  ai,
  settings,
  workflows,
  bundle,
  templates,
  runs,
  events,
  profiles,
  users,
  auth,
  audiences,
  analytics,
  geofences,
  liveActivities,
  send,
  sends,
  abTests,
  domains,
  doctor,
  dashboard,
  outbox,
  suppressions,
  callbacks,
  webhooks,
  bounceIngest,
  types,
  docs,
  completion,
  version,
  help,
];

/** Completes the help of commands that are not in the table, and of groups. */
const completeHelp = (command: Command): void => {
  const isInTable = !command.usage().startsWith('[options]');
  if (!isInTable) command.usage(usageOf(command));
  if (command.commands.length > 0 && command.parent !== null)
    command.helpCommand('help [command]', 'Print help for a command');
  for (const one of command.commands) completeHelp(one);
};

/**
 * The command tree. The parser calls `writeError` and throws CommanderError.
 */
export const buildProgram = (context: Context, writeError: (text: string) => void): Command => {
  const program = new Command('beckon')
    .description('Run and manage Beckon')
    .version(context.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print this help')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(Add --help for arguments and options.)')
    .configureHelp(helpConfiguration)
    .configureOutput({ writeOut: (text) => context.io.stdout.write(text), writeErr: writeError });
  outputOptions(scopeOptions(databaseOptions(program)), ['table', 'json', 'ndjson', 'yaml', 'env']);
  program.addOption(environmentOption());
  program.addHelpText('after', '\nTopics: beckon help exit-codes, beckon help config, beckon help environment');
  for (const register of COMMANDS) register(program, context);
  adviseOnUnknown(program);
  completeHelp(program);
  return program;
};
