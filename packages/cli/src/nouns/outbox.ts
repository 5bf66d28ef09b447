import { resolve } from 'node:path';
import type { Beckon, Channel, OutboxMessage, Scope } from '@beckon/core';
import { Option } from 'commander';
import { channelOption } from '../channels.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { writeNamedFile } from '../files.ts';
import { wholeId } from '../ids.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import { contentLines, htmlOf, shortAddress, shortText, titleOf } from '../message-text.ts';
import { customLocal } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';

type ListFlags = { readonly channel?: Channel; readonly user?: string; readonly limit: number };

const scopeOf = async (beckon: Beckon, flags: CommonFlags): Promise<Scope> => {
  if (flags.env === 'prod') throw usageError('The outbox exists in test only. Use "beckon sends list --env prod".');
  return (await import('../session.ts')).environmentScope(beckon, flags, 'test');
};

const messageLines = ({ id, channel, userId, address, sendId, createdAt, content }: OutboxMessage): string[] => [
  `id: ${id}`,
  `channel: ${channel}`,
  `created: ${createdAt.toISOString()}`,
  `send: ${sendId}`,
  `user: ${userId ?? '-'}`,
  `address: ${address}`,
  ...contentLines({ ...content }),
];

const writeHtml = ({ io }: Context, { id, content }: OutboxMessage, file: string): void => {
  const html = htmlOf({ ...content });
  if (html === null) throw new CliError(EXIT.negative, `Message ${id} has no HTML body.`, { code: 'NOT_FOUND' });
  writeNamedFile(resolve(io.cwd, file), file, html);
};

const environment = 'test';

/** Messages of `test`, which are stored instead of delivered. */
export const outbox = noun('outbox', 'Read messages of the test environment', {
  list: customLocal<ListFlags>({
    environment,
    about: 'List outbox messages, newest first',
    examples: ['', '--channel email --user ada'],
    forms: ROWS,
    options: [channelOption(), new Option('--user <id>', 'Recipient user'), limitOption()],
    work: async (beckon, { flags, output, context, screen }) => {
      const { channel, user: userId, limit } = flags;
      const { isTTY } = screen;
      const scope = await scopeOf(beckon, flags);
      const { rows, hasMore } = await collect(limit, (query) =>
        beckon.outbox.list(scope, { channel, userId, ...query }),
      );
      // Tokens and long text are whole in a pipe and short on a terminal.
      output.rows(rows, [
        ['ID', ({ id }) => screen.id(id)],
        ['CREATED', ({ createdAt }) => screen.time(createdAt.toISOString())],
        ['CHANNEL', (row) => row.channel],
        ['USER', (row) => row.userId],
        ['ADDRESS', (row) => (isTTY ? shortAddress(row.channel, row.address) : row.address)],
        [
          'CONTENT',
          ({ content }) => {
            const title = titleOf({ ...content });
            return title !== null && isTTY ? shortText(title) : title;
          },
        ],
      ]);
      if (output.form === 'table' && rows.length === 0) output.note(`The outbox is empty (${context.place}).`);
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  show: customLocal<{ readonly html?: string }>({
    environment,
    about: 'Show a message as its recipient sees it',
    examples: ['MESSAGE_ID', 'MESSAGE_ID --html mail.html'],
    args: [['<id>', 'Message id, from "outbox list"']],
    options: [new Option('--html <file>', 'Write the HTML body to this file')],
    work: async (beckon, { flags, args: [text = ''], output, context }) => {
      const scope = await scopeOf(beckon, flags);
      const id = await wholeId('message', text, (query) => beckon.outbox.list(scope, query));
      const message = await beckon.outbox.get(scope, id);
      if (flags.html !== undefined) {
        writeHtml(context, message, flags.html);
        output.note(`Wrote ${flags.html}.`);
      }
      output.answer(message, messageLines(message));
      return undefined;
    },
  }),
});
