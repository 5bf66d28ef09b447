import type { SendCounts, SendFigures } from '../answers.generated.ts';
import type { SendCountQuery } from '../api.ts';
import type { Question } from '../question.ts';
import { rangeOf, stretchesOf } from '../range.ts';
import { type Counts, count, nameOf, pointsOf, unitsOf } from '../series.ts';
import { COUNTS, type SendFilter, type SendKey, type SendQuarters, type SendUnit } from './store.ts';

/** Quarters per read: a month. Chosen: some milliseconds. */
const SLICE = 2_880;
/** Maximum groups of an answer. Chosen: a list that one can read. */
const MAX_GROUPS = 100;
const KEYS = { template: 'templateId', workflow: 'workflowId' } as const;

type Tally = { -readonly [Name in keyof SendCounts]: number };
type Sums = Pick<SendQuarters, 'sums'>;

const addTo = (tally: Tally, more: SendCounts): void => {
  for (const key of COUNTS) tally[key] += more[key];
};
const nothing = (): Tally => ({
  targeted: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  failed: 0,
  suppressed: 0,
});

/** Passes the sums of a range with the names of their intervals, in slices. Throws QUERY_TIMEOUT. */
const eachSum = async (
  store: Sums,
  { scope, range, rest }: Question,
  filter: SendFilter,
  by: SendKey | null,
  visit: (at: string, sums: SendUnit) => void,
): Promise<void> => {
  for (const { offset, ...stretch } of stretchesOf(range)) {
    const units = unitsOf(range.interval, { offset });
    for (let { from } = stretch; from < stretch.to; from += SLICE) {
      const quarters = { from, to: Math.min(from + SLICE, stretch.to) };
      for (const sums of await store.sums(scope, quarters, units, filter, by))
        visit(nameOf(sums.unit, range.interval, units), sums);
      await rest();
    }
  }
};

/** Adds up the sends of a range. Throws QUERY_TIMEOUT. */
export const addUpSends = async (
  store: Sums,
  question: Question,
  filter: SendFilter,
): Promise<{ readonly total: SendCounts; readonly series: Counts }> => {
  const total = nothing();
  const series: Counts = new Map();
  await eachSum(store, question, filter, null, (at, sums) => {
    addTo(total, sums);
    for (const key of COUNTS) count(series, key, at, sums[key]);
  });
  return { total, series };
};

/** Groups with the most messages, largest first. */
const greatestOf = async (
  store: Sums,
  question: Question,
  filter: SendFilter,
  by: SendKey,
): Promise<readonly (SendCounts & { readonly key: string })[]> => {
  const groups = new Map<string, Tally>();
  await eachSum(store, question, filter, by, (_, sums) => {
    const group = groups.get(sums.name ?? '') ?? nothing();
    groups.set(sums.name ?? '', group);
    addTo(group, sums);
  });
  return [...groups]
    .sort(([a, one], [b, other]) => other.targeted - one.targeted || (a < b ? -1 : 1))
    .slice(0, MAX_GROUPS)
    .map(([key, counts]) => ({ key, ...counts }));
};

/** Answers send statistics. */
export const sendFigures = async (
  store: Sums,
  question: Question,
  { channel, groupBy = 'day' }: SendCountQuery,
): Promise<SendFigures> => {
  const { total, series } = await addUpSends(store, question, { channel });
  const answer = { range: rangeOf(question.range), computedAt: question.now };
  if (groupBy === 'day')
    return {
      series: COUNTS.map((key) => ({ key, points: pointsOf(series.get(key)) })),
      totals: { ...total, groups: [] },
      ...answer,
    };
  const by = KEYS[groupBy];
  const groups = await greatestOf(store, question, { channel }, by);
  const names = groups.map(({ key }) => key);
  const sent: Counts = new Map();
  // A second pass, so that points are stored for these groups only.
  await eachSum(store, question, { channel, among: { by, names } }, by, (at, sums) =>
    count(sent, sums.name ?? '', at, sums.sent),
  );
  return {
    series: names.map((key) => ({ key, points: pointsOf(sent.get(key)) })),
    totals: { ...total, groups },
    ...answer,
  };
};
