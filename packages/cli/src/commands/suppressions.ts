import type { Beckon, ListChannel, ListReason, Scope, Suppression } from '@beckon/core';
import { type Command, Option } from 'commander';
import { relativeTime } from '../cells.ts';
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
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type ImportFlags, listOptions } from '../lists/options.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

const REASONS = [
  'bounced_address',
  'complained_address',
  'sms_stopped',
  'unsubscribed',
  'manual',
] as const satisfies readonly ListReason[];
type Flags = CommonFlags & {
  readonly channel: ListChannel;
  readonly reason?: ListReason;
  readonly sender?: string;
  readonly address?: string;
  readonly limit: number;
};

const columns = ({ io }: Context): readonly Column<Suppression>[] => [
  ['ADDRESS', ({ address }) => address],
  ['REASON', ({ reason }) => reason],
  ['SENDER', ({ sender }) => sender],
  ['BY', ({ source }) => source],
  ['SINCE', ({ createdAt }) => (io.stdout.isTTY ? relativeTime(createdAt, io.now()) : createdAt.toISOString())],
];

/** What narrows an entry down, as far as it was given. */
const detailsOf = ({ reason, sender }: Flags) => ({
  ...(reason === undefined ? {} : { reason }),
  ...(sender === undefined ? {} : { sender }),
});

/** Adds or removes on either list: the schema of its channel refuses what it does not have. */
const added = ({ suppressions }: Beckon, scope: Scope, flags: Flags, addresses: readonly string[]) =>
  // Safe: the engine's schema looks at the body whatever its type.
  suppressions.add(scope, flags.channel, { addresses, ...detailsOf(flags) } as never);
const removed = ({ suppressions }: Beckon, scope: Scope, flags: Flags, addresses: readonly string[]) =>
  // Safe: as above.
  suppressions.remove(scope, flags.channel, { addresses, ...detailsOf(flags) } as never);

/** Why addresses of a call were refused, by their place; empty: the call was refused for something else. */
const refusedIn = (error: unknown): ReadonlyMap<number, string> => {
  const details = error instanceof Error && 'details' in error ? error.details : null;
  const errors = typeof details === 'object' && details !== null && 'fieldErrors' in details ? details.fieldErrors : {};
  const reasons = Object.entries(typeof errors === 'object' && errors !== null ? errors : {}).map(
    ([field, message]) => [/^addresses\.(\d+)$/.exec(field)?.[1], String(message)] as const,
  );
  return reasons.every(([place]) => place !== undefined)
    ? new Map(reasons.map(([place, message]) => [Number(place), message]))
    : new Map();
};

/** Adds what can be added; answers what was refused, by its place. */
const addValid = async (
  values: readonly string[],
  add: (addresses: readonly string[]) => Promise<void>,
): Promise<ReadonlyMap<number, string>> => {
  const refused = new Map<number, string>();
  for (;;) {
    const indexes = [...values.keys()].filter((index) => !refused.has(index));
    if (indexes.length === 0) return refused;
    try {
      await add(indexes.map((index) => values[index] ?? ''));
      return refused;
    } catch (error) {
      const reasons = refusedIn(error);
      if (reasons.size === 0) throw error;
      for (const [at, message] of reasons) refused.set(indexes[at] ?? -1, message);
    }
  }
};

const importFile = async (context: Context, flags: Flags & ImportFlags, path: string) => {
  const { openList } = await import('../lists/open-list.ts');
  const { exitOf, importList, rejectedLine } = await import('../lists/import-list.ts');
  const { channel, errors } = flags;
  await using list = await openList(context.io, path, channel === 'sms' ? 'phone' : 'email', flags);
  // Awaited here, or the file would be closed before it is read.
  return await inEnvironment(context, flags, async (beckon, scope) => {
    const output = createOutput(context.io, flags);
    const sum = { added: 0, known: 0 };
    const rejected = await importList(context.io, output, list, { what: 'addresses', errors }, (values) =>
      addValid(values, async (addresses) => {
        const answer = await added(beckon, scope, flags, addresses);
        sum.added += answer.added;
        sum.known += answer.known;
      }),
    );
    output.answer({ ...sum, ...rejected, source: list.source }, [
      `${sum.added} addresses were put on the list of ${channel}; ${sum.known} were there.`,
      ...rejectedLine(rejected, errors),
    ]);
    return exitOf(rejected);
  });
};

/** `beckon suppressions list|add|remove|import`: addresses that nothing is sent to. */
export const register: Register = (program, context) => {
  const group = program.command('suppressions').description('addresses that nothing is sent to, and why');
  const leaf = (name: string, description: string): Command =>
    scopeOptions(databaseOptions(group.command(name).description(description)))
      .addOption(environmentOption())
      .addOption(new Option('--channel <channel>', 'whose list').choices(['email', 'sms']).default('email'))
      .addOption(new Option('--reason <reason>', 'why an address is on it').choices([...REASONS]))
      .option('--sender <sender>', 'of sms: whose messages it is about; without it: of every sender');

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--address <address>', 'what is known of this one')
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(
      act<Flags>(context, (flags) =>
        inEnvironment(context, flags, async ({ suppressions }, scope) => {
          const { address, channel, limit } = flags;
          const { rows, hasMore } = await collect(limit, (query) =>
            suppressions.list(scope, channel, { ...query, ...detailsOf(flags), address }),
          );
          const output = createOutput(context.io, flags);
          output.rows(rows, columns(context));
          if (output.form === 'table' && rows.length === 0)
            output.note(`Nobody is on the list of ${channel} in ${scope.environment} in ${context.place}.`);
          noteMore(output, hasMore, limit);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('add', 'put addresses on the list; the reason is "manual" unless told, which stops everything'))
    .argument('<address...>', 'mail addresses, or numbers in E.164')
    .action(
      act<Flags>(context, (flags, addresses) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const answer = await added(beckon, scope, flags, addresses);
          createOutput(context.io, flags).answer(answer, [`${answer.added} added, ${answer.known} were there.`]);
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('remove', 'take addresses off the list: for one reason and sender, or for all'))
    .argument('<address...>', 'mail addresses, or numbers in E.164')
    .action(
      act<Flags>(context, (flags, addresses) =>
        inEnvironment(context, flags, async (beckon, scope) => {
          const answer = await removed(beckon, scope, flags, addresses);
          createOutput(context.io, flags).answer(answer, [`${answer.removed} entries are gone.`]);
          return undefined;
        }),
      ),
    );

  listOptions(
    outputOptions(
      leaf('import', 'put the addresses of a file on the list: a CSV export, a JSON array, or one address a line'),
    ),
  )
    .argument('<file>', 'CSV, JSON or text in UTF-8 or UTF-16; - is stdin')
    .addHelpText(
      'after',
      `
The column of addresses is found by its name and content and printed; where it is not certain, nothing is imported.
Exits 7 when rows were rejected.

Examples:
  beckon suppressions import bounces.csv --reason bounced_address --env prod
  beckon suppressions import contacts.csv --column "E-mail 2 - Value" --errors rejected.csv --env prod
  beckon suppressions import kunden.csv --encoding windows-1252 --env prod
  beckon suppressions import numbers.txt --channel sms --reason sms_stopped --env prod`,
    )
    .action(act<Flags & ImportFlags>(context, (flags, [file = '']) => importFile(context, flags, file)));
};
