import type { Channel, ProviderState, ProviderTest, SettingsInput } from '@beckon/core';
import { Argument, type Command, Option } from 'commander';
import { toneOf } from '../colour.ts';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../exit-codes.ts';
import { CHANNEL_OF, CHANNELS, PROVIDERS, type Provider } from '../names.ts';
import { addAi } from '../nouns/ai.ts';
import { type Column, createOutput } from '../output.ts';
import { type OfProviders, providerStates, withProviders } from '../providers.ts';
import { addVerb, described } from '../table/noun.ts';
import { registerAdd } from './providers-add.ts';

type ChannelFlags = { readonly channel?: Channel };
type Row = ProviderState & { readonly channel: Channel };
type Result = ProviderTest & { readonly channel: Channel };

const time = (date: Date | null): string | null => (date === null ? null : date.toISOString());

const COLUMNS: readonly Column<Row>[] = [
  ['CHANNEL', ({ channel }) => channel],
  ['PROVIDER', ({ provider }) => provider],
  ['CONFIGURED', ({ configured }) => (configured ? 'yes' : 'no')],
  ['ENDS WITH', ({ lastFour }) => lastFour],
  ['VERIFIED', ({ verifiedAt }) => time(verifiedAt)],
  ['UPDATED', ({ updatedAt }) => time(updatedAt)],
];

const resultText = ({ ok }: ProviderTest): string => {
  if (ok === null) return 'untested';
  return ok ? 'ok' : 'failed';
};

const RESULT_COLUMNS: readonly Column<Result>[] = [
  ['CHANNEL', ({ channel }) => channel],
  ['PROVIDER', ({ provider }) => provider],
  ['RESULT', resultText, toneOf],
  ['CODE', ({ code }) => code],
  ['MESSAGE', ({ message }) => message],
];

const statesOf = async (of: OfProviders, channels: readonly Channel[]): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const channel of channels) {
    const states = await providerStates(of, channel);
    rows.push(...states.map((state) => ({ ...state, channel })));
  }
  return rows;
};

const notConfigured = (what: string): CliError =>
  new CliError(EXIT.precondition, what, { hint: 'Add one: beckon providers add --help' });

const test = async (
  context: Context,
  flags: CommonFlags & ChannelFlags,
  provider: Provider | undefined,
): Promise<ExitCode> => {
  const channels = flags.channel === undefined ? CHANNELS : [flags.channel];
  const results = await withProviders(context, flags, async (of) => {
    const isSelected = (row: Row): boolean => row.configured && (provider === undefined || row.provider === provider);
    const selected = (await statesOf(of, channels)).filter(isSelected);
    if (selected.length === 0)
      throw notConfigured(
        provider === undefined
          ? `No ${flags.channel ? `${flags.channel} ` : ''}provider in prod.`
          : `Provider ${provider} is not configured in prod.`,
      );
    const found: Result[] = [];
    for (const channel of new Set(selected.map((row) => row.channel))) {
      const tested = (await of.settings.test(of.scope, channel)).results;
      const isListed = ({ provider: name }: ProviderTest): boolean => selected.some((row) => row.provider === name);
      found.push(...tested.filter(isListed).map((result) => ({ ...result, channel })));
    }
    return found;
  });
  const output = createOutput(context.io, flags);
  output.rows(results, RESULT_COLUMNS);
  for (const { provider: name, channel } of results.filter(({ ok }) => ok === null))
    output.note(`${name} can only be tested with a message: beckon send test ${channel} --env prod`);
  return results.some(({ ok }) => ok === false) ? EXIT.negative : EXIT.ok;
};

const channelOf = (name: string): Channel => {
  const provider = PROVIDERS.find((one) => one === name);
  if (provider === undefined) throw usageError(`Unknown provider "${name}". Allowed: ${PROVIDERS.join(', ')}.`);
  return CHANNEL_OF[provider];
};

/** Throws CliError usage if `--channel` is not the channel of the provider. */
const checkChannel = ({ channel }: ChannelFlags, provider: Provider | undefined): void => {
  if (provider === undefined || channel === undefined || CHANNEL_OF[provider] === channel) return;
  throw usageError(`${provider} serves ${CHANNEL_OF[provider]}, not ${channel}.`);
};

/** `beckon providers add|list|test|order|remove`: delivery providers of `prod`. Credentials are never printed. */
export const register: Register = (program, context) => {
  const group = program.command('providers').description('Configure delivery providers');
  const leaf = (to: Command, name: string, about: string, ...examples: string[]): Command =>
    scopeOptions(databaseOptions(described(to.command(name), about, ...examples))).addOption(environmentOption('prod'));
  const channelOption = (): Option => new Option('--channel <name>', 'Channel').choices(CHANNELS);
  const argument = (shape: string, what: string): Argument => new Argument(shape, what).choices(PROVIDERS);

  addVerb(registerAdd(group, context, leaf), context, 'ai', addAi);

  outputOptions(leaf(group, 'list', 'List configured providers', '', '--channel email'), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .addOption(channelOption())
    .action(
      act<ChannelFlags>(context, async (flags) => {
        const rows = await withProviders(context, flags, (of) =>
          statesOf(of, flags.channel === undefined ? CHANNELS : [flags.channel]),
        );
        createOutput(context.io, flags).rows(rows, COLUMNS);
        return undefined;
      }),
    );

  outputOptions(leaf(group, 'test', 'Test provider credentials', '', 'smtp'), ['table', 'json', 'ndjson', 'yaml'])
    .addArgument(argument('[provider]', 'Provider (default: all)'))
    .addOption(channelOption())
    .addHelpText('after', '\nExit codes: 0 accepted, 1 a provider rejected its credentials, 8 none configured')
    .action(
      act<ChannelFlags>(context, async (flags, [name]) => {
        // Proof of the cast: the parser rejects values outside the choices.
        const provider = name as Provider | undefined;
        checkChannel(flags, provider);
        return test(context, flags, provider);
      }),
    );

  outputOptions(leaf(group, 'order', 'Set the failover order of providers', 'ses,smtp'))
    .addArgument(new Argument('<list>', 'Providers of one channel, such as ses,smtp; others are unused'))
    .action(
      act(context, async (flags, [list = '']) => {
        const names = list.split(',');
        const channels = new Set(names.map(channelOf));
        const [channel] = channels;
        if (channel === undefined || channels.size > 1 || channel === 'push')
          throw usageError('Pass providers of one channel, email or sms. For push, the platform decides.');
        // Safe: all names are providers of the channel.
        const body = { providers: names } as SettingsInput<typeof channel>;
        await withProviders(context, flags, ({ settings, scope }) => settings.update(scope, channel, body));
        createOutput(context.io, flags).answer({ channel, providers: names }, [`${channel}: ${names.join(', then ')}`]);
        return undefined;
      }),
    );

  outputOptions(leaf(group, 'remove', 'Remove provider credentials', 'smtp'))
    .addArgument(argument('<provider>', 'Provider'))
    .action(
      act(context, async (flags, [name]) => {
        // Proof of the cast: the parser rejects a missing name and values outside the choices.
        const provider = name as Provider;
        const states: Partial<Record<Provider, ProviderState>> = await withProviders(
          context,
          flags,
          ({ settings, scope }) => settings.update(scope, CHANNEL_OF[provider], { [provider]: null }),
        );
        createOutput(context.io, flags).answer(states[provider], [`Removed the credentials of ${provider}.`]);
        return undefined;
      }),
    );
};
