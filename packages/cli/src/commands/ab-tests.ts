import type { AbTest, AbTestInput, Beckon, Channel, PageQuery, Scope } from '@beckon/core';
import { type Command, Option } from 'commander';
import { abTestColumns, abTestLines, abTestStatsLines } from '../ab-test-text.ts';
import {
  act,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  scopeOptions,
} from '../command-line.ts';
import { CliError, EXIT, failureOf } from '../exit-codes.ts';
import { idOfNamed } from '../ids.ts';
import { readInput } from '../input.ts';
import { jsonOf } from '../json-text.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { AB_TEST_STATUSES, CHANNELS } from '../names.ts';
import { createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

type ListFlags = { readonly channel?: Channel; readonly status?: AbTest['status']; readonly limit: number };

/** Bytes of a file with a test: what a request may have. Source: interface, Request body caps. */
const MAX_BYTES = 1_048_576;
const tooLarge = (): CliError => new CliError(EXIT.invalid, `A test has at most ${MAX_BYTES} bytes.`);

/** The test of that id or name, of whatever channel, since nobody has to know which. Throws CliError, or NOT_FOUND. */
const find = async ({ abTests }: Beckon, scope: Scope, given: string): Promise<AbTest> => {
  const lists = CHANNELS.map((channel) => (query: PageQuery) => abTests.list(scope, channel, query));
  const id = await idOfNamed('test', given, ...lists);
  let missing: unknown;
  for (const channel of CHANNELS) {
    try {
      return await abTests.get(scope, channel, id);
    } catch (error) {
      if (failureOf(error).code !== 'NOT_FOUND') throw error;
      missing = error;
    }
  }
  throw missing;
};

const list = async ({ abTests }: Beckon, scope: Scope, { channel, status, limit }: ListFlags) => {
  const channels = channel === undefined ? CHANNELS : [channel];
  const lists = await Promise.all(
    channels.map((one) => collect(limit, (query) => abTests.list(scope, one, { status, ...query }))),
  );
  // Ids are UUIDv7: the greatest is the newest.
  const newest = lists.flatMap(({ rows }) => rows).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return { rows: newest.slice(0, limit), hasMore: newest.length > limit || lists.some(({ hasMore }) => hasMore) };
};

/** `beckon ab-tests list|show|stats|create|pause|resume|complete`: tests of what to say. */
export const register: Register = (program, context) => {
  const group = program.command('ab-tests').description('see A/B tests and how they stand; create and complete them');
  const leaf = (name: string, description: string): Command =>
    outputOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
      environmentOption(),
    );

  outputOptions(
    scopeOptions(databaseOptions(group.command('list').description('list them, newest first'))).addOption(
      environmentOption(),
    ),
    ['table', 'json', 'ndjson', 'yaml'],
  )
    .addOption(new Option('--channel <name>', 'of this channel only').choices(CHANNELS))
    .addOption(new Option('--status <status>', 'in this status only').choices(AB_TEST_STATUSES))
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<ListFlags>(context, (flags) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { rows, hasMore } = await list(beckon, scope, flags);
          const output = createOutput(context.io, flags);
          output.rows(rows, abTestColumns(context.io));
          if (output.form === 'table' && rows.length === 0)
            output.note(`There is no such A/B test in ${scope.environment} in ${context.place}.`);
          noteMore(output, hasMore, flags.limit);
          return undefined;
        }),
      ),
    );

  leaf('show', 'show one with what its variants say')
    .argument('<test>', 'its id or name')
    .action(
      act(context, (flags, [given = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const test = await find(beckon, scope, given);
          createOutput(context.io, flags).answer(test, abTestLines(test));
          return undefined;
        }),
      ),
    );

  leaf('stats', 'show how its variants fare')
    .argument('<test>', 'its id or name')
    .action(
      act(context, (flags, [given = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { channel, id } = await find(beckon, scope, given);
          const stats = await beckon.abTests.stats(scope, channel, id);
          createOutput(context.io, flags).answer(stats, abTestStatsLines(stats, context.io));
          return undefined;
        }),
      ),
    );

  leaf('create', 'create one from a JSON file of name, variants and metric')
    .requiredOption('--file <path>', 'the file, or - for standard input')
    .addOption(new Option('--channel <name>', 'of what it tests').choices(CHANNELS).makeOptionMandatory())
    .action(
      act<{ readonly file: string; readonly channel: Channel }>(context, (flags) =>
        inEnvironment(context, flags, async ({ abTests }, scope) => {
          const bytes = await readInput(context.io, flags.file, MAX_BYTES, tooLarge);
          // Core's own schema looks at it.
          const body = (await jsonOf(context, flags.file, bytes)) as AbTestInput<Channel>;
          const test = await abTests.create(scope, flags.channel, body);
          createOutput(context.io, flags).answer(test, abTestLines(test));
          return undefined;
        }),
      ),
    );

  const change = (name: string, description: string, status: 'paused' | 'running', said: string): void => {
    leaf(name, description)
      .argument('<test>', 'its id or name')
      .action(
        act(context, (flags, [given = '']) =>
          inEnvironment(context, flags, async (beckon, scope) => {
            const { channel, id } = await find(beckon, scope, given);
            const test = await beckon.abTests.update(scope, channel, id, { status });
            createOutput(context.io, flags).answer(test, [`${test.name} ${said}.`]);
            return undefined;
          }),
        ),
      );
  };
  change('pause', 'let its sends say what they say themselves, for now', 'paused', 'is paused');
  change('resume', 'let one that is paused run again', 'running', 'runs');

  leaf('complete', 'end one; its sends say what they say themselves; exits 6 when it is over')
    .argument('<test>', 'its id or name')
    .option('--winner <key>', 'the key of the variant that won')
    .action(
      act<{ readonly winner?: string }>(context, (flags, [given = '']) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const { channel, id } = await find(beckon, scope, given);
          const { winner: winnerKey } = flags;
          const test = await beckon.abTests.complete(scope, channel, id, { winnerKey });
          const won = test.winnerKey === null ? '' : ` ${test.winnerKey} won.`;
          createOutput(context.io, flags).answer(test, [`Completed ${test.name}.${won}`]);
          return undefined;
        }),
      ),
    );
};
