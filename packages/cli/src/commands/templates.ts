import type { Beckon, Channel, PreviewInput, ProjectScope, TemplateRow } from '@beckon/core';
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
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { contentLines } from '../message-text.ts';
import { CHANNELS } from '../names.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment, inProject } from '../scoped.ts';
import { suppressedText } from '../suppressed-text.ts';
import { pairOf } from './send-body.ts';
import { registerSync } from './templates-sync.ts';

type ChannelFlags = { readonly channel?: Channel };
type ListFlags = ChannelFlags & { readonly limit: number };
type PreviewFlags = ChannelFlags & {
  readonly user?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly locale?: string;
};
type Found = { readonly channel: Channel; readonly id: string };

const columns = ({ io }: Context): readonly Column<TemplateRow>[] => [
  ['CHANNEL', ({ channel }) => channel],
  ['NAME', ({ name }) => name],
  ['VERSION', ({ version }) => version],
  ['CHANGED', ({ updatedAt }) => (io.stdout.isTTY ? relativeTime(updatedAt, io.now()) : updatedAt.toISOString())],
  ['ID', ({ id }) => (io.stdout.isTTY ? shortId(id) : id)],
];

const asked = ({ channel }: ChannelFlags): readonly Channel[] => (channel === undefined ? CHANNELS : [channel]);

const isThere = async (beckon: Beckon, scope: ProjectScope, { channel, id }: Found): Promise<boolean> => {
  try {
    await beckon.templates.get(scope, channel, id);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND') return false;
    throw error;
  }
};

/** The template of that name or id. Throws CliError: none (1), or several channels have the name (2). */
const find = async (beckon: Beckon, scope: ProjectScope, given: string, flags: ChannelFlags): Promise<Found> => {
  const channels = asked(flags);
  const { templates } = beckon;
  const named: Found[] = [];
  for (const channel of channels)
    for (const { id } of (await templates.list(scope, channel, { name: given, limit: 1 })).data)
      named.push({ channel, id });
  const [first, ...others] = named;
  if (first && others.length === 0) return first;
  if (first) {
    const ids = named.map(({ channel, id }) => `  ${id}  ${channel}`).join('\n');
    throw usageError(`Several channels have a template ${given}. Use --channel or an id:\n${ids}`);
  }
  const id = await wholeId(
    'template',
    given,
    ...channels.map((channel) => (query: object) => templates.list(scope, channel, query)),
  );
  for (const channel of channels) if (await isThere(beckon, scope, { channel, id })) return { channel, id };
  throw new CliError(EXIT.negative, `This project has no template of the name or id ${given}.`, {
    code: 'NOT_FOUND',
    hint: 'See them with: beckon templates list',
  });
};

const list = (context: Context, flags: CommonFlags & ListFlags) =>
  inProject(context, flags, async ({ templates }, scope) => {
    const rows: TemplateRow[] = [];
    let isCut = false;
    for (const channel of asked(flags)) {
      const found = await collect(flags.limit, (query) => templates.list(scope, channel, query));
      rows.push(...found.rows);
      isCut ||= found.hasMore;
    }
    const output = createOutput(context.io, flags);
    output.rows(rows, columns(context));
    if (output.form === 'table' && rows.length === 0) output.note(`This project has no template in ${context.place}.`);
    noteMore(output, isCut, flags.limit);
    return undefined;
  });

const show = (context: Context, flags: CommonFlags & ChannelFlags, given: string) =>
  inProject(context, flags, async (beckon, scope) => {
    const { channel, id } = await find(beckon, scope, given, flags);
    const template = await beckon.templates.get(scope, channel, id);
    const { orgId: _org, projectId: _project, name, version, createdAt, updatedAt, ...content } = template;
    const { id: _id, channel: _channel, ...fields } = content;
    createOutput(context.io, flags).answer(template, [
      ...fieldLines([
        ['id', id],
        ['channel', channel],
        ['name', name],
        ['version', version],
        ['created', createdAt.toISOString()],
        ['changed', updatedAt.toISOString()],
      ]),
      ...contentLines({ ...fields }),
    ]);
    return undefined;
  });

const preview = (context: Context, flags: CommonFlags & PreviewFlags, given: string) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    const { channel, id } = await find(beckon, scope, given, flags);
    const input: PreviewInput = { userId: flags.user, variables: flags.data, locale: flags.locale };
    const shown = await beckon.templates.preview(scope, channel, id, input);
    const { status, reason, content, unresolved, warnings } = shown;
    const output = createOutput(context.io, flags);
    output.answer(shown, [
      `would be: ${status}${reason === null ? '' : ` (${reason})`}`,
      ...(content === null ? [] : contentLines({ ...content })),
    ]);
    if (status === 'suppressed' && reason !== null) output.note(suppressedText(channel, reason));
    if (unresolved.length > 0) output.note(`Nothing stands in the place of: ${unresolved.join(', ')}`);
    for (const { path, message } of warnings) output.note(path === null ? message : `${path}: ${message}`);
    return status === 'queued' ? EXIT.ok : EXIT.negative;
  });

/** `beckon templates list|show|preview|pull|push|diff`: what messages say, under a name; of a project, not an environment. */
export const register: Register = (program, context) => {
  const group = program.command('templates').description('see templates, and keep them in a folder of files');
  const leaf = (name: string, description: string): Command =>
    outputOptions(scopeOptions(databaseOptions(group.command(name).description(description))));
  const channel = (): Option => new Option('--channel <channel>', 'of this channel').choices(CHANNELS);

  outputOptions(scopeOptions(databaseOptions(group.command('list').description('list them, newest first'))), [
    'table',
    'json',
    'ndjson',
    'yaml',
  ])
    .addOption(channel())
    .option('--limit <number>', 'how many of a channel at most', limitOf, DEFAULT_LIMIT)
    .action(act<ListFlags>(context, (flags) => list(context, flags)));

  leaf('show', 'show one with what it holds')
    .argument('<template>', 'its name or id')
    .addOption(channel())
    .action(act<ChannelFlags>(context, (flags, [given = '']) => show(context, flags, given)));

  leaf('preview', 'render one for a user, or for nobody; exits 1 when it would not go out')
    .argument('<template>', 'its name or id')
    .addOption(channel())
    .addOption(environmentOption())
    .option('--user <id>', 'for this user; else values are made up')
    .option('--data <key=value>', 'a value of event.*; may be given several times', pairOf)
    .option('--locale <tag>', 'in place of the language of the user')
    .action(act<PreviewFlags>(context, (flags, [given = '']) => preview(context, flags, given)));

  registerSync(leaf, context);
};
