import { Command } from 'commander';
import {
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from './command-line.ts';
import { register as abTests } from './commands/ab-tests.ts';
import { register as ai } from './commands/ai.ts';
import { register as analytics } from './commands/analytics.ts';
import { register as audiences } from './commands/audiences.ts';
import { register as backup } from './commands/backup.ts';
import { register as bounceIngest } from './commands/bounce-ingest.ts';
import { register as bundle } from './commands/bundle.ts';
import { register as callbacks } from './commands/callbacks.ts';
import { register as completion } from './commands/completion.ts';
import { register as dashboard } from './commands/dashboard.ts';
import { register as docs } from './commands/docs.ts';
import { register as doctor } from './commands/doctor.ts';
import { register as events } from './commands/events.ts';
import { register as help } from './commands/help.ts';
import { register as init } from './commands/init.ts';
import { register as keys } from './commands/keys.ts';
import { register as migrate } from './commands/migrate.ts';
import { register as outbox } from './commands/outbox.ts';
import { register as profiles } from './commands/profiles.ts';
import { register as providers } from './commands/providers.ts';
import { register as restore } from './commands/restore.ts';
import { register as runs } from './commands/runs.ts';
import { register as send } from './commands/send.ts';
import { register as sends } from './commands/sends.ts';
import { register as serve } from './commands/serve.ts';
import { register as settings } from './commands/settings.ts';
import { register as suppressions } from './commands/suppressions.ts';
import { register as templates } from './commands/templates.ts';
import { register as types } from './commands/types.ts';
import { register as version } from './commands/version.ts';
import { register as webhooks } from './commands/webhooks.ts';
import { register as worker } from './commands/worker.ts';
import { register as workflows } from './commands/workflows.ts';
import { helpConfiguration } from './help-text.ts';
import { domains } from './nouns/domains.ts';
import { geofences, liveActivities } from './nouns/push.ts';
import { secrets } from './nouns/secrets.ts';
import { orgs, projects } from './nouns/tenants.ts';
import { adviseOnUnknown } from './unknown-commands.ts';

/** In the order in which `--help` shows them. */
const COMMANDS: readonly Register[] = [
  init,
  serve,
  worker,
  migrate,
  backup,
  restore,
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

/**
 * The whole command tree. Errors of its parser are thrown as CommanderError after `writeError` was told about them.
 */
export const buildProgram = (context: Context, writeError: (text: string) => void): Command => {
  const program = new Command('beckon')
    .description('Run, operate and inspect a Beckon: events, profiles, workflows and messages.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(add --help for what it takes)')
    .configureHelp(helpConfiguration)
    .configureOutput({ writeOut: (text) => context.io.stdout.write(text), writeErr: writeError });
  outputOptions(scopeOptions(databaseOptions(program)), ['table', 'json', 'ndjson', 'yaml', 'env']);
  program.addOption(environmentOption());
  program.addHelpText('after', '\nTables: beckon help exit-codes, beckon help config, beckon help environment');
  for (const register of COMMANDS) register(program, context);
  adviseOnUnknown(program);
  return program;
};
