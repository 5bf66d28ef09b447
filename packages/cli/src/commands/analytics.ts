import type { AnalyticsQuery, Beckon, FigureInterval, Figures, Scope, SendCounts } from '@beckon/core';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import {
  act,
  type CommonFlags,
  databaseOptions,
  environmentOption,
  outputOptions,
  type Register,
  remoteOptions,
  scopeOptions,
} from '../command-line.ts';
import { eventNamesHelp, namesEvents, OWN_EVENTS, unknownEventNote } from '../event-names.ts';
import { type Column, createOutput, tableText } from '../output.ts';
import { fieldLines, inEnvironment } from '../scoped.ts';

const DAY_MS = 86_400_000;
/** As many as the service counts where nothing is said. */
const DEFAULT_DAYS = 30;
/** Ours: as long as anything is kept. */
const MAX_DAYS = 400;
const INTERVALS = ['hour', 'day', 'week', 'month'] as const satisfies readonly FigureInterval[];

type RangeFlags = {
  readonly days: number;
  readonly timezone: string;
  readonly interval?: FigureInterval;
};
type Row = { readonly at: string; readonly counts: readonly number[] };
type Field = readonly [name: string, value: string | number | null];

const wholeOf = (most: number) => (text: string) => {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new InvalidArgumentError(`give a whole number from 1 to ${most}.`);
};

/** Series side by side, one line for each time that one of them has a point. */
const tableOf = (series: Figures<unknown>['series'], isTTY: boolean): string => {
  const byKey = series.map(({ points }) => new Map(points));
  const times = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort();
  const rows = times.map((at): Row => ({ at, counts: byKey.map((points) => points.get(at) ?? 0) }));
  const columns: Column<Row>[] = [
    ['TIME', ({ at }) => at],
    ...series.map(({ key }, index): Column<Row> => [key.toUpperCase(), ({ counts }) => counts[index] ?? 0]),
  ];
  return rows.length === 0 ? '' : tableText(rows, columns, isTTY).trimEnd();
};

const sendFields = ({ targeted, sent, delivered, opened, clicked, failed, suppressed }: SendCounts): Field[] => [
  ['messages', targeted],
  ['sent', sent],
  ['delivered', delivered],
  ['opened', opened],
  ['clicked', clicked],
  ['failed', failed],
  ['suppressed', suppressed],
];
const peopleField = ({ people, isEstimated }: { people: number; isEstimated: boolean }): Field => [
  'people',
  isEstimated ? `about ${people}` : people,
];

