import type { Channel, PageQuery } from '@beckon/core';
import { Option } from 'commander';
import { abTestColumns, abTestLines, abTestStatsLines } from '../ab-test-text.ts';
import type { Answer, Api } from '../api.ts';
import { type ChannelFlags, channelOption, channelsOf, firstFound, newestOf } from '../channels.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { idOfNamed } from '../ids.ts';
import { readInput } from '../input.ts';
import { jsonOf } from '../json-text.ts';
import { limitOption, noteMore } from '../listing.ts';
import { CHANNELS } from '../names.ts';
import { custom } from '../table/custom.ts';
import { optionsOf } from '../table/flags.ts';
import { noun, ROWS } from '../table/noun.ts';

type AbTest = Answer<`GET /${Channel}/ab-tests/{id}`>;
type ListFlags = ChannelFlags & { readonly status?: AbTest['status']; readonly limit: number };

/** Maximum bytes of a test file, as for a request. Source: interface, Request body caps. */
const MAX_BYTES = 1_048_576;
const tooLarge = (): CliError =>
  new CliError(EXIT.invalid, `The file of --file exceeds ${MAX_BYTES} bytes, the maximum for an A/B test.`);

/** A test by id or name, in any channel. Throws CliError, or NOT_FOUND. */
const find = async (api: Api, named: string): Promise<AbTest> => {
  const lists = CHANNELS.map((channel) => (query: PageQuery) => api.page(`GET /${channel}/ab-tests`, { query }));
  const params = { id: await idOfNamed('test', named, ...lists) };
  return firstFound(CHANNELS, (channel) => api.call(`GET /${channel}/ab-tests/{id}`, { params }));
};

const test = ['<test>', 'Test id or name'] as const;

const changed = (about: string, status: 'paused' | 'running', done: string) =>
  custom({
    about,
    examples: ["'Subject lines' --env test"],
    args: [test],
    work: async (api, { args: [named = ''], output }) => {
      const { channel, id } = await find(api, named);
      const after = await api.call(`PATCH /${channel}/ab-tests/{id}`, { params: { id }, body: { status } });
      output.answer(after, [`${done} ${after.name}.`]);
      return undefined;
    },
  });

/** A/B tests of message content. */
export const abTests = noun('ab-tests', 'Manage A/B tests and their results', {
  list: custom<ListFlags>({
    about: 'List A/B tests, newest first',
    examples: ['--status running --env test'],
    forms: ROWS,
    options: [
      channelOption(),
      ...optionsOf('GET /email/ab-tests', { status: { text: 'Status', value: 'status' } }),
      limitOption(),
    ],
    work: async (api, { flags, output, context, screen }) => {
      const { status, limit } = flags;
      const { rows, hasMore } = await newestOf<AbTest>(channelsOf(flags), limit, (channel, query) =>
        api.page(`GET /${channel}/ab-tests`, { query: { status, ...query } }),
      );
      output.rows(rows, abTestColumns(screen));
      if (output.form === 'table' && rows.length === 0)
        output.note(`No A/B tests match in ${api.environment} (${context.place}).`);
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  show: custom({
    about: 'Show a test and its variants',
    examples: ["'Subject lines' --env test"],
    args: [test],
    work: async (api, { args: [named = ''], output }) => {
      const found = await find(api, named);
      output.answer(found, abTestLines(found));
      return undefined;
    },
  }),
  stats: custom({
    about: 'Show results: rates, lift, significance',
    examples: ["'Subject lines' --env test"],
    args: [test],
    work: async (api, { args: [named = ''], output, screen }) => {
      const { channel, id } = await find(api, named);
      const stats = await api.call(`GET /${channel}/ab-tests/{id}/stats`, { params: { id } });
      output.answer(stats, abTestStatsLines(stats, screen));
      return undefined;
    },
  }),
  create: custom<{ readonly file: string; readonly channel: Channel }>({
    about: 'Create a test from a JSON file',
    examples: ['--file test.json --channel email --env test'],
    help: '\nThe file contains name, variants and metric.',
    options: [
      new Option('--file <path>', 'JSON file, - for stdin').makeOptionMandatory(),
      channelOption().makeOptionMandatory(),
    ],
    work: async (api, { context, flags: { file, channel }, output }) => {
      const bytes = await readInput(context.io, file, MAX_BYTES, tooLarge);
      // Safe: core validates the body.
      const body = (await jsonOf(context, file, bytes)) as never;
      const made = await api.call(`POST /${channel}/ab-tests`, { body });
      output.answer(made, abTestLines(made));
      return undefined;
    },
  }),
  pause: changed('Pause a test; sends use their own content', 'paused', 'Paused'),
  resume: changed('Resume a paused test', 'running', 'Resumed'),
  complete: custom<{ readonly winner?: string }>({
    about: 'Complete a test, optionally with a winner',
    examples: ["'Subject lines' --winner b --env test"],
    exits: '0 completed, 6 already over',
    args: [test],
    options: [new Option('--winner <key>', 'Key of the winning variant')],
    work: async (api, { flags: { winner }, args: [named = ''], output }) => {
      const { channel, id } = await find(api, named);
      const body = winner === undefined ? {} : { winnerKey: winner };
      const after = await api.call(`POST /${channel}/ab-tests/{id}/complete`, { params: { id }, body });
      const won = after.winnerKey === null ? '' : ` Winner: ${after.winnerKey}.`;
      output.answer(after, [`Completed ${after.name}.${won}`]);
      return undefined;
    },
  }),
});
