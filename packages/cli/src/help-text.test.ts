import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fakeServices } from '../test/support/fake-beckon.ts';
import { fakeIo } from '../test/support/fake-io.ts';
import { world } from '../test/support/world.ts';
import { type Context, isInherited } from './command-line.ts';
import { EXIT } from './exit-codes.ts';
import { buildProgram } from './program.ts';

const io = fakeIo();
io.remove();
const context: Context = {
  ...{ io, services: fakeServices(world()), version: '1.0.0' },
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

  it('says in at most 60 characters what the command does, without a full stop', () => {
    expect(commands.length).toBeGreaterThan(150);
    expect(failing(commands, (command) => !/^[A-Z].{4,59}$/.test(command.description()))).toEqual([]);
    expect(failing(commands, (command) => command.description().endsWith('.'))).toEqual([]);
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
