import type { Audience, AudienceInput, AudienceMember, AudiencePatch, Profile } from '@beckon/core';
import { type Command, Option } from 'commander';
import { audienceOf } from '../audience-of.ts';
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
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { isObject } from '../is-object.ts';
import { notJson } from '../json-text.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type ImportFlags, listOptions } from '../lists/options.ts';
import { type Column, createOutput, jsonLine } from '../output.ts';
import { progressLines } from '../progress.ts';
import { inEnvironment } from '../scoped.ts';

/** Bytes of a predicate in a file; ours, as of a request. */
const MAX_PREDICATE_BYTES = 1_048_576;
/** Members of one page of an export. Source: contract, Conventions. */
const PAGE = 200;

type SaveFlags = CommonFlags & {
  readonly name?: string;
  readonly description?: string;
  readonly predicate?: string;
};
type ListFlags = CommonFlags & { readonly limit: number };
type ImportMembersFlags = CommonFlags & ImportFlags & { readonly remove?: true };
type ExportFlags = CommonFlags & { readonly format?: 'csv' | 'ndjson' };

const COLUMNS: readonly Column<Audience>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
  ['KIND', ({ kind }) => kind],
  ['MEMBERS', ({ memberCount }) => memberCount],
  ['STATUS', ({ status }) => status],
];
const MEMBERS: readonly Column<AudienceMember>[] = [
  ['USER', ({ userId }) => userId],
  ['SINCE', ({ joinedAt }) => joinedAt.toISOString()],
];
const USERS: readonly Column<Profile>[] = [
  ['USER', ({ userId }) => userId],
  ['EMAIL', ({ email }) => email],
  ['LAST SEEN', ({ lastSeenAt }) => lastSeenAt.toISOString()],
];

/** A predicate from a file, or stdin: by itself, or as the member of an object that holds more. */
const predicateIn = async ({ io }: Context, file: string): Promise<unknown> => {
  const tooLarge = (): CliError => new CliError(EXIT.invalid, `${file} is larger than ${MAX_PREDICATE_BYTES} bytes.`);
  const text = Buffer.from(await readInput(io, file, MAX_PREDICATE_BYTES, tooLarge)).toString('utf8');
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) && 'predicate' in read ? read['predicate'] : read;
  } catch (cause) {
    throw notJson(file, text) ?? cause;
  }
};

const savedOf = async (context: Context, { name, description, predicate }: SaveFlags): Promise<AudiencePatch> => ({
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description: description === '' ? null : description }),
  ...(predicate === undefined ? {} : { predicate: await predicateIn(context, predicate) }),
});

const importFile = async (context: Context, flags: ImportMembersFlags, named: string, path: string) => {
  const { openList } = await import('../lists/open-list.ts');
  const { exitOf, importList, rejectedLine } = await import('../lists/import-list.ts');
  const { isPlaceholderUserId, PLACEHOLDER_USER_ID } = await import('@beckon/core');
  const { errors, remove = false } = flags;
  await using list = await openList(context.io, path, 'user', flags);
  // Awaited here, or the file would be closed before it is read.
  return await inEnvironment(context, flags, async (beckon, scope) => {
    const output = createOutput(context.io, flags);
    const { id, name } = await audienceOf(beckon, scope, named);
    const sum = { added: 0, known: 0, removed: 0 };
    const put = async (values: readonly string[]): Promise<ReadonlyMap<number, string>> => {
      // A list takes no placeholder for a user; one that it has may be taken off.
      const isBad = (userId: string): boolean => !remove && isPlaceholderUserId(userId);
      const userIds = values.filter((userId) => !isBad(userId));
      if (remove) sum.removed += (await beckon.audiences.removeMembers(scope, id, { userIds })).removed;
      else if (userIds.length > 0) {
        const { added, known } = await beckon.audiences.addMembers(scope, id, { userIds });
        sum.added += added;
        sum.known += known;
      }
      return new Map(
        [...values.entries()].filter(([, userId]) => isBad(userId)).map(([at]) => [at, PLACEHOLDER_USER_ID]),
      );
    };
    const rejected = await importList(context.io, output, list, { what: 'users', errors }, put);
    const { added, known, removed } = sum;
    output.answer({ ...(remove ? { removed } : { added, known }), ...rejected, source: list.source }, [
      remove ? `${removed} users were taken off ${name}.` : `${added} users were put on ${name}; ${known} were there.`,
      ...rejectedLine(rejected, errors),
    ]);
    return exitOf(rejected);
  });
};

const exportMembers = async (context: Context, { format = 'csv', ...flags }: ExportFlags, named: string) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    const { cellOf } = await import('../lists/table.ts');
    const { id, memberCount } = await audienceOf(beckon, scope, named);
    const output = createOutput(context.io, flags);
    const progress = progressLines('users', context.io.now, output.note);
    if (format === 'csv') context.io.stdout.write('userId,joinedAt\n');
    let done = 0;
    for (let cursor: string | undefined; ; ) {
      const { data, pagination } = await beckon.audiences.members(scope, id, { limit: PAGE, cursor });
      for (const { userId, joinedAt } of data)
        context.io.stdout.write(
          format === 'csv' ? `${cellOf(userId)},${joinedAt.toISOString()}\n` : jsonLine({ userId, joinedAt }),
        );
      done += data.length;
      progress({ done, of: Math.max(memberCount, done + 1) });
      if (pagination.nextCursor === null) break;
      cursor = pagination.nextCursor;
    }
    output.note(`${done} users.`);
    return undefined;
  });

