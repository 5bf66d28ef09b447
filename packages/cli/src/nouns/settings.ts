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

type SetFlags = { readonly file?: string };

/** Bytes of a file with settings; ours: the body that the interface takes is not larger. */
const MAX_BYTES = 65_536;

const shown = async (api: Api, channel: Channel) => withoutProviders(await api.call(`GET /${channel}/settings`));

const linesOf = (value: unknown, key: string): string[] =>
  isObject(value) ? leavesOf(value, key).map(([name, part]) => `${name}: ${textOf(part)}`) : [textOf(value)];

const get = (context: Context, flags: CommonFlags, channel: Channel, key: string | undefined) =>
  inApi(context, flags, {}, async (api) => {
    const values = await shown(api, channel);
    const value = key === undefined ? values : valueAt(values, partsOf(key));
    if (value === undefined)
      throw new CliError(EXIT.negative, noSetting(channel, key ?? '', values), {
        code: 'NOT_FOUND',
        hint: `See all of them with "beckon settings get ${channel}".`,
      });
    createOutput(context.io, flags).answer(value, linesOf(value, key ?? ''));
    return undefined;
  });

const readJson = async (context: Context, file: string): Promise<unknown> => {
  const tooLarge = () => new CliError(EXIT.invalid, `${file} is larger than ${MAX_BYTES} bytes; it holds no settings.`);
  return jsonOf(context, file, await readInput(context.io, file, MAX_BYTES, tooLarge));
};

/** The names and values that are to be set. Throws CliError. */
const givenValues = async (
  context: Context,
  { file }: SetFlags,
  key: string | undefined,
  text: string | undefined,
): Promise<readonly (readonly [key: string, value: unknown])[]> => {
  if ((text === undefined) === (file === undefined))
    throw usageError('Say the value: beckon settings set CHANNEL KEY VALUE, or --file FILE with JSON.');
  if (key !== undefined) return [[key, file === undefined ? typedValue(text ?? '') : await readJson(context, file)]];
  const values = await readJson(context, file ?? '');
  if (!isObject(values))
    throw new CliError(EXIT.invalid, 'The file holds no JSON object with settings by their names.');
  return Object.entries(values);
};

const set = async (
  context: Context,
  flags: CommonFlags & SetFlags,
  channel: Channel,
  [key, text]: readonly (string | undefined)[],
) => {
  const given = await givenValues(context, flags, key, text);
  const changes = given.map(([name, value]) => ({ parts: partsOf(name), value }));
  const provider = PROVIDERS.find((name) => changes.some(({ parts }) => parts[0] === name));
  if (provider !== undefined)
    throw usageError(`Credentials are set by "beckon providers add ${provider}", which reads them from files.`);
  return inApi(context, flags, {}, async (api) => {
    // Keys are merged as wholes where they are stored: what they hold besides has to be given again.
    const before = await shown(api, channel);
    const body = new Map<string, unknown>();
    for (const { parts, value } of changes) {
      const [first, ...rest] = parts;
      body.set(first, withValue(body.has(first) ? body.get(first) : before[first], rest, value));
    }
    // Safe: the engine's schema looks at the body.
    const input = { body: Object.fromEntries(body) as never };
    const stored = api.call(`PUT /${channel}/settings`, input).catch((error: unknown) => {
      const { exitCode, code, message, details } = failureOf(error);
      const unknown = changes.filter(({ parts }) => valueAt(before, parts) === undefined);
      if (code !== 'VALIDATION_ERROR' || unknown.length === 0) throw error;
      const hint = unknown.map(({ parts }) => noSetting(channel, parts.join('.'), before)).join('\n');
      throw new CliError(exitCode, message, { code, details, hint, cause: error });
    });
    const after = withoutProviders(await stored);
    const told = changes.map(({ parts }) => [parts.join('.'), valueAt(after, parts)] as const);
    createOutput(context.io, flags).answer(
      Object.fromEntries(told.map(([name, value]) => [name, value ?? null])),
      told
        .flatMap(([name, value]) => leavesOf(value, name))
        .map(([name, value]) => `${name}: ${textOf(value ?? null)}`),
    );
    return undefined;
  });
};

const channel = () => new Argument('<channel>', 'Of which channel').choices(CHANNELS);
// Proof of the casts: the parser refuses a missing channel, and what is none of the choices.

/** What a project sets of a channel, such as quiet hours; in either environment. */
export const settings = noun('settings', 'Manage channel settings', {
  get: {
    about: 'Show the settings of a channel',
    examples: ['push --env prod', 'push quietHours.enabled --env prod'],
    args: [channel(), ['[key]', 'Such as quietHours.enabled']],
    isRemote: true,
    run: (context, flags, [of, key]) => get(context, flags, of as Channel, key),
  },
  set: {
    about: 'Change a channel setting',
    examples: [
      'push orgDefaultTimezone Europe/Paris --env prod',
      'push quietHours.enabled true --env prod',
      'push reactivateOnRegister true --env prod',
      `push quietHours.days '["fri","sat"]' --env prod`,
      'push --file settings.json --env prod',
    ],
    args: [
      channel(),
      ['[key]', 'Such as quietHours.enabled; left out, --file holds several'],
      ['[value]', 'JSON or plain text; null goes back to the default'],
    ],
    options: [new Option('--file <file>', 'JSON file with the value; - reads stdin')],
    isRemote: true,
    run: (context, flags, [of, ...rest]) => set(context, flags, of as Channel, rest),
  },
});
