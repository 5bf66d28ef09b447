import type { Channel } from '@beckon/core';
import { Option } from 'commander';
import type { Api, RowOf } from '../api.ts';
import { type ChannelFlags, channelOption, channelsOf, nullIfNotFound } from '../channels.ts';
import { CliError, EXIT, usageError } from '../exit-codes.ts';
import { wholeId } from '../ids.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import { contentLines } from '../message-text.ts';
import { fieldLines } from '../scoped.ts';
import { suppressedText } from '../suppressed-text.ts';
import { custom } from '../table/custom.ts';
import { noun, ROWS } from '../table/noun.ts';
import { pairOf } from './send-body.ts';
import { diffVerb, pullVerb, pushVerb } from './templates-sync.ts';

type Row = RowOf<`GET /${Channel}/templates`>;
type PreviewFlags = ChannelFlags & {
  readonly user?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly locale?: string;
};
type Found = { readonly channel: Channel; readonly id: string };

const getOf = (api: Api, { channel, id }: Found) => api.call(`GET /${channel}/templates/{id}`, { params: { id } });

/** A template by name or id. Throws CliError: not found (1), or a name that several channels have (2). */
const find = async (api: Api, text: string, flags: ChannelFlags): Promise<Found> => {
  const channels = channelsOf(flags);
  const named: Found[] = [];
  for (const channel of channels)
    for (const { id } of (await api.page(`GET /${channel}/templates`, { query: { name: text, limit: 1 } })).data)
      named.push({ channel, id });
  const [first, ...others] = named;
  if (first && others.length === 0) return first;
  if (first) {
    const ids = named.map(({ channel, id }) => `  ${id}  ${channel}`).join('\n');
    throw usageError(`Several channels have a template "${text}". Pass --channel or an id:\n${ids}`);
  }
  const lists = channels.map((channel) => (query: object) => api.page(`GET /${channel}/templates`, { query }));
  const id = await wholeId('template', text, ...lists);
  for (const channel of channels)
    if ((await nullIfNotFound(getOf(api, { channel, id }))) !== null) return { channel, id };
  throw new CliError(EXIT.negative, `No template has the name or id "${text}".`, {
    code: 'NOT_FOUND',
    hint: 'List templates: beckon templates list',
  });
};

const level = 'project';
const template = ['<template>', 'Template name or id'] as const;

/** Templates. They belong to a project and apply to both environments. */
export const templates = noun('templates', 'Manage templates; sync them with files', {
  list: custom<ChannelFlags & { readonly limit: number }>({
    level,
    about: 'List templates, newest first',
    examples: ['', '--channel email'],
    forms: ROWS,
    options: [channelOption(), limitOption('Maximum number of rows per channel')],
    work: async (api, { flags, output, context, screen: { id, time } }) => {
      const rows: Row[] = [];
      let isCut = false;
      for (const channel of channelsOf(flags)) {
        const found = await collect<Row>(flags.limit, (query) => api.page(`GET /${channel}/templates`, { query }));
        rows.push(...found.rows);
        isCut ||= found.hasMore;
      }
      output.rows(rows, [
        ['CHANNEL', ({ channel }) => channel],
        ['NAME', ({ name }) => name],
        ['VERSION', ({ version }) => version],
        ['UPDATED', ({ updatedAt }) => time(updatedAt)],
        ['ID', (row) => id(row.id)],
      ]);
      if (output.form === 'table' && rows.length === 0) output.note(`No templates in this project (${context.place}).`);
      noteMore(output, isCut, flags.limit);
      return undefined;
    },
  }),
  show: custom<ChannelFlags>({
    level,
    about: 'Show a template',
    examples: ['welcome --channel email'],
    args: [template],
    options: [channelOption()],
    work: async (api, { flags, args: [text = ''], output }) => {
      const found = await getOf(api, await find(api, text, flags));
      const { orgId: _org, projectId: _project, name, version, createdAt, updatedAt, ...content } = found;
      const { id, channel, ...fields } = content;
      output.answer(found, [
        ...fieldLines([
          ['id', id],
          ['channel', channel],
          ['name', name],
          ['version', version],
          ['created', createdAt],
          ['updated', updatedAt],
        ]),
        ...contentLines({ ...fields }),
      ]);
      return undefined;
    },
  }),
  preview: custom<PreviewFlags>({
    about: 'Render a template for a user',
    examples: ['welcome --user ada --env test'],
    exits: '0 would be sent, 1 would not',
    args: [template],
    options: [
      channelOption(),
      new Option('--user <id>', 'Render for this user (default: example values)'),
      new Option('--data <key=value>', 'Variable event.KEY; repeatable').argParser(pairOf),
      new Option('--locale <tag>', "Language instead of the user's"),
    ],
    work: async (api, { flags, args: [text = ''], output }) => {
      const { channel, id } = await find(api, text, flags);
      const { user: userId, data: variables, locale } = flags;
      const body = {
        ...(userId === undefined ? {} : { userId }),
        ...(variables === undefined ? {} : { variables }),
        ...(locale === undefined ? {} : { locale }),
      };
      const shown = await api.call(`POST /${channel}/templates/{id}/preview`, { params: { id }, body });
      const { status, reason, content, unresolved, warnings } = shown;
      output.answer(shown, [
        `result: ${status}${reason === null ? '' : ` (${reason})`}`,
        ...(content === null ? [] : contentLines({ ...content })),
      ]);
      if (status === 'suppressed' && reason !== null) output.note(suppressedText(channel, reason));
      if (unresolved.length > 0) output.note(`Variables without a value: ${unresolved.join(', ')}`);
      for (const { path, message } of warnings) output.note(path === null ? message : `${path}: ${message}`);
      return status === 'queued' ? EXIT.ok : EXIT.negative;
    },
  }),
  pull: pullVerb,
  push: pushVerb,
  diff: diffVerb,
});
