import { Option } from 'commander';
import type { Api, FieldOf } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { isObject } from '../is-object.ts';
import { jsonErrorOf } from '../json-text.ts';
import { type ImportFlags, listOptions } from '../lists/options.ts';
import { audienceOf } from '../lookups.ts';
import { createOutput, jsonLine } from '../output.ts';
import { progressLines } from '../progress.ts';
import { inApi } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import type { Flags } from '../table/flags.ts';
import { noun, ROWS } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

/** Maximum bytes of a predicate file. Chosen: as for a request. */
const MAX_PREDICATE_BYTES = 1_048_576;
/** Members per page of an export. Source: contract, Conventions. */
const PAGE = 200;

type ImportMembersFlags = CommonFlags & ImportFlags & { readonly remove?: true };

/** Reads a predicate from a file or stdin: the value itself, or `predicate` of an object. */
const predicateIn = async (file: string, { io }: Context): Promise<unknown> => {
  const tooLarge = (): CliError =>
    new CliError(EXIT.invalid, `${file} exceeds ${MAX_PREDICATE_BYTES} bytes, the maximum for a predicate.`);
  const text = Buffer.from(await readInput(io, file, MAX_PREDICATE_BYTES, tooLarge)).toString('utf8');
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) && 'predicate' in read ? read['predicate'] : read;
  } catch (cause) {
    throw jsonErrorOf(file, text) ?? cause;
  }
};

const importFile = async (context: Context, flags: ImportMembersFlags, [named = '', path = '']: readonly string[]) => {
  const { openList } = await import('../lists/open-list.ts');
  const { exitOf, importList, rejectedLine } = await import('../lists/import-list.ts');
  const { isPlaceholderUserId, PLACEHOLDER_USER_ID } = await import('@beckon/core');
  const { errors, remove = false } = flags;
  await using list = await openList(context.io, path, 'user', flags);
  // Awaited here, or the file would be closed before it is read.
  return await inApi(context, flags, {}, async (api) => {
    const output = createOutput(context.io, flags);
    const { id, name } = await audienceOf(api, named);
    const params = { id };
    const sum = { added: 0, existing: 0, removed: 0 };
    const put = async (values: readonly string[]): Promise<ReadonlyMap<number, string>> => {
      // Placeholder ids are rejected when adding; stored ones can be removed.
      const isBad = (userId: string): boolean => !remove && isPlaceholderUserId(userId);
      const body = { userIds: values.filter((userId) => !isBad(userId)) };
      if (remove) sum.removed += (await api.call('POST /audiences/{id}/members/remove', { params, body })).removed;
      else if (body.userIds.length > 0) {
        const { added, existing } = await api.call('POST /audiences/{id}/members', { params, body });
        sum.added += added;
        sum.existing += existing;
      }
      return new Map(
        [...values.entries()].filter(([, userId]) => isBad(userId)).map(([at]) => [at, PLACEHOLDER_USER_ID]),
      );
    };
    const rejected = await importList(context.io, output, list, { what: 'users', errors }, put);
    const { added, existing, removed } = sum;
    output.answer({ ...(remove ? { removed } : { added, existing }), ...rejected, source: list.source }, [
      remove
        ? `Removed ${removed} users from ${name}.`
        : `Added ${added} users to ${name}; ${existing} were already members.`,
      ...rejectedLine(rejected, errors),
    ]);
    return exitOf(rejected);
  });
};

const idOf = async (api: Api, named: string): Promise<string> => (await audienceOf(api, named)).id;
const audience = { arg: ['<audience>', 'Segment id or name'], into: 'id', find: idOf } as const;
const saved: Flags<FieldOf<'PATCH /audiences/{id}'>> = {
  description: {
    text: 'Description; an empty text removes it',
    convert: (text: string) => (text === '' ? null : text),
  },
  predicate: { text: 'JSON file, - for stdin; makes the segment dynamic', value: 'file', convert: predicateIn },
};

