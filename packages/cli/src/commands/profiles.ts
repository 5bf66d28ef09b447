import type { Channel, Profile, Subscriptions, SubscriptionsInput } from '@beckon/core';
import type { Command } from 'commander';
import { relativeTime } from '../cells.ts';
import {
  act,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';
import { clean } from '../text.ts';

/** In the order in which they are shown. */
const CHANNELS = ['push', 'email', 'sms'] as const satisfies readonly Channel[];

const columns = ({ io }: Context): readonly Column<Profile>[] => {
  const time = (moment: Date): string | null =>
    io.stdout.isTTY ? relativeTime(moment, io.now()) : moment.toISOString();
  return [
    ['USER', ({ userId }) => userId],
    ['TRAITS', ({ traits }) => Object.keys(traits).length],
    ['LOCALE', ({ locale }) => locale],
    ['TIMEZONE', ({ timezone }) => timezone],
    ['CREATED', ({ createdAt }) => time(createdAt)],
    ['SEEN', ({ lastSeenAt }) => time(lastSeenAt)],
  ];
};

const lines = (profile: Profile): string[] => [
  ...fieldLines([
    ['user', profile.userId],
    ['anonymous', profile.anonymousId],
    ['email', profile.email],
    ['phone', profile.phone],
    ['locale', profile.locale],
    ['timezone', profile.timezone],
    ['created', profile.createdAt.toISOString()],
    ['seen', profile.lastSeenAt.toISOString()],
    ['truncated', profile._truncated === true ? 'yes' : null],
  ]),
  'traits:',
  ...Object.entries(profile.traits).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
  ...(profile.tokens ?? []).map(
    ({ platform, isActive, id }) => `device: ${platform}${isActive ? '' : ', inactive'}, ${id}`,
  ),
  ...(profile.audiences ?? []).map(({ name, id }) => `audience: ${clean(name)}, ${id}`),
];

const word = (isSubscribed: boolean): string => (isSubscribed ? 'subscribed' : 'unsubscribed');

const subscriptionLines = (found: Subscriptions): string[] =>
  CHANNELS.flatMap((channel) => {
    const { subscribed, categories } = found[channel];
    return [
      `${channel}: ${word(subscribed)}`,
      ...Object.entries(categories).map(([name, isSubscribed]) => `  ${clean(name)}: ${word(isSubscribed)}`),
    ];
  });

/** `email`, or `email/news`, as the change of a choice. Throws CliError for a channel that there is not. */
const choicesOf = (named: readonly (readonly [string, boolean])[]): SubscriptionsInput => {
  const body: Partial<Record<Channel, { subscribed?: boolean; categories?: Record<string, boolean> }>> = {};
  for (const [name, isSubscribed] of named) {
    const [given = '', ...rest] = name.split('/');
    const channel = CHANNELS.find((one) => one === given);
    if (!channel) throw usageError(`${clean(given)} is no channel; it is one of ${CHANNELS.join(', ')}.`);
    const choice = body[channel] ?? {};
    body[channel] = choice;
    if (rest.length === 0) choice.subscribed = isSubscribed;
    else choice.categories = { ...choice.categories, [rest.join('/')]: isSubscribed };
  }
  return body;
};

/** Asks for the id once more: what is erased cannot be brought back. */
const confirmErasure = async ({ io }: Context, isCertain: boolean, userId: string, where: string): Promise<void> => {
  if (isCertain) return;
  if (!io.stdin.isTTY || !io.stderr.isTTY)
    throw new CliError(EXIT.unconfirmed, 'An erasure cannot be undone and nobody can be asked here.', {
      hint: 'Look at the profile with "beckon profiles show", then confirm it with --yes.',
    });
  const said = await io.stdin.ask(`Erase ${clean(userId)} everywhere in ${where}? Type the id to confirm: `);
  if (said.trim() !== userId) throw new CliError(EXIT.negative, 'Nothing was erased.');
};

/** `beckon profiles list|show|subscriptions|erase|erasure`: who the users are, and who is to be one no longer. */
export const register: Register = (program, context) => {
  const group = program.command('profiles').description('see who the users are');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description))).addOption(environmentOption());

  outputOptions(leaf('list', 'list identified users, by their ids'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<{ readonly limit: number }>(context, (flags) =>
        inEnvironment(context, flags, async ({ profiles }, scope) => {
          const { rows, hasMore } = await collect(flags.limit, (query) => profiles.list(scope, query));
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context));
          if (output.form === 'table' && rows.length === 0)
            output.note(`There is no user yet in ${scope.environment} in ${context.place}.`);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('show', 'show one with traits, devices and audiences'))
    .argument('<userId>', 'id of the user')
    .action(
      act(context, (flags, [userId = '']) =>
        inEnvironment(context, flags, async ({ profiles }, scope) => {
          const profile = await profiles.get(scope, userId);
          createOutput(context.io, flags).answer(profile, lines(profile));
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('subscriptions', 'show what one chose to get, and change it'))
    .argument('<userId>', 'id of the user')
    .option('--on <what...>', 'subscribe to a channel, or to one category of it: email, email/news')
    .option('--off <what...>', 'unsubscribe from them')
    .action(
      act<{ readonly on?: readonly string[]; readonly off?: readonly string[] }>(context, (flags, [userId = '']) =>
        inEnvironment(context, flags, async ({ subscriptions }, scope) => {
          const { on = [], off = [] } = flags;
          const body = choicesOf([
            ...on.map((name) => [name, true] as const),
            ...off.map((name) => [name, false] as const),
          ]);
          const isChange = on.length + off.length > 0;
          const found = isChange
            ? await subscriptions.put(scope, userId, body)
            : await subscriptions.get(scope, userId);
          createOutput(context.io, flags).answer(found, subscriptionLines(found));
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('erase', 'erase one everywhere: events, devices, runs, messages; a worker does it'))
    .argument('<userId>', 'id of the user')
    .option('-y, --yes', 'do not ask')
    .action(
      act<{ readonly yes?: boolean }>(context, (flags, [userId = '']) =>
        inEnvironment(context, flags, async ({ profiles }, scope) => {
          await confirmErasure(context, flags.yes === true, userId, scope.environment);
          const asked = await profiles.erase(scope, userId);
          createOutput(context.io, flags).answer(asked, [
            `The erasure ${asked.erasureId} waits for a worker.`,
            `See it with: beckon profiles erasure ${asked.erasureId} --env ${scope.environment}`,
          ]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('erasure', 'say whether an erasure is done'))
    .argument('<id>', 'id of the erasure')
    .action(
      act(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async ({ profiles }, scope) => {
          const erasure = await profiles.erasure(scope, id);
          const { status, createdAt, finishedAt } = erasure;
          createOutput(context.io, flags).answer(
            erasure,
            fieldLines([
              ['status', status],
              ['asked', createdAt.toISOString()],
              ['done', finishedAt?.toISOString() ?? null],
            ]),
          );
          return undefined;
        }),
      ),
    );
};
