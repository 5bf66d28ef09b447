import type { Callback, Channel } from '@beckon/core';
import { type Command, Option } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
import {
  act,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { wholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';
import { registerSecrets } from './callback-secrets.ts';

type ListFlags = { readonly channel?: Channel; readonly provider?: string; readonly limit: number };
type Place = { readonly channel: Channel; readonly provider: string; readonly url: string };

const columns = ({ stdout: { isTTY }, now }: Io): readonly Column<Callback>[] => [
  ['ID', ({ id }) => (isTTY ? shortId(id) : id)],
  ['RECEIVED', ({ receivedAt }) => (isTTY ? relativeTime(receivedAt, now()) : receivedAt.toISOString())],
  ['CHANNEL', ({ channel }) => channel],
  ['PROVIDER', ({ provider }) => provider],
  ['EVENTS', ({ events }) => String(events)],
  ['APPLIED', ({ applied }) => String(applied)],
  ['DUPLICATES', ({ duplicates }) => String(duplicates)],
  ['UNKNOWN', ({ unknown }) => String(unknown)],
];
const PLACES: readonly Column<Place>[] = [
  ['CHANNEL', ({ channel }) => channel],
  ['PROVIDER', ({ provider }) => provider],
  ['URL', ({ url }) => url],
];

const replayed = ({ id, channel, provider, events, applied, duplicates, unknown }: Callback): string[] =>
  fieldLines(Object.entries({ id, channel, provider, events, applied, duplicates, unknown }));

/** `beckon callbacks list|replay|urls|secrets`: what providers posted in the last 7 days, where, and signed with what. */
export const register: Register = (program, context) => {
  const group = program.command('callbacks').description('see what providers posted of messages, and apply it again');
  const leafOf = (parent: Command, name: string, description: string): Command =>
    scopeOptions(databaseOptions(parent.command(name).description(description))).addOption(environmentOption());
  const leaf = (name: string, description: string): Command => leafOf(group, name, description);

  outputOptions(leaf('list', 'list what was kept of the last 7 days, newest first'), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .addOption(new Option('--channel <name>', 'of this channel only').choices(CHANNELS))
    .option('--provider <name>', 'of this provider only')
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { channel, provider, limit } = flags;
          const { rows, hasMore } = await collect(limit, (query) =>
            beckon.callbacks.list(scope, { channel, provider, ...query }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context.io));
          if (output.form === 'table' && rows.length === 0) output.note('No provider has posted anything.');
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('replay', 'go through one again: what was applied stays as it is'))
    .argument('<id>', 'id of the callback, as "callbacks list" shows it')
    .action(
      act(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const whole = await wholeId('callback', id, (query) => beckon.callbacks.list(scope, query));
          const callback = await beckon.callbacks.replay(scope, whole);
          createOutput(context.io, flags).answer(callback, replayed(callback));
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('urls', 'show what to give each provider to post to'), ['table', 'json', 'ndjson', 'yaml']).action(
    act(context, (flags) =>
      inEnvironment(context, flags, async (beckon, scope) => {
        const places = await beckon.callbacks.urls(scope);
        const output = createOutput(context.io, flags);
        output.rows(places, PLACES);
        if (output.form === 'table' && places.length === 0)
          output.note(
            'Providers reach this service only where its public URL is set: publicUrl, or BECKON_PUBLIC_URL.',
          );
        return undefined;
      }),
    ),
  );
  registerSecrets(group, leafOf, context);
};
