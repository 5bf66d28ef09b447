import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../test/support/fake-io.ts';
import { type Context, isInherited } from './command-line.ts';
import { EXIT } from './exit-codes.ts';
import { buildProgram } from './program.ts';
import { services } from './services.ts';

const io = fakeIo();
io.remove();
const context: Context = {
  ...{ io, services, version: '1.0.0' },
  ...{ exitCode: EXIT.ok, failureCode: EXIT.negative, place: null },
};
const program = buildProgram(context, () => undefined);

const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ` : '') + command.name();
const allOf = (command: Command): Command[] =>
  command.name().startsWith('_') ? [] : [command, ...command.commands.flatMap(allOf)];
const commands = allOf(program);
const leaves = commands.filter((command) => command.commands.length === 0);

const helpOf = (command: Command): string => {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
};
const failing = (all: readonly Command[], isWrong: (command: Command) => boolean): string[] =>
  all.filter(isWrong).map(pathOf);

describe('the help of every command', () => {
  it('every help text fits 80 columns', () => {
    const wide = commands.flatMap((command) =>
      helpOf(command)
        .split('\n')
        .filter((line) => line.length > 80),
    );
    expect(wide).toEqual([]);
  });

  it('every description is at most 60 characters without a period', () => {
    expect(commands.length).toBeGreaterThan(150);
    expect(failing(commands, (command) => !/^[A-Z].{4,59}$/.test(command.description()))).toEqual([]);
    expect(failing(commands, (command) => command.description().endsWith('.'))).toEqual([]);
  });

  it('--help begins with the description, then the usage with arguments and required options', () => {
    expect(failing(commands, (command) => !helpOf(command).startsWith(`${command.description()}\n\nUsage: `))).toEqual(
      [],
    );
    const usageOf = (...path: string[]): string => {
      const command = path.reduce((at, name) => at.commands.find((one) => one.name() === name) ?? at, program);
      return helpOf(command).split('\n\n')[1] ?? '';
    };
    expect(usageOf('send', 'test', 'email')).toBe(
      'Usage: beckon send test email (--user <id> | --to <address>) [options]',
    );
    expect(usageOf('orgs', 'update')).toBe('Usage: beckon orgs update <org> [options]');
    expect(usageOf('workflows', 'test')).toBe('Usage: beckon workflows test [path...] [options]');
    expect(usageOf('geofences', 'create')).toBe(
      'Usage: beckon geofences create --name <text> --lat <degrees> --lng <degrees>\n       --radius <metres> [options]',
    );
    expect(usageOf('send')).toBe('Usage: beckon send <command>');
  });

  it('--help shows choices and default of an option in one pair of parentheses', () => {
    expect(failing(commands, (command) => /\(choices: |\) \(default: /.test(helpOf(command)))).toEqual([]);
    const [migrate, text] = [/--migrate <mode> +(.+)/, helpOf(leaves.find((one) => one.name() === 'serve') ?? program)];
    expect(migrate.exec(text)?.[1]).toBe('Migrations (auto, check or off; default: auto)');
  });

  it('every command that takes an environment has an example for test', () => {
    // Providers post only about messages of prod.
    const hasEnvironment = (command: Command): boolean =>
      !pathOf(command).startsWith('beckon callbacks') &&
      command.options.some(({ long, description }) => long === '--env' && description.includes('BECKON_ENV'));
    const withEnvironment = leaves.filter(hasEnvironment);
    expect(withEnvironment.length).toBeGreaterThan(50);
    expect(failing(withEnvironment, (command) => !/--env test\b/.test(helpOf(command)))).toEqual([]);
  });

  it('every option and argument is described', () => {
    const isSilent = ({ options, registeredArguments }: Command): boolean =>
      [...options, ...registeredArguments].some(({ description }) => !description);
    expect(failing(commands, isSilent)).toEqual([]);
  });

  it('every command has an example of itself', () => {
    const isWithout = (command: Command): boolean => {
      const [, examples = ''] = helpOf(command).split('\nExamples:\n');
      return !examples.includes(`${pathOf(command)}`);
    };
    expect(failing(leaves, isWithout)).toEqual([]);
  });

  it('inherited options are one line below those of the command', () => {
    const isWrong = (command: Command): boolean => {
      const text = helpOf(command);
      const line = text.split('\n').find((one) => one.startsWith('Global options: ')) ?? '';
      const names = command.options.filter(isInherited).map(({ short, long }) => short ?? long ?? '');
      const shown = names.filter((name) => name !== '--no-color');
      return text.includes('  --data-dir') || shown.some((name) => !line.split(' ').includes(name));
    };
    expect(failing(leaves, isWrong)).toEqual([]);
    expect(helpOf(program)).toContain('--data-dir <dir>');
  });
});
