import type { Channel, Page, PageQuery } from '@beckon/core';
import { Option } from 'commander';
import type { Answer, Api, RowOf } from '../api.ts';
import { type ChannelFlags, channelOption, channelsOf, firstFound, newestOf, nullIfNotFound } from '../channels.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { explanationLines } from '../explanation-text.ts';
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOption, noteMore } from '../listing.ts';
import { messageLines, sendColumns, sendLines } from '../send-text.ts';
import { custom } from '../table/custom.ts';
import { optionsOf } from '../table/flags.ts';
import { noun, ROWS } from '../table/noun.ts';

type Send = Answer<`GET /${Channel}/sends/{id}`>;
type Message = RowOf<`GET /${Channel}/sends/{id}/messages`>;
type ExplainedMessage = Answer<`GET /${Channel}/messages/{id}`>;
type ListFlags = ChannelFlags & { readonly status?: Send['status']; readonly limit: number };
type ExplainFlags = ChannelFlags & { readonly limit: number };
type GetFlags = ChannelFlags & { readonly messages?: boolean; readonly limit: number };

/** Default number of explained messages of a send. Chosen: one screen; each needs one request. */
const MAX_EXPLAINED = 10;
/** Newest sends per channel whose messages are searched for a short id. Chosen: one screen. */
const MAX_SENDS = DEFAULT_LIMIT;

/** Why a send has no messages to explain. */
const withoutMessages = ({ status, scheduledFor }: Send): string => {
  if (status !== 'queued' && status !== 'sending') return 'The send has no messages: it had no recipients.';
  const when = scheduledFor === null ? '' : ` at ${scheduledFor}`;
  return `The send has no messages yet. A worker creates them${when}.`;
};

/** A send by id. Throws NOT_FOUND. */
const find = async (api: Api, text: string, channels: readonly Channel[]): Promise<Send> => {
  const lists = channels.map((channel) => (query: PageQuery) => api.page(`GET /${channel}/sends`, { query }));
  const id = await wholeId('send', text, ...lists);
  return firstFound(channels, (channel) => api.call(`GET /${channel}/sends/{id}`, { params: { id } }));
};

const messagesOf = (
  api: Api,
  { channel, id }: Pick<Send, 'channel' | 'id'>,
  query: PageQuery,
): Promise<Page<Message>> => api.page(`GET /${channel}/sends/{id}/messages`, { params: { id }, query });

/** Messages of the newest sends of a channel. */
const newestMessages =
  (api: Api, channel: Channel) =>
  async ({ limit = DEFAULT_LIMIT }: PageQuery): Promise<Page<Message>> => {
    const data: Message[] = [];
    const { rows } = await collect<Send>(MAX_SENDS, (query) => api.page(`GET /${channel}/sends`, { query }));
    for (const { id } of rows) data.push(...(await messagesOf(api, { channel, id }, { limit })).data);
    return { data, pagination: { limit, hasMore: false, nextCursor: null } };
  };

/** A message by id. Throws NOT_FOUND. */
const findMessage = async (api: Api, text: string, channels: readonly Channel[]): Promise<ExplainedMessage> => {
  const id = await wholeId('message', text, ...channels.map((channel) => newestMessages(api, channel)));
  return firstFound(channels, (channel) => api.call(`GET /${channel}/messages/{id}`, { params: { id } }));
};

const send = ['<id>', 'Send id'] as const;

/** Sends and the status of their messages. */
export const sends = noun('sends', 'Inspect, explain and cancel sends', {
  list: custom<ListFlags>({
    about: 'List sends, newest first',
    examples: ['--env test', '--channel sms --status failed --env test'],
    forms: ROWS,
    options: [
      channelOption(),
      ...optionsOf('GET /email/sends', { status: { text: 'Status', value: 'status' } }),
      limitOption('Maximum number of rows'),
    ],
    work: async (api, { flags, output, context, screen }) => {
      const { status } = flags;
      const { rows, hasMore } = await newestOf<Send>(
        channelsOf(flags),
        flags.limit,
        (channel, query) => api.page(`GET /${channel}/sends`, { query: { status, ...query } }),
        ({ createdAt }) => createdAt,
      );
      output.rows(rows, sendColumns(screen));
      if (output.form === 'table' && rows.length === 0)
        output.note(`No sends match in ${api.environment} (${context.place}).`);
      noteMore(output, hasMore, flags.limit);
      return undefined;
    },
  }),
  show: custom<GetFlags>({
    about: 'Show a send; --messages lists its messages',
    examples: ['SEND_ID --messages --env test'],
    args: [send],
    options: [
      channelOption(),
      new Option('--messages', 'Also list its messages'),
      limitOption('Maximum number of messages'),
    ],
    work: async (api, { flags, args: [id = ''], output, screen }) => {
      const found = await find(api, id, channelsOf(flags));
      if (flags.messages !== true) {
        output.answer(found, sendLines(found));
        return undefined;
      }
      const { rows: messages, hasMore } = await collect<Message>(flags.limit, (query) => messagesOf(api, found, query));
      output.answer({ ...found, messages }, [...sendLines(found), '', ...messageLines(messages, screen)]);
      noteMore(output, hasMore, flags.limit, ' messages');
      return undefined;
    },
  }),
  explain: custom<ExplainFlags>({
    about: 'Explain why a message was or was not sent',
    examples: ['MESSAGE_ID --env test', 'SEND_ID --limit 3 --env test'],
    args: [['<id>', 'Message id, or send id to explain its messages']],
    options: [channelOption(), limitOption('Maximum number of messages of a send', MAX_EXPLAINED)],
    work: async (api, { flags, args: [text = ''], output, screen }) => {
      const channels = channelsOf(flags);
      const message = await nullIfNotFound(findMessage(api, text, channels));
      if (message !== null) {
        output.answer(message, explanationLines(message, screen));
        return undefined;
      }
      const found = await nullIfNotFound(find(api, text, channels));
      if (found === null)
        throw new CliError(EXIT.negative, `No message or send has the id "${text}" in ${api.environment}.`, {
          code: 'NOT_FOUND',
          hint: `List sends: beckon sends list --env ${api.environment}`,
        });
      const { rows, hasMore } = await collect<Message>(flags.limit, (query) => messagesOf(api, found, query));
      const messages: ExplainedMessage[] = [];
      for (const { id } of rows)
        messages.push(await api.call(`GET /${found.channel}/messages/{id}`, { params: { id } }));
      output.answer(
        { ...found, messages },
        messages.length === 0
          ? [...sendLines(found), '', withoutMessages(found)]
          : messages.flatMap((one, at) => [...(at === 0 ? [] : ['']), ...explanationLines(one, screen)]),
      );
      noteMore(output, hasMore, flags.limit, ' messages');
      return undefined;
    },
  }),
  cancel: custom<ChannelFlags>({
    about: 'Cancel a send before its first message leaves',
    examples: ['SEND_ID --env test'],
    exits: '0 cancelled, 6 too late',
    args: [send],
    options: [channelOption()],
    work: async (api, { flags, args: [text = ''], output }) => {
      const { channel, id } = await find(api, text, channelsOf(flags));
      const cancelled = await api.call(`DELETE /${channel}/sends/{id}`, { params: { id } });
      output.answer(cancelled, [`Cancelled ${cancelled.id}.`]);
      return undefined;
    },
  }),
});