/** Segments: dynamic (by predicate) or static (lists). */
export const audiences = noun('audiences', 'Manage segments (audiences)', {
  list: lists('GET /audiences', {
    about: 'List segments, newest first',
    examples: ['--env test'],
    columns: () => [
      ['ID', ({ id }) => id],
      ['NAME', ({ name }) => name],
      ['KIND', ({ kind }) => kind],
      ['MEMBERS', ({ memberCount }) => memberCount],
      ['STATUS', ({ status }) => status],
    ],
  }),
  show: custom({
    about: 'Show a segment and its predicate',
    examples: ['Beta --env test'],
    args: [audience.arg],
    work: async (api, { args: [named = ''], output }) => {
      const found = await audienceOf(api, named);
      const { id, name, kind, memberCount, status, version, description, predicate } = found;
      output.answer(found, [
        `${name} (${id}), ${kind}, version ${version}`,
        ...(description === null ? [] : [description]),
        `${memberCount} users${status === 'computing' ? ' so far (computing)' : ''}`,
        ...(predicate === null ? [] : [JSON.stringify(predicate, null, 2)]),
      ]);
      return undefined;
    },
  }),
  create: calls('POST /audiences', {
    about: 'Create a dynamic or static segment',
    examples: ['--name Beta --env test', '--name Pro --predicate pro.json --env test'],
    flags: { ...saved, name: 'Name' },
    lines: ({ name, id }) => [`Created segment ${name} (${id}).`],
  }),
  update: calls('PATCH /audiences/{id}', {
    about: 'Update a segment',
    examples: ['Pro --predicate pro.json --env test'],
    args: [audience],
    flags: { ...saved, name: 'New name' },
    lines: ({ name, version }) => [`Updated segment ${name} (version ${version}).`],
  }),
  delete: calls('DELETE /audiences/{id}', {
    about: 'Delete an unused segment',
    examples: ['Beta --env test'],
    args: [audience],
    lines: ({ name }) => [`Deleted segment ${name}.`],
  }),
  members: lists('GET /audiences/{id}/members', {
    about: 'List the members of a segment',
    examples: ['Beta --env test'],
    args: [audience],
    columns: () => [
      ['USER', ({ userId }) => userId],
      ['SINCE', ({ joinedAt }) => joinedAt],
    ],
  }),
  preview: custom({
    about: 'Count users that match a predicate',
    examples: ['pro.json --env test'],
    args: [['<file>', 'JSON file with the predicate, - for stdin']],
    forms: ROWS,
    work: async (api, { context, args: [file = ''], output }) => {
      // Safe: core validates the body.
      const body = { predicate: (await predicateIn(file, context)) as never };
      const { count, sample } = await api.call('POST /audiences/preview', { body });
      if (output.form !== 'table') output.answer({ count, sample }, []);
      else {
        output.rows(sample, [
          ['USER', ({ userId }) => userId],
          ['EMAIL', ({ email }) => email],
          ['LAST SEEN', ({ lastSeenAt }) => lastSeenAt],
        ]);
        output.note(`${count} users match.`);
      }
      return undefined;
    },
  }),
  explain: calls('GET /audiences/{id}/explain/{userId}', {
    about: 'Explain why a user is or is not a member',
    examples: ['Pro ada --env test'],
    args: [audience, { arg: ['<user>', 'User id'], into: 'userId' }],
    lines: ({ userId, isMember, name, explanation }) => [
      `${userId} is ${isMember ? '' : 'not '}in ${name}.`,
      ...(explanation === null ? [] : [JSON.stringify(explanation, null, 2)]),
    ],
  }),
  import: {
    about: 'Add or remove members from a file',
    examples: [
      'Beta users.csv --env test',
      'Beta crm.csv --column "Kundennummer" --errors rejected.csv --env test',
      'Beta ids.txt --no-header --env test',
      'Beta - --env test < ids.txt',
    ],
    help: '\nDetects the column of user ids by its name. An ambiguous file imports nothing.',
    exits: '0 all rows, 7 some rows rejected',
    args: [audience.arg, ['<file>', 'CSV, JSON or one id per line; - for stdin']],
    options: [...listOptions(), new Option('--remove', 'Remove the users instead')],
    isRemote: true,
    run: importFile,
  },
  export: custom<{ readonly format?: 'csv' | 'ndjson' }>({
    about: 'Export members as CSV or NDJSON',
    examples: ['Beta --env test > users.csv'],
    args: [audience.arg],
    options: [new Option('--format <format>', 'Output format (default: csv)').choices(['csv', 'ndjson'])],
    forms: [],
    work: async (api, { context: { io }, flags: { format = 'csv' }, args: [named = ''], output }) => {
      const { cellOf } = await import('../lists/table.ts');
      const { id, memberCount } = await audienceOf(api, named);
      const progress = progressLines('users', io.now, output.note);
      if (format === 'csv') io.stdout.write('userId,joinedAt\n');
      let done = 0;
      for (let cursor: string | undefined; ; ) {
        const query = { limit: PAGE, cursor };
        const { data, pagination } = await api.page('GET /audiences/{id}/members', { params: { id }, query });
        for (const { userId, joinedAt } of data)
          io.stdout.write(format === 'csv' ? `${cellOf(userId)},${joinedAt}\n` : jsonLine({ userId, joinedAt }));
        done += data.length;
        progress({ done, of: Math.max(memberCount, done + 1) });
        if (pagination.nextCursor === null) break;
        cursor = pagination.nextCursor;
      }
      output.note(`${done} users.`);
      return undefined;
    },
  }),
});
