import type {
  Beckon,
  Channel,
  ExplainedMessage,
  Message,
  Page,
  PageQuery,
  Scope,
  Send,
  SendStatus,
} from '@beckon/core';
import { type Command, Option } from 'commander';
import {
  act,
  type CommonFlags,
  type Context,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT, failureOf } from '../exit-codes.ts';
import { explanationLines } from '../explanation-text.ts';
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { CHANNELS, SEND_STATUSES } from '../names.ts';
import { createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';
import { messageLines, sendColumns, sendLines } from '../send-text.ts';

type ChannelFlags = { readonly channel?: Channel };
type ListFlags = ChannelFlags & { readonly status?: SendStatus; readonly limit: number };
type ExplainFlags = ChannelFlags & { readonly limit: number };
type GetFlags = ChannelFlags & { readonly messages?: boolean; readonly limit: number };

const channelsOf = ({ channel }: ChannelFlags): readonly Channel[] => (channel === undefined ? CHANNELS : [channel]);

/** Messages of one send that are explained. Chosen: one screen; each takes a read of its own. */
const MAX_EXPLAINED = 10;

/** Why a send has no message to explain. */
const withoutMessages = ({ status, scheduledFor }: Send): string => {
  if (status !== 'queued' && status !== 'sending') return 'It has no messages: it reached nobody.';
  const when = scheduledFor === null ? '' : ` at ${scheduledFor.toISOString()}`;
  return `It has no messages yet: a worker makes them${when}.`;
};

/** Sends whose messages are looked through for the end of an id, of each channel. Ours: a screenful. */
const MAX_SENDS = DEFAULT_LIMIT;

/** What one of the channels has, since nobody has to know which. Throws NOT_FOUND of the last one asked. */
const inOneOf = async <T>(channels: readonly Channel[], read: (channel: Channel) => Promise<T>): Promise<T> => {
  let missing: unknown;
  for (const channel of channels) {
    try {
      return await read(channel);
    } catch (error) {
      if (failureOf(error).code !== 'NOT_FOUND') throw error;
      missing = error;
    }
  }
  throw missing;
};

/** The send of that id. Throws NOT_FOUND. */
const find = async ({ sends }: Beckon, scope: Scope, given: string, channels: readonly Channel[]): Promise<Send> => {
  const lists = channels.map((channel) => (query: PageQuery) => sends.list(scope, channel, query));
  const id = await wholeId('send', given, ...lists);
  return inOneOf(channels, (channel) => sends.get(scope, channel, id));
};

/** Messages of the newest sends of a channel, send by send. */
const newestMessages =
  ({ sends }: Beckon, scope: Scope, channel: Channel) =>
  async ({ limit = DEFAULT_LIMIT }: PageQuery): Promise<Page<Message>> => {
    const data: Message[] = [];
    const { rows } = await collect<Send>(MAX_SENDS, (query) => sends.list(scope, channel, query));
    for (const { id } of rows) data.push(...(await sends.messages(scope, channel, id, { limit })).data);
    return { data, pagination: { limit, hasMore: false, nextCursor: null } };
  };

/** The message of that id. Throws NOT_FOUND. */
const findMessage = async (
  beckon: Beckon,
  scope: Scope,
  given: string,
  channels: readonly Channel[],
): Promise<ExplainedMessage> => {
  const id = await wholeId('message', given, ...channels.map((channel) => newestMessages(beckon, scope, channel)));
  return inOneOf(channels, (channel) => beckon.sends.message(scope, channel, id));
};

/** What was found; null: it is not there. Throws everything else. */
const orNull = async <T>(found: Promise<T>): Promise<T | null> => {
  try {
    return await found;
  } catch (error) {
    if (failureOf(error).code !== 'NOT_FOUND') throw error;
    return null;
  }
};

/** One message, or the messages of a send one after another. */
const explain = (context: Context, flags: CommonFlags & ExplainFlags, given: string) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    const { io } = context;
    const channels = channelsOf(flags);
    const output = createOutput(io, flags);
    const message = await orNull(findMessage(beckon, scope, given, channels));
    if (message !== null) {
      output.answer(message, explanationLines(message, io));
      return undefined;
    }
    const send = await orNull(find(beckon, scope, given, channels));
    if (send === null)
      throw new CliError(EXIT.negative, `No message and no send in ${scope.environment} has the id ${given}.`, {
        code: 'NOT_FOUND',
        hint: `List sends: beckon sends list --env ${scope.environment}`,
      });
    const { channel, id } = send;
    const { rows, hasMore } = await collect<Message>(flags.limit, (query) =>
      beckon.sends.messages(scope, channel, id, query),
    );
    const messages: ExplainedMessage[] = [];
    for (const one of rows) messages.push(await beckon.sends.message(scope, channel, one.id));
    output.answer(
      { ...send, messages },
      messages.length === 0
        ? [...sendLines(send), '', withoutMessages(send)]
        : messages.flatMap((one, at) => [...(at === 0 ? [] : ['']), ...explanationLines(one, io)]),
    );
    noteMore(output, hasMore, flags.limit, ' messages');
    return undefined;
  });

