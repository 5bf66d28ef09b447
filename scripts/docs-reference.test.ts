import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiFile } from '../packages/http/test/support/openapi/kept.ts';
import { apiReference, apiTypes } from './api-reference.ts';
import { type Command, cliReference, programTree } from './cli-reference.ts';

const document = JSON.parse(readFileSync(openApiFile, 'utf8'));

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)];

describe('the reference of the documentation', () => {
  it('tells every operation that is not one of several orgs', () => {
    const told = apiReference(document).match(/^(GET|HEAD|POST|PUT|PATCH|DELETE) \S+$/gm) ?? [];
    const served = Object.entries<Record<string, unknown>>(document.paths)
      .filter(([path]) => !path.startsWith('/api/v1/orgs/{orgId}/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(told.toSorted()).toEqual(served.toSorted());
  });

  it('tells every type that the operations share', () => {
    const told = [...apiTypes(document).matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(told).toEqual(Object.keys(document.components.schemas).toSorted());
  });

  it('tells every option of every command', () => {
    const text = cliReference();
    const flags = commandsOf(programTree()).flatMap((command) => command.options.map((one) => one.flags));
    expect(flags.filter((one) => !text.includes(`| \`${one.replaceAll('|', '\\|')}\` |`))).toEqual([]);
  });

  it('every time option shows its default as it is typed, in the reference and in --help', () => {
    const timed = commandsOf(programTree()).flatMap((command) =>
      command.options.filter(({ flags, defaultValue }) => flags.includes('<time>') && defaultValue !== undefined),
    );
    const text = cliReference();
    expect(timed.length).toBeGreaterThan(2);
    for (const { flags, defaultValueDescription } of timed) {
      expect([flags, defaultValueDescription]).toEqual([flags, expect.stringMatching(/^\d+(?:ms|s|m|h|d)$/)]);
      expect(text).toContain(`(default: \`${defaultValueDescription}\`)`);
    }
  });
});
