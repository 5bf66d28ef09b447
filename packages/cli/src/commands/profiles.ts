import type { Profile } from '@beckon/core';
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
import { collect, DEFAULT_LIMIT, limitOf } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';

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
];

/** `beckon profiles list|show`: who the users are. */
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
          if (output.form === 'table' && hasMore)
            output.note(`There are more; see them with --limit ${flags.limit * 4}.`);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('show', 'show one with traits and devices'))
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
};