/** `beckon audiences list|show|create|update|delete|members|preview|explain|import|export`: groups of users. */
export const register: Register = (program, context) => {
  const group = program.command('audiences').description('groups of users: by what is known of them, or as lists');
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
      environmentOption(),
    );
  const one = (name: string, description: string): Command =>
    leaf(name, description).argument('<audience>', 'id or name of the audience');
  const LISTS = ['table', 'json', 'ndjson', 'yaml'] as const;
  const saving = (command: Command): Command =>
    command
      .option('--description <text>', 'what it is for; empty: nothing')
      .option('--predicate <file>', 'JSON of whom it holds; - is stdin');

  outputOptions(leaf('list', 'list audiences, newest first'), LISTS)
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inEnvironment(context, flags, async ({ audiences }, scope) => {
          const { rows, hasMore } = await collect(flags.limit, (query) => audiences.list(scope, query));
          const output = createOutput(context.io, flags);
          output.rows(rows, COLUMNS);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(one('show', 'show one, with its predicate')).action(
    act(context, (flags, [named = '']) =>
      inEnvironment(context, flags, async (beckon, scope) => {
        const audience = await audienceOf(beckon, scope, named);
        const { id, name, kind, memberCount, status, version, description, predicate } = audience;
        createOutput(context.io, flags).answer(audience, [
          `${name} (${id}), ${kind}, version ${version}`,
          ...(description === null ? [] : [description]),
          `${memberCount} users${status === 'computing' ? ' so far; it is being computed' : ''}`,
          ...(predicate === null ? [] : [JSON.stringify(predicate, null, 2)]),
        ]);
        return undefined;
      }),
    ),
  );

  saving(outputOptions(leaf('create', 'create one: with a predicate, or without one as a list')))
    .requiredOption('--name <text>', 'what it is called')
    .action(
      act<SaveFlags>(context, async (flags) => {
        const body = await savedOf(context, flags);
        return inEnvironment(context, flags, async ({ audiences }, scope) => {
          // Safe: the engine's schema looks at the body whatever its type.
          const made = await audiences.create(scope, body as AudienceInput);
          createOutput(context.io, flags).answer(made, [`The audience ${made.name} is ${made.id}.`]);
          return undefined;
        });
      }),
    );

  saving(outputOptions(one('update', 'change one: what is not told stays')))
    .option('--name <text>', 'what it is called from now on')
    .action(
      act<SaveFlags>(context, async (flags, [named = '']) => {
        const body = await savedOf(context, flags);
        return inEnvironment(context, flags, async (beckon, scope) => {
          const { id } = await audienceOf(beckon, scope, named);
          const left = await beckon.audiences.update(scope, id, body);
          createOutput(context.io, flags).answer(left, [`The audience ${left.name} is at version ${left.version}.`]);
          return undefined;
        });
      }),
    );

  outputOptions(one('delete', 'delete one that nothing names')).action(
    act(context, (flags, [named = '']) =>
      inEnvironment(context, flags, async (beckon, scope) => {
        const gone = await beckon.audiences.remove(scope, (await audienceOf(beckon, scope, named)).id);
        createOutput(context.io, flags).answer(gone, [`The audience ${gone.name} is deleted.`]);
        return undefined;
      }),
    ),
  );

  outputOptions(one('members', 'list who is in one, by their ids'), LISTS)
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags, [named = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { id } = await audienceOf(beckon, scope, named);
          const { rows, hasMore } = await collect(flags.limit, (query) => beckon.audiences.members(scope, id, query));
          const output = createOutput(context.io, flags);
          output.rows(rows, MEMBERS);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('preview', 'tell whom a predicate holds for, without keeping it'), LISTS)
    .argument('<file>', 'JSON of the predicate; - is stdin')
    .action(
      act(context, async (flags, [file = '']) => {
        const predicate = await predicateIn(context, file);
        return inEnvironment(context, flags, async ({ audiences }, scope) => {
          const { count, sample } = await audiences.preview(scope, { predicate });
          const output = createOutput(context.io, flags);
          if (output.form === 'table') {
            output.rows(sample, USERS);
            output.note(`${count} users in all.`);
          } else output.answer({ count, sample }, []);
          return undefined;
        });
      }),
    );

  outputOptions(one('explain', 'explain why a user is in one, or is not'))
    .argument('<user>', 'id of the user')
    .action(
      act(context, (flags, [named = '', userId = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { id } = await audienceOf(beckon, scope, named);
          const told = await beckon.audiences.explain(scope, id, userId);
          createOutput(context.io, flags).answer(told, [
            `${userId} is ${told.isMember ? '' : 'not '}in ${told.name}.`,
            ...(told.explanation === null ? [] : [JSON.stringify(told.explanation, null, 2)]),
          ]);
          return undefined;
        }),
      ),
    );

  listOptions(outputOptions(one('import', 'put the users of a file on a list, or take them off')))
    .argument('<file>', 'CSV with a column of user ids, one id a line, or JSON; in UTF-8 or UTF-16; - is stdin')
    .option('--remove', 'take them off the list')
    .addHelpText(
      'after',
      `
The column of user ids is found by its name and printed; where it is not certain, nothing is imported.
Exits 7 when rows were rejected.

Examples:
  beckon audiences import Beta users.csv --env prod
  beckon audiences import Beta crm.csv --column "Kundennummer" --errors rejected.csv --env prod
  beckon audiences import Beta ids.txt --no-header --env prod
  beckon audiences export Beta --env test | beckon audiences import Beta - --env prod`,
    )
    .action(
      act<ImportMembersFlags>(context, (flags, [named = '', file = '']) => importFile(context, flags, named, file)),
    );

  one('export', 'write who is in one to stdout')
    .addOption(new Option('--format <format>', 'a table, or one JSON object a line').choices(['csv', 'ndjson']))
    .option('-q, --quiet', 'say nothing on stderr')
    .action(act<ExportFlags>(context, (flags, [named = '']) => exportMembers(context, flags, named)));
};
