/* The CLI reference as Markdown, generated from the command tree. */
import { processIo } from '../packages/cli/src/process-io.ts';
import { buildProgram } from '../packages/cli/src/program.ts';
import { services } from '../packages/cli/src/services.ts';
import { programVersion } from '../packages/cli/src/version.ts';

/** A command, with the program's copy of commander. */
export type Command = ReturnType<typeof buildProgram>;

/** The command tree, without running anything. */
export const programTree = (): Command =>
  buildProgram(
    { io: processIo(), services, version: programVersion(), exitCode: 0, failureCode: 1, place: null },
    () => undefined,
  );

const cell = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;').replaceAll('|', '\\|');

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : '') + command.name();

const optionsOf = (command: Command): string => {
  const args = command.registeredArguments.map((one) => `| \`${one.name()}\` | ${cell(one.description)} |`);
  const options = command.options
    .filter((one) => !one.hidden)
    .map(({ flags, description, argChoices, defaultValue, defaultValueDescription = defaultValue }) => {
      const choices = argChoices ? ` (${argChoices.map((one) => `\`${one}\``).join(', ')})` : '';
      const usual = typeof defaultValueDescription === 'string' ? ` (default: \`${defaultValueDescription}\`)` : '';
      return `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)}${choices}${usual} |`;
    });
  if (args.length + options.length === 0) return '';
  return ['| option | |', '|---|---|', ...args, ...options, ''].join('\n');
};

const commandText = (command: Command): string => {
  const own = command.parent
    ? [
        `${command.parent.parent ? '###' : '##'} ${pathOf(command)}\n`,
        `${cell(command.description())}\n`,
        `\`\`\`text\n${pathOf(command)} ${command.usage()}\n\`\`\`\n`,
      ]
    : ['# Command line\n', `${cell(command.description())}\n`, 'Global options:\n'];
  const shown = command.commands.filter((one) => !one.name().startsWith('_'));
  return [...own, optionsOf(command), ...shown.map(commandText)].filter(Boolean).join('\n');
};

/** Every command with its options, in the order of `--help`. Throws nothing. */
export const cliReference = (): string => commandText(programTree());
