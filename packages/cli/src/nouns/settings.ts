import type { Channel } from '@beckon/core';
import { Argument, Option } from 'commander';
import type { Api } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, failureOf, usageError } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { isObject } from '../is-object.ts';
import { jsonOf } from '../json-text.ts';
import { CHANNELS, PROVIDERS } from '../names.ts';
import { createOutput } from '../output.ts';
import { inApi } from '../scoped.ts';
import {
  leavesOf,
  noSetting,
  partsOf,
  textOf,
  typedValue,
  valueAt,
  withoutProviders,
  withValue,
} from '../setting-paths.ts';
import { noun } from '../table/noun.ts';

export type SetFlags = { readonly file?: string };

/** Maximum bytes of a settings file. Chosen: larger than any settings. */
const MAX_BYTES = 65_536;

const shown = async (api: Api, channel: Channel) => withoutProviders(await api.call(`GET /${channel}/settings`));

/** The lines of a value and its parts. */
export const linesOf = (value: unknown, key: string): string[] =>
  isObject(value) ? leavesOf(value, key).map(([name, part]) => `${name}: ${textOf(part)}`) : [textOf(value)];

const get = (context: Context, flags: CommonFlags, channel: Channel, key: string | undefined) =>
  inApi(context, flags, {}, async (api) => {
    const values = await shown(api, channel);
    const value = key === undefined ? values : valueAt(values, partsOf(key));
    if (value === undefined)
      throw new CliError(EXIT.negative, noSetting(channel, key ?? '', values), {
        code: 'NOT_FOUND',
        hint: `List all settings: beckon settings get ${channel}`,
      });
    createOutput(context.io, flags).answer(value, linesOf(value, key ?? ''));
    return undefined;
  });

const readJson = async (context: Context, file: string): Promise<unknown> => {
  const tooLarge = () => new CliError(EXIT.invalid, `${file} exceeds ${MAX_BYTES} bytes, the maximum for settings.`);
  return jsonOf(context, file, await readInput(context.io, file, MAX_BYTES, tooLarge));
};

/** The settings to change; `usage` is the command with a value. Throws CliError. */
export const changesOf = async (
  context: Context,
  { file }: SetFlags,
  key: string | undefined,
  text: string | undefined,
  usage = 'beckon settings set CHANNEL KEY VALUE',
): Promise<readonly (readonly [key: string, value: unknown])[]> => {
  if ((text === undefined) === (file === undefined)) throw usageError(`Pass either a value or --file: ${usage}.`);
  if (key !== undefined) return [[key, file === undefined ? typedValue(text ?? '') : await readJson(context, file)]];
  const values = await readJson(context, file ?? '');
  if (!isObject(values)) throw new CliError(EXIT.invalid, 'The file of --file must contain a JSON object of settings.');
  return Object.entries(values);
};

const set = async (
  context: Context,
  flags: CommonFlags & SetFlags,
  channel: Channel,
  [key, text]: readonly (string | undefined)[],
) => {
  const values = await changesOf(context, flags, key, text);
  const changes = values.map(([name, value]) => ({ parts: partsOf(name), value }));
  const provider = PROVIDERS.find((name) => changes.some(({ parts }) => parts[0] === name));
  if (provider !== undefined)
    throw usageError(`Set credentials with "beckon providers add ${provider}", which reads them from files.`);
  return inApi(context, flags, {}, async (api) => {
    // The API replaces top-level keys as a whole, so their other parts are sent again.
    const before = await shown(api, channel);
    const body = new Map<string, unknown>();
    for (const { parts, value } of changes) {
      const [first, ...rest] = parts;
      body.set(first, withValue(body.has(first) ? body.get(first) : before[first], rest, value));
    }
    // Safe: core validates the body.
    const input = { body: Object.fromEntries(body) as never };
    const stored = api.call(`PUT /${channel}/settings`, input).catch((error: unknown) => {
      const { exitCode, code, message, details } = failureOf(error);
      const unknown = changes.filter(({ parts }) => valueAt(before, parts) === undefined);
      if (code !== 'VALIDATION_ERROR' || unknown.length === 0) throw error;
      const hint = unknown.map(({ parts }) => noSetting(channel, parts.join('.'), before)).join('\n');
      throw new CliError(exitCode, message, { code, details, hint, cause: error });
    });
    const after = withoutProviders(await stored);
    const changed = changes.map(({ parts }) => [parts.join('.'), valueAt(after, parts)] as const);
    createOutput(context.io, flags).answer(
      Object.fromEntries(changed.map(([name, value]) => [name, value ?? null])),
      changed
        .flatMap(([name, value]) => leavesOf(value, name))
        .map(([name, value]) => `${name}: ${textOf(value ?? null)}`),
    );
    return undefined;
  });
};

const channel = () => new Argument('<channel>', 'Channel').choices(CHANNELS);
// Proof of the casts: the parser rejects a missing channel and values outside the choices.

/** Settings of a channel, such as quiet hours, per environment. */
export const settings = noun('settings', 'Manage channel settings', {
  get: {
    about: 'Show the settings of a channel',
    examples: ['push --env test', 'push quietHours.enabled --env test'],
    args: [channel(), ['[key]', 'Setting, such as quietHours.enabled (default: all)']],
    isRemote: true,
    run: (context, flags, [of, key]) => get(context, flags, of as Channel, key),
  },
  set: {
    about: 'Change a channel setting',
    examples: [
      'push orgDefaultTimezone Europe/Paris --env test',
      'push quietHours.enabled true --env test',
      `push quietHours.days '["fri","sat"]' --env test`,
      'push --file settings.json --env test',
    ],
    args: [
      channel(),
      ['[key]', 'Setting, such as quietHours.enabled; optional with --file'],
      ['[value]', 'JSON or plain text; null restores the default'],
    ],
    options: [new Option('--file <file>', 'JSON file with the value, - for stdin')],
    isRemote: true,
    run: (context, flags, [of, ...rest]) => set(context, flags, of as Channel, rest),
  },
});