/** What happened over time. */
export const register: Register = (program, context) => {
  const group = program.command('analytics').description('what happened over time: events, people, messages');
  const leaf = (name: string, description: string): Command =>
    outputOptions(
      remoteOptions(scopeOptions(databaseOptions(group.command(name).description(description)))).addOption(
        environmentOption(),
      ),
    );
  const ranged = (name: string, description: string): Command =>
    leaf(name, description)
      .option('--days <number>', 'the last so many days', wholeOf(MAX_DAYS), DEFAULT_DAYS)
      .addOption(new Option('--interval <interval>', 'how long the time of one line is').choices(INTERVALS))
      .option('--timezone <zone>', 'the zone in which days begin', 'UTC');

  const queryOf = ({ days, timezone, interval }: RangeFlags): AnalyticsQuery => ({
    from: new Date(context.io.now().getTime() - days * DAY_MS),
    timezone,
    ...(interval ? { interval } : {}),
  });
  /** Asks, and shows totals above their series. */
  const answering = <Flags extends object, Totals>(
    ask: (
      beckon: Beckon,
      scope: Scope,
      flags: CommonFlags & Flags,
      args: readonly string[],
    ) => Promise<Figures<Totals>>,
    fields: (totals: Totals) => readonly Field[],
    /** Event names of the question that nobody sent. */
    missing: (totals: Totals, flags: Flags, args: readonly string[]) => readonly string[] = () => [],
  ) =>
    act<Flags>(context, (flags, args) =>
      inEnvironment(context, flags, async (beckon, scope) => {
        const figures = await ask(beckon, scope, flags, args);
        const table = tableOf(figures.series, context.io.stdout.isTTY);
        const output = createOutput(context.io, flags);
        output.answer(figures, [
          ...fieldLines(fields(figures.totals)),
          ...(figures.range.clamped ? ['What is older than the plan of the org keeps is left out.'] : []),
          ...(table === '' ? [] : ['', table]),
        ]);
        for (const name of missing(figures.totals, flags, args)) {
          const note = unknownEventNote(name);
          if (note !== null) output.note(note);
        }
        return undefined;
      }),
    );

  ranged('overview', 'events, active people and messages').action(
    answering<RangeFlags, Awaited<ReturnType<Beckon['analytics']['overview']>>['totals']>(
      ({ analytics }, scope, flags) => analytics.overview(scope, queryOf(flags)),
      (totals) => [['events', totals.events], peopleField(totals), ...sendFields(totals)],
    ),
  );
  type EventFlags = RangeFlags & { readonly type?: string; readonly by?: 'eventType' | 'module' | 'source' };
  ranged('events', 'how many events there were')
    .addOption(namesEvents(new Option('--type <name>', 'events of this name alone')))
    .addHelpText('after', eventNamesHelp(OWN_EVENTS))
    .addOption(new Option('--by <what>', 'told apart').choices(['eventType', 'module', 'source']))
    .action(
      answering<EventFlags, Awaited<ReturnType<Beckon['analytics']['events']>>['totals']>(
        ({ analytics }, scope, flags) =>
          analytics.events(scope, { ...queryOf(flags), eventType: flags.type, groupBy: flags.by }),
        ({ events, others }) => [
          ['events', events],
          ['in no column', others === 0 ? null : others],
        ],
        ({ events }, { type }) => (events === 0 && type !== undefined ? [type] : []),
      ),
    );
  type SendFlags = RangeFlags & {
    readonly channel?: 'push' | 'email' | 'sms';
    readonly by?: 'template' | 'workflow' | 'day';
  };
  ranged('sends', 'what became of messages')
    .addOption(new Option('--channel <channel>', 'of one channel').choices(['push', 'email', 'sms']))
    .addOption(new Option('--by <what>', 'told apart').choices(['template', 'workflow', 'day']))
    .action(
      answering<SendFlags, Awaited<ReturnType<Beckon['analytics']['sends']>>['totals']>(
        ({ analytics }, scope, flags) =>
          analytics.sends(scope, { ...queryOf(flags), channel: flags.channel, groupBy: flags.by }),
        sendFields,
      ),
    );
  ranged('funnel', 'people who did one thing after another')
    .addArgument(namesEvents(new Argument('<events...>', 'names of events, in their order')))
    .addHelpText('after', eventNamesHelp(OWN_EVENTS))
    .option('--window-hours <number>', 'how long after the first the last one counts', wholeOf(MAX_DAYS * 24), 168)
    .action(
      answering<
        RangeFlags & { readonly windowHours: number },
        Awaited<ReturnType<Beckon['analytics']['funnel']>>['totals']
      >(
        ({ analytics }, scope, { windowHours, ...flags }, steps) => {
          const { from, timezone, interval } = queryOf(flags);
          return analytics.funnel(scope, { from: from?.toISOString(), timezone, interval, steps, windowHours });
        },
        ({ steps, conversion, isEstimated }) => [
          ...steps.map(({ eventType, people }): Field => [eventType, isEstimated ? `about ${people}` : people]),
          ['got to the end', `${Math.round(conversion * 1_000) / 10} %`],
        ],
        ({ steps }) => steps.flatMap(({ eventType, people }) => (people === 0 ? [eventType] : [])),
      ),
    );
  ranged('retention', 'people who come back, by when they were there first').action(
    answering<RangeFlags, Awaited<ReturnType<Beckon['analytics']['retention']>>['totals']>(
      ({ analytics }, scope, flags) => analytics.retention(scope, queryOf(flags)),
      (totals) => [peopleField(totals)],
    ),
  );
  leaf('usage', 'events of the org by months')
    .option('--days <number>', 'the months of the last so many days', wholeOf(MAX_DAYS), 1)
    .action(
      answering<Pick<RangeFlags, 'days'>, Awaited<ReturnType<Beckon['analytics']['usage']>>['totals']>(
        ({ analytics }, scope, { days }) =>
          analytics.usage(scope, { from: new Date(context.io.now().getTime() - days * DAY_MS) }),
        ({ events, plan, eventsPerMonth }) => [
          ['this month', events],
          ['plan', eventsPerMonth === null ? plan : `${plan}, ${eventsPerMonth} a month`],
        ],
      ),
    );
};
