import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiFile } from '../packages/http/test/support/openapi/kept.ts';
import { apiDocument, apiReference } from './api-reference.ts';
import { type Command, cliReference, programTree } from './cli-reference.ts';

const document = JSON.parse(readFileSync(openApiFile, 'utf8'));

const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)];

describe('reference pages', () => {
  it('the HTTP reference has every operation once', () => {
    const operationsOf = ({ paths }: Record<string, unknown>): string[] =>
      Object.entries(paths ?? {}).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      );
    const shown = operationsOf(apiDocument(document));
    const repeated = operationsOf(document).filter((one) => one.includes(' /api/v1/orgs/{orgId}/'));
    expect(repeated.length).toBeGreaterThan(100);
    expect([...shown, ...repeated].toSorted()).toEqual(operationsOf(document).toSorted());
  });

  it('the HTTP reference loads nothing from another host', () => {
    const files = apiReference(document);
    const loaded = [...(files['api.html'] ?? '').matchAll(/(?:src|init\()[='"(]+([^'"]+)/g)].map(([, name]) => name);
    expect(loaded).toEqual(['redoc.standalone.js', 'openapi.json']);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(loaded));
    expect(files['redoc.standalone.js']?.match(/src:"https?:[^"]*/g)).toBeNull();
  });

  it('the CLI reference has every option of every command', () => {
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
