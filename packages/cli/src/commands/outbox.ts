import { resolve } from 'node:path';
import type { Beckon, Channel, SandboxMessage, Scope } from '@beckon/core';
import { type Command, Option } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
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
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { writeNamedFile } from '../files.ts';
import { wholeId } from '../ids.ts';
import type { Io } from '../io.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { contentLines, htmlOf, shortAddress, shortText, titleOf } from '../message-text.ts';
import { CHANNELS } from '../names.ts';
import { type Column, createOutput } from '../output.ts';

type ListFlags = { readonly channel?: Channel; readonly user?: string; readonly limit: number };
type ShowFlags = { readonly html?: string };

// A program gets everything; a person could do nothing with a whole token or a page of text.
const columns = ({ stdout: { isTTY }, now }: Io): readonly Column<SandboxMessage>[] => [
  ['ID', ({ id }) => (isTTY ? shortId(id) : id)],
  ['CREATED', ({ createdAt }) => (isTTY ? relativeTime(createdAt, now()) : createdAt.toISOString())],
  ['CHANNEL', ({ channel }) => channel],
  ['USER', ({ userId }) => userId],
  ['ADDRESS', ({ channel, address }) => (isTTY ? shortAddress(channel, address) : address)],
  [
    'TITLE',
    ({ content }) => {
      const title = titleOf(content);
      return title !== null && isTTY ? shortText(title) : title;
    },
  ],
];

const withOutbox = async (
  context: Context,
  flags: CommonFlags,
  work: (beckon: Beckon, scope: Scope) => Promise<undefined>,
): Promise<undefined> => {
  if (flags.env === 'prod') throw usageError('The outbox holds messages of test; those of prod go to people.');
  const { environmentScope, withBeckon } = await import('../session.ts');
  return withBeckon(context, flags, async (beckon) => work(beckon, await environmentScope(beckon, flags, 'test')));
};

const shown = ({ id, channel, userId, address, sendId, createdAt, content }: SandboxMessage): string[] => [
  `id: ${id}`,
  `channel: ${channel}`,
  `created: ${createdAt.toISOString()}`,
  `send: ${sendId}`,
  `user: ${userId ?? '-'}`,
  `address: ${address}`,
  ...contentLines(content),
];

const writeHtml = (context: Context, { id, content }: SandboxMessage, file: string): void => {
  const html = htmlOf(content);
  if (html === null) throw new CliError(EXIT.negative, `Message ${id} has no HTML.`, { code: 'NOT_FOUND' });
  writeNamedFile(resolve(context.io.cwd, file), file, html);
};

/** `beckon outbox list|show`: what the sandbox caught in `test`. */
export const register: Register = (program, context) => {
  const group = program.command('outbox').description('see the messages that the sandbox caught in test');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description))).addOption(environmentOption('test'));

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .addOption(new Option('--channel <name>', 'of this channel only').choices(CHANNELS))
    .option('--user <id>', 'to this user only')
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        withOutbox(context, flags, async (beckon, scope) => {
          const { channel, user: userId, limit } = flags;
          const { rows, hasMore } = await collect(limit, (query) =>
            beckon.outbox.list(scope, { channel, userId, ...query }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context.io));
          if (output.form === 'table' && rows.length === 0) output.note(`Nothing was caught yet in ${context.place}.`);
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('show', 'show one as its reader would get it'))
    .argument('<id>', 'id of the message, as "outbox list" shows it')
    .option('--html <file>', 'write the HTML body to this file')
    .action(
      act<ShowFlags>(context, (flags, [id = '']) =>
        withOutbox(context, flags, async (beckon, scope) => {
          const whole = await wholeId('message', id, (query) => beckon.outbox.list(scope, query));
          const message = await beckon.outbox.get(scope, whole);
          const output = createOutput(context.io, flags);
          if (flags.html !== undefined) {
            writeHtml(context, message, flags.html);
            output.note(`Wrote ${flags.html}.`);
          }
          output.answer(message, shown(message));
          return undefined;
        }),
      ),
    );
};