const list = async ({ sends }: Beckon, scope: Scope, flags: ListFlags) => {
  const { status, limit } = flags;
  const lists = await Promise.all(
    channelsOf(flags).map((channel) => collect(limit, (query) => sends.list(scope, channel, { status, ...query }))),
  );
  const all = lists.flatMap(({ rows }) => rows);
  // Ids are UUIDv7, which decide between sends of one millisecond.
  const newest = all.toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
  return { rows: newest.slice(0, limit), hasMore: newest.length > limit || lists.some(({ hasMore }) => hasMore) };
};

const get = (context: Context, flags: CommonFlags & GetFlags, id: string) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    const send = await find(beckon, scope, id, channelsOf(flags));
    const output = createOutput(context.io, flags);
    if (flags.messages !== true) {
      output.answer(send, sendLines(send));
      return undefined;
    }
    const { rows: messages, hasMore } = await collect<Message>(flags.limit, (query) =>
      beckon.sends.messages(scope, send.channel, send.id, query),
    );
    const lines = messageLines(messages, context.io);
    output.answer({ ...send, messages }, [...sendLines(send), '', ...lines]);
    noteMore(output, hasMore, flags.limit, ' messages');
    return undefined;
  });

/** `beckon sends list|get|explain|cancel`: what became of what was sent. */
export const register: Register = (program, context) => {
  const group = program.command('sends').description('see what became of sends, and cancel one in time');
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description))))
      .addOption(environmentOption())
      .addOption(new Option('--channel <name>', 'of this channel only').choices(CHANNELS));

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .addOption(new Option('--status <status>', 'in this status only').choices(SEND_STATUSES))
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { rows, hasMore } = await list(beckon, scope, flags);
          const output = createOutput(context.io, flags);
          output.rows(rows, sendColumns(context.io));
          if (output.form === 'table' && rows.length === 0) output.note(`Nothing was sent yet in ${context.place}.`);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('get', 'show one'))
    .argument('<id>', 'id of the send')
    .option('--messages', 'show its messages too')
    .option('--limit <number>', 'how many messages at most', limitOf, DEFAULT_LIMIT)
    .action(act<GetFlags>(context, (flags, [id = '']) => get(context, flags, id)));

  outputOptions(leaf('explain', 'show one message, and what each gate says of it: why it went, waits or did not go'))
    .argument('<id>', 'id of a message or of a send; of a send each message is explained')
    .option('--limit <number>', 'how many messages of a send at most', limitOf, MAX_EXPLAINED)
    .action(act<ExplainFlags>(context, (flags, [id = '']) => explain(context, flags, id)));

  outputOptions(leaf('cancel', 'cancel one of which nothing was handed over; exits 6 when it is too late'))
    .argument('<id>', 'id of the send')
    .action(
      act<ChannelFlags>(context, (flags, [id = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const found = await find(beckon, scope, id, channelsOf(flags));
          const send = await beckon.sends.cancel(scope, found.channel, found.id);
          createOutput(context.io, flags).answer(send, [`Cancelled ${send.id}.`]);
          return undefined;
        }),
      ),
    );
};
