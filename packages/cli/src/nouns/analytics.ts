import { Argument, InvalidArgumentError } from 'commander';
import type { Answer, FieldOf, Operation } from '../api.ts';
import type { Screen } from '../cells.ts';
import type { Context } from '../command-line.ts';
import { eventNamesHelp, namesEvents, OWN_EVENTS, unknownEventNote } from '../event-names.ts';
import { type Column, type Line, tableText } from '../output.ts';
import { fieldLines } from '../scoped.ts';
import type { Flags } from '../table/flags.ts';
import { noun } from '../table/noun.ts';
import { type CallSpec, calls } from '../table/verbs.ts';

const DAY_MS = 86_400_000;
/** Default range in days, as in the API. */
const DEFAULT_DAYS = 30;
/** Maximum range in days. Source: the longest retention of a plan. */
const MAX_DAYS = 400;

type Counted = Exclude<Extract<Operation, `${'GET' | 'POST'} /analytics/${string}`>, 'GET /analytics/workflows/{id}'>;
type Totals<R extends Counted> = Answer<R>['totals'];
type Row = { readonly at: string; readonly counts: readonly number[] };
type Field = readonly [name: string, value: string | number | null];

const wholeNumberUpTo = (most: number) => (text: string) => {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= most) return number;
  throw new InvalidArgumentError(`Pass a whole number from 1 to ${most}.`);
};

/** Series side by side, one line per time with a point in any series. */
const tableOf = (series: Answer<Counted>['series'], isTTY: boolean): string => {
  const byKey = series.map(({ points }) => new Map(points));
  const times = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort();
  const rows = times.map((at): Row => ({ at, counts: byKey.map((points) => points.get(at) ?? 0) }));
  const columns: Column<Row>[] = [
    ['TIME', ({ at }) => at],
    ...series.map(({ key }, index): Column<Row> => [key.toUpperCase(), ({ counts }) => counts[index] ?? 0]),
  ];
  return rows.length === 0 ? '' : tableText(rows, columns, isTTY).trimEnd();
};

const sendFields = (totals: Omit<Totals<'GET /analytics/sends'>, 'groups'>): Field[] => [
  ['messages', totals.targeted],
  ['sent', totals.sent],
  ['delivered', totals.delivered],
  ['opened', totals.opened],
  ['clicked', totals.clicked],
  ['failed', totals.failed],
  ['suppressed', totals.suppressed],
];
const usersField = ({ people, isEstimated }: { people: number; isEstimated: boolean }): Field => [
  'users',
  isEstimated ? `about ${people}` : people,
];

const daysFlag = (text: string, usual: number) => ({
  field: 'from' as const,
  text,
  value: 'number',
  parse: wholeNumberUpTo(MAX_DAYS),
  usual: [usual] as const,
  convert: (days: number, { io }: Context) => new Date(io.now().getTime() - days * DAY_MS).toISOString(),
});
const ranged: Flags<FieldOf<'GET /analytics/overview'>> = {
  days: daysFlag('Number of days up to now', DEFAULT_DAYS),
  interval: { text: 'Time span of a row', value: 'interval' },
  timezone: { text: 'Time zone of days', value: 'zone', usual: ['UTC'] },
};

/** Totals above their series, and a note for each requested event name without events. */
const figures = <R extends Counted>(
  operation: R,
  spec: Omit<CallSpec<R>, 'lines' | 'notes'>,
  fields: (totals: Totals<R>) => readonly Field[],
  missing: (totals: Totals<R>, flags: Readonly<Record<string, unknown>>) => readonly string[] = () => [],
) => {
  const lines = ({ totals, series, range }: Answer<Counted>, { isTTY }: Screen): Line[] => {
    const table = tableOf(series, isTTY);
    return [
      // Safe: these are the totals of this operation.
      ...fieldLines(fields(totals as Totals<R>)),
      ...(range.clamped ? ["Data older than the plan's retention is not included."] : []),
      ...(table === '' ? [] : ['', table]),
    ];
  };
  const notes = ({ totals }: Answer<Counted>, flags: Readonly<Record<string, unknown>>): string[] =>
    // Safe: as above.
    missing(totals as Totals<R>, flags).flatMap((name) => unknownEventNote(name) ?? []);
  return calls(operation, { ...spec, lines, notes } as CallSpec<R>);
};

/** Counts over time. */
export const analytics = noun('analytics', 'Query analytics', {
  overview: figures(
    'GET /analytics/overview',
    { about: 'Count events, active users and messages', examples: ['--days 7 --env test'], flags: ranged },
    (totals) => [['events', totals.events], usersField(totals), ...sendFields(totals)],
  ),
  events: figures(
    'GET /analytics/events',
    {
      about: 'Count events',
      examples: ['--type app.opened --env test', '--by source --env test'],
      help: eventNamesHelp(OWN_EVENTS),
      flags: {
        ...ranged,
        type: { field: 'eventType', text: 'Event name', value: 'name', takesEventNames: true },
        by: { field: 'groupBy', text: 'Group by', value: 'field' },
      },
    },
    ({ events, others }) => [
      ['events', events],
      ['in other groups', others === 0 ? null : others],
    ],
    ({ events }, { type }) => (events === 0 && type !== undefined ? [String(type)] : []),
  ),
  sends: figures(
    'GET /analytics/sends',
    {
      about: 'Count messages by outcome',
      examples: ['--channel email --env test'],
      flags: {
        ...ranged,
        channel: { text: 'Channel', value: 'channel' },
        by: { field: 'groupBy', text: 'Group by', value: 'field' },
      },
    },
    sendFields,
  ),
  funnel: figures(
    'POST /analytics/funnel',
    {
      about: 'Measure conversion through events',
      examples: ['app.opened order.paid --env test'],
      help: eventNamesHelp(OWN_EVENTS),
      args: [{ arg: namesEvents(new Argument('<events...>', 'Event names, in order')), into: 'steps' }],
      flags: {
        ...ranged,
        'window-hours': {
          text: 'Hours from first to last event',
          value: 'number',
          parse: wholeNumberUpTo(MAX_DAYS * 24),
          usual: [168],
        },
      },
    },
    ({ steps, conversion, isEstimated }) => [
      ...steps.map(({ eventType, people }): Field => [eventType, isEstimated ? `about ${people}` : people]),
      ['conversion', `${Math.round(conversion * 1_000) / 10} %`],
    ],
    ({ steps }) => steps.flatMap(({ eventType, people }) => (people === 0 ? [eventType] : [])),
  ),
  retention: figures(
    'GET /analytics/retention',
    { about: 'Measure how many users return', examples: ['--interval week --env test'], flags: ranged },
    (totals) => [usersField(totals)],
  ),
  usage: figures(
    'GET /analytics/usage',
    {
      about: 'Show monthly events of the organization',
      examples: ['--days 90 --env test'],
      flags: { days: daysFlag('Number of days, counted as whole months', 1) },
    },
    ({ events, plan, eventsPerMonth }) => [
      ['this month', events],
      ['plan', eventsPerMonth === null ? plan : `${plan}, ${eventsPerMonth} events per month`],
    ],
  ),
});
