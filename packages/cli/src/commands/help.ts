import { Argument, type Command } from 'commander';
import { act, type CommonFlags, type Context, outputOptions, type Register } from '../command-line.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type Column, createOutput } from '../output.ts';
import { described } from '../table/noun.ts';
import { rejectUnknown } from '../unknown-commands.ts';

/** Topics of `beckon help` that are not commands. */
const HELP_TOPICS = ['exit-codes', 'config', 'environment'] as const;
type Topic = (typeof HELP_TOPICS)[number];

type Variable = { readonly variable: string; readonly meaning: string };

const EXIT_COLUMNS: readonly Column<(typeof EXIT_CODES)[number]>[] = [
  ['CODE', ({ code }) => code],
  ['MEANING', ({ meaning }) => meaning],
];
const KEY_COLUMNS: readonly Column<{ readonly key: string; readonly variable: string }>[] = [
  ['KEY', ({ key }) => key],
  ['VARIABLE', ({ variable }) => variable],
];
const VARIABLE_COLUMNS: readonly Column<Variable>[] = [
  ['VARIABLE', ({ variable }) => variable],
  ['MEANING', ({ meaning }) => meaning],
];

/** Variables that set no key of the configuration. */
const OTHER_VARIABLES: readonly Variable[] = [
  { variable: 'BECKON_API_KEY', meaning: 'secret key for --url without --api-key-file' },
  { variable: 'NO_COLOR', meaning: 'turns colours off if set' },
  { variable: 'FORCE_COLOR', meaning: 'turns colours on without a terminal' },
];

const ORDER =
  'The first source wins: flag, variable, file named by the variable with _FILE appended, .env, beckon.config.json, default.';

const topic = async (context: Context, flags: CommonFlags, name: Topic): Promise<undefined> => {
  const output = createOutput(context.io, flags);
  if (name === 'exit-codes') {
    output.rows(EXIT_CODES, EXIT_COLUMNS);
    return undefined;
  }
  const { KEYS, variableOf } = await import('../settings.ts');
  const keys = KEYS.map((key) => ({ key, variable: variableOf(key) }));
  if (name === 'config') output.rows(keys, KEY_COLUMNS);
  else
    output.rows(
      [...keys.map(({ key, variable }) => ({ variable, meaning: `configuration key ${key}` })), ...OTHER_VARIABLES],
      VARIABLE_COLUMNS,
    );
  output.note(ORDER);
  return undefined;
};

/** The command of these words. Ends the run with a usage error if there is none. */
const commandOf = (program: Command, words: readonly string[]): Command =>
  words.reduce((group, word) => {
    const found = group.commands.find((one) => one.name() === word || one.aliases().includes(word));
    return found ?? rejectUnknown(group, word);
  }, program);

/** `beckon help [command...|topic]`: the output of `--help`, and tables of exit codes and configuration. */
export const register: Register = (program, context) => {
  program.helpCommand(false);
  outputOptions(
    described(program.command('help'), 'Show help for a command or a topic', 'sends explain', 'exit-codes'),
    ['table', 'json', 'ndjson', 'yaml'],
  )
    .addArgument(new Argument('[command...]', `A command, or a topic: ${HELP_TOPICS.join(', ')}`))
    .action(
      act(context, async (flags, words) => {
        const [word] = words;
        const requested = words.length === 1 ? HELP_TOPICS.find((one) => one === word) : undefined;
        if (requested !== undefined) return topic(context, flags, requested);
        commandOf(program, words).outputHelp();
        return undefined;
      }),
    );
};
