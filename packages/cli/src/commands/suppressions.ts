import type { Beckon, ListChannel, ListReason, Scope, Suppression } from '@beckon/core';
import { type Command, Option } from 'commander';
import { addressesIn } from '../address-list.ts';
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
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput } from '../input.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { inEnvironment } from '../scoped.ts';

const REASONS = [
  'bounced_address',
  'complained_address',
  'sms_stopped',
  'unsubscribed',
  'manual',
] as const satisfies readonly ListReason[];
/** Bytes of a file of addresses; ours: some two million of them. */
const MAX_BYTES = 64 * 1_048_576;
/** Addresses of one call. Source: core, suppressions/schema.ts. */
const BATCH = 1_000;
/** Refused lines that are named; ours. */
const NAMED = 10;

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

/** The places of a call's addresses that were refused; empty: it was refused for something else. */
const refusedIn = (error: unknown): ReadonlySet<number> => {
  const details = error instanceof Error && 'details' in error ? error.details : null;
  const errors = typeof details === 'object' && details !== null && 'fieldErrors' in details ? details.fieldErrors : {};
  const places = Object.keys(typeof errors === 'object' && errors !== null ? errors : {}).map(
    (field) => /^addresses\.(\d+)$/.exec(field)?.[1],
  );
  return places.every((place) => place !== undefined) ? new Set(places.map(Number)) : new Set();
};

const importFile = async (context: Context, flags: Flags, file: string) => {
  const tooLarge = (): CliError => new CliError(EXIT.invalid, `${file} is larger than ${MAX_BYTES} bytes; split it.`);
  const listed = addressesIn(Buffer.from(await readInput(context.io, file, MAX_BYTES, tooLarge)).toString('utf8'));
  if (listed.length === 0) throw new CliError(EXIT.invalid, `${file === '-' ? 'stdin' : file} holds no address.`);
  return inEnvironment(context, flags, async (beckon, scope) => {
    const sum = { added: 0, known: 0 };
    const refused: number[] = [];
    for (let from = 0; from < listed.length; from += BATCH) {
      let batch = listed.slice(from, from + BATCH);
      while (batch.length > 0) {
        try {
          const { added: more, known } = await added(
            beckon,
            scope,
            flags,
            batch.map(({ address }) => address),
          );
          sum.added += more;
          sum.known += known;
          break;
        } catch (error) {
          const places = refusedIn(error);
          if (places.size === 0) throw error;
          refused.push(...batch.filter((_, at) => places.has(at)).map(({ line }) => line));
          batch = batch.filter((_, at) => !places.has(at));
        }
      }
    }
    const named = refused.slice(0, NAMED).join(', ');
    createOutput(context.io, flags).answer({ ...sum, refused: refused.length, refusedLines: refused.slice(0, NAMED) }, [
      `${sum.added} addresses were put on the list of ${flags.channel}; ${sum.known} were there.`,
      ...(refused.length === 0
        ? []
        : [`${refused.length} lines hold no address: ${named}${refused.length > NAMED ? ', ...' : ''}.`]),
    ]);
    return undefined;
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

  outputOptions(leaf('import', 'put the addresses of a file on the list: one a line, or a column of a table'))
    .argument('<file>', 'a text or CSV file; - is stdin')
    .action(act<Flags>(context, (flags, [file = '']) => importFile(context, flags, file)));
};
