import type { LiveActivity } from '@beckon/core';
import { type Command, Option } from 'commander';
import {
  act,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

const STATUSES = ['active', 'stale', 'ended', 'invalidated'] as const satisfies readonly LiveActivity['status'][];

type ListFlags = {
  readonly user?: string;
  readonly type?: string;
  readonly status?: LiveActivity['status'];
  readonly limit: number;
};

const COLUMNS: readonly Column<LiveActivity>[] = [
  ['EXTERNAL ID', ({ externalId }) => externalId],
  ['USER', ({ userId }) => userId],
  ['TYPE', ({ activityType }) => activityType],
  ['STATUS', ({ status }) => status],
  ['UPDATES', ({ updates }) => updates],
  ['LAST UPDATE', ({ lastUpdatedAt }) => lastUpdatedAt.toISOString()],
];

/** `beckon live-activities list|end`: what is shown on lock screens. */
export const register: Register = (program, context) => {
  const group = program.command('live-activities').description('see and end live activities of iOS');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description))).addOption(environmentOption());

  outputOptions(leaf('list', 'list activities, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--user <userId>', 'those of one user')
    .option('--type <activityType>', 'those of one type')
    .addOption(new Option('--status <status>', 'those that stand so').choices(STATUSES))
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, ({ user, type, status, ...flags }) =>
        inEnvironment(context, flags, async ({ liveActivities }, scope) => {
          const { rows, hasMore } = await collect(flags.limit, (query) =>
            liveActivities.list(scope, { ...query, userId: user, activityType: type, status }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, COLUMNS);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('end', 'end one on all its devices'))
    .argument('<externalId>', 'what your program calls it')
    .action(
      act(context, (flags, [externalId = '']) =>
        inEnvironment(
          context,
          flags,
          async ({ liveActivities }, scope) => {
            const ended = await liveActivities.end(scope, externalId);
            const devices = ended.isPending
              ? 'No device shows it yet'
              : `It ends on ${ended.activities.length} devices`;
            createOutput(context.io, flags).answer(ended, [`${devices}.`]);
            return undefined;
          },
          { isSending: true },
        ),
      ),
    );
};
