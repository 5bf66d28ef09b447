import type { Beckon, EventRecord, ExplainedEvent, Scope, WorkflowVerdict } from '@beckon/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { relativeTime, shortId } from '../cells.ts';
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
import { durationText, parseDuration } from '../duration.ts';
import { eventNamesHelp, namesEvents, notEventId, OWN_EVENTS } from '../event-names.ts';
import { wholeId } from '../ids.ts';
import { collect, DEFAULT_LIMIT, limitOf, noteMore } from '../listing.ts';
import { type Column, createOutput } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';
import { follow } from '../tail.ts';

type ListFlags = { readonly user?: string; readonly limit: number };
type TailFlags = {
  readonly follow?: boolean;
  readonly type?: string;
  readonly user?: string;
  readonly since: number;
  readonly limit: number;
};

/** How far `events tail` looks back. */
const SINCE_MS = 600_000;

const sinceOf = (text: string): number => {
  const ms = parseDuration(text);
  if (ms === null) throw new InvalidArgumentError('It is a time such as 10m or 2h.');
  return ms;
};

const personOf = ({ userId, anonymousId }: EventRecord): string | null => userId ?? anonymousId;

const columns = ({ io }: Context): readonly Column<EventRecord>[] => [
  ['ID', ({ id }) => (io.stdout.isTTY ? shortId(id) : id)],
  ['RECEIVED', ({ receivedAt }) => (io.stdout.isTTY ? relativeTime(receivedAt, io.now()) : receivedAt.toISOString())],
  ['EVENT', ({ eventType }) => eventType],
  ['MODULE', ({ module }) => module],
  ['PERSON', personOf],
  ['SOURCE', ({ source }) => source],
];

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Why one workflow did or did not start, in words. */
const verdictText = ({ verdict, runId, filters = [], audienceId }: WorkflowVerdict): string => {
  switch (verdict) {
    case 'started':
      return `started run ${runId}`;
    case 'inactive':
      return 'not started: it was disabled';
    case 'filter': {
      const each = filters.map(
        (one) =>
          `${one.path} should be ${shown(one.wanted)} and ${'found' in one ? `was ${shown(one.found)}` : 'was not there'}`,
      );
      return `not started: ${each.join('; ')}`;
    }
    case 'audience':
      return `not started: the person was not in audience ${audienceId}`;
    case 'depth':
      return `stopped: runs had set each other off too often${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'fan_out':
      return `stopped: the event that it goes back to had started as many runs as one may${runId === undefined ? '' : ` (run ${runId})`}`;
    case 'waiting':
      return 'not started yet: no worker has looked at the event';
    case 'unseen':
      return 'not started: it had changed a moment before, and the process that took the event did not know yet';
    case 'later':
      return 'not started: it did not listen to this event then';
    case 'unknown':
      return 'not started, and nobody can tell why';
  }
};

const lines = (event: ExplainedEvent): string[] => [
  ...fieldLines([
    ['id', event.id],
    ['event', event.eventType],
    ['module', event.module],
    ['person', personOf(event)],
    ['environment', event.environment],
    ['source', event.source],
    ['happened', event.timestamp.toISOString()],
    ['received', event.receivedAt.toISOString()],
    ['message id', event.messageId],
    ['session', event.sessionId],
    ['properties', JSON.stringify(event.properties)],
    ['context', event.context === null ? null : JSON.stringify(event.context)],
  ]),
  '',
  ...(event.workflows.length === 0
    ? ['No workflow listened to this event.']
    : event.workflows.map((one) => `${one.workflowName} (version ${one.workflowVersion}): ${verdictText(one)}`)),
];

const newestOf = ({ events, profiles }: Beckon, scope: Scope, userId: string | undefined, limit: number) =>
  collect(limit, (query) => (userId === undefined ? events.list(scope, query) : profiles.events(scope, userId, query)));

const list = (context: Context, flags: CommonFlags & ListFlags) =>
  inEnvironment(context, flags, async (beckon, scope) => {
    const { rows, hasMore } = await newestOf(beckon, scope, flags.user, flags.limit);
    const output = createOutput(context.io, flags);
    output.rows(rows, columns(context));
    if (output.form === 'table' && rows.length === 0)
      output.note(`There is no such event in ${scope.environment} in ${context.place}.`);
    noteMore(output, hasMore, flags.limit);
    return undefined;
  });

/** `beckon events list|show|tail`: what happened, and what it started. */
export const register: Register = (program, context) => {
  const group = program.command('events').description('see what happened, and why workflows started or not');
  const leaf = (name: string, description: string): Command =>
    remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
      environmentOption(),
    );

  outputOptions(leaf('list', 'list them, newest first'), ['table', 'json', 'ndjson', 'yaml'])
    .option('--user <id>', "this user's history")
    .option('--limit <number>', 'how many at most', limitOf, DEFAULT_LIMIT)
    .action(act<ListFlags>(context, (flags) => list(context, flags)));

  outputOptions(leaf('show', 'show one, and why each workflow that listens to it did or did not start'))
    .argument('<id>', 'id of the event, as "events list" shows it')
    .action(
      act(context, (flags, [given = '']) =>
        inEnvironment(context, flags, async ({ events }, scope) => {
          const list: Parameters<typeof notEventId>[2] = (query) => events.list(scope, query);
          const wrong = await notEventId(given, scope.environment, list);
          if (wrong !== null) throw wrong;
          const event = await events.get(scope, await wholeId('event', given, list));
          createOutput(context.io, flags).answer(event, lines(event));
          return undefined;
        }),
      ),
    );

  outputOptions(leaf('tail', 'print events, oldest first, and with -f those that come'), ['table', 'ndjson'])
    .option('-f, --follow', 'go on until interrupted')
    .addOption(namesEvents(new Option('--type <glob>', 'events of this name only; * stands for any text')))
    .option('--user <id>', 'of this user only')
    .addOption(
      new Option('--since <time>', 'received within this time, such as 10m')
        .argParser(sinceOf)
        .default(SINCE_MS, durationText(SINCE_MS)),
    )
    .option('--limit <number>', 'how many of those that are there at most', limitOf, DEFAULT_LIMIT)
    .addHelpText('after', eventNamesHelp(OWN_EVENTS))
    .action(
      act<TailFlags>(context, (flags) =>
        inEnvironment(context, flags, (beckon, scope) => follow(context, flags, beckon, scope)),
      ),
    );
};
