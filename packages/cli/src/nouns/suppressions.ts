import { Option } from 'commander';
import type { Api, Operation, RowOf } from '../api.ts';
import type { CommonFlags, Context } from '../command-line.ts';
import { collect, limitOption, noteMore } from '../listing.ts';
import { type ImportFlags, listOptions } from '../lists/options.ts';
import { createOutput } from '../output.ts';
import { inApi } from '../scoped.ts';
import { custom } from '../table/custom.ts';
import { optionsOf } from '../table/flags.ts';
import { noun, ROWS } from '../table/noun.ts';

type ListChannel = 'email' | 'sms';
type Flags = CommonFlags & {
  readonly channel: ListChannel;
  readonly reason?: RowOf<'GET /sms/suppressions'>['reason'];
  readonly sender?: string;
  readonly address?: string;
  readonly limit: number;
};

const options = [
  new Option('--channel <channel>', 'Channel of the list').choices(['email', 'sms']).default('email'),
  ...optionsOf('GET /sms/suppressions', {
    reason: { text: 'Reason', value: 'reason' },
    sender: { text: 'Sender of an SMS suppression (default: every sender)', value: 'sender' },
  }),
];
const addresses = ['<address...>', 'Email addresses, or numbers in E.164'] as const;

/** Reason and sender of the flags. */
const detailsOf = ({ reason, sender }: Flags) => ({
  ...(reason === undefined ? {} : { reason }),
  ...(sender === undefined ? {} : { sender }),
});

/** Changes the list of a channel. Its schema rejects fields that it does not have. */
const changed = <R extends Operation>(api: Api, operation: R, flags: Flags, named: readonly string[]) =>
  // Safe: core validates the body.
  api.call(operation, { body: { addresses: named, ...detailsOf(flags) } as never });
const added = (api: Api, flags: Flags, named: readonly string[]) =>
  changed(api, `POST /${flags.channel}/suppressions`, flags, named);

/** Reasons for rejected addresses by index; empty: the call failed for another reason. */
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

/** Adds the valid addresses; returns the reasons for rejected ones by index. */
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

const importFile = async (context: Context, commonFlags: CommonFlags, [path = '']: readonly string[]) => {
  const { openList } = await import('../lists/open-list.ts');
  const { exitOf, importList, rejectedLine } = await import('../lists/import-list.ts');
  // Proof of the cast: the command has the options above and those of lists.
  const flags = commonFlags as Flags & ImportFlags;
  const { channel, errors } = flags;
  await using list = await openList(context.io, path, channel === 'sms' ? 'phone' : 'email', flags);
  // Awaited here, or the file would be closed before it is read.
  return await inApi(context, flags, {}, async (api) => {
    const output = createOutput(context.io, flags);
    const sum = { added: 0, existing: 0 };
    const rejected = await importList(context.io, output, list, { what: 'addresses', errors }, (values) =>
      addValid(values, async (valid) => {
        const answer = await added(api, flags, valid);
        sum.added += answer.added;
        sum.existing += answer.existing;
      }),
    );
    output.answer({ ...sum, ...rejected, source: list.source }, [
      `Suppressed ${sum.added} addresses for ${channel}; ${sum.existing} were already suppressed.`,
      ...rejectedLine(rejected, errors),
    ]);
    return exitOf(rejected);
  });
};

/** Suppressed addresses. */
export const suppressions = noun('suppressions', 'Manage suppression lists', {
  list: custom<Flags>({
    about: 'List suppressed addresses, newest first',
    examples: ['--env test', '--address ada@example.com --env test'],
    options: [...options, new Option('--address <address>', 'Address'), limitOption()],
    forms: ROWS,
    work: async (api, { flags, output, context, screen: { time } }) => {
      const { address, channel, limit } = flags;
      const { rows, hasMore } = await collect(limit, (query) =>
        api.page(`GET /${channel}/suppressions`, { query: { ...query, ...detailsOf(flags), address } }),
      );
      output.rows(rows, [
        ['ADDRESS', (row) => row.address],
        ['REASON', ({ reason }) => reason],
        ['SENDER', ({ sender }) => sender],
        ['SOURCE', ({ source }) => source],
        ['SINCE', ({ createdAt }) => time(createdAt)],
      ]);
      if (output.form === 'table' && rows.length === 0)
        output.note(`No suppressed ${channel} addresses match in ${api.environment} (${context.place}).`);
      noteMore(output, hasMore, limit);
      return undefined;
    },
  }),
  add: custom<Flags>({
    about: 'Suppress addresses (default reason: manual)',
    examples: ['ada@example.com --env test'],
    options,
    args: [addresses],
    work: async (api, { flags, args, output }) => {
      const answer = await added(api, flags, args);
      output.answer(answer, [`Suppressed ${answer.added} addresses; ${answer.existing} were already suppressed.`]);
      return undefined;
    },
  }),
  remove: custom<Flags>({
    about: 'Remove addresses from the list',
    examples: ['ada@example.com --env test'],
    options,
    args: [addresses],
    work: async (api, { flags, args, output }) => {
      const answer = await changed(api, `POST /${flags.channel}/suppressions/remove`, flags, args);
      output.answer(answer, [`Removed ${answer.removed} entries.`]);
      return undefined;
    },
  }),
  import: {
    about: 'Import addresses from a text, CSV or JSON file',
    examples: [
      'bounces.csv --reason bounced_address --env test',
      'contacts.csv --column "E-mail 2 - Value" --errors rejected.csv --env test',
      'kunden.csv --encoding windows-1252 --env test',
      'numbers.txt --channel sms --reason sms_stopped --env test',
    ],
    help: '\nDetects the column of addresses by name and content. An ambiguous file imports\nnothing.',
    exits: '0 all rows, 7 some rows rejected',
    args: [['<file>', 'CSV, JSON or text file, - for stdin']],
    options: [...options, ...listOptions()],
    isRemote: true,
    run: importFile,
  },
});
