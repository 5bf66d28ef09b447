import { intervalOf } from '../../automation/runs/figures/interval.ts';
import { QUARTER_MS, QUARTERS } from './quarters.ts';
import type { Question } from './question.ts';
import { readEntries, type Sample, sampleOf } from './sample.ts';
import type { ActiveHour, AnalyticsStore } from './store.ts';

/** Maximum users counted exactly. Chosen: half a megabyte, and an error of half a per cent beyond. */
export const PEOPLE = 65_536;
/** Hours per read. Chosen: some milliseconds for busy hours. */
const SLICE_HOURS = 250;

/** Hours with active users in a range of quarter hours, in order. Throws QUERY_TIMEOUT. */
export async function* activeHours(
  store: Pick<AnalyticsStore, 'peopleIn'>,
  { scope, rest }: Pick<Question, 'scope' | 'rest'>,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<ActiveHour> {
  const end = Math.ceil(to / QUARTERS);
  let at = Math.floor(from / QUARTERS);
  while (at < end) {
    const rows = await store.peopleIn(scope, { from: at, to: end }, SLICE_HOURS);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < SLICE_HOURS) return;
    at = last.hour + 1;
    await rest();
  }
}

/** One bit per quarter of an hour that is in a range. Throws nothing. */
export const quartersIn = (hour: number, { from, to }: { readonly from: number; readonly to: number }): number => {
  let bits = 0;
  for (let part = 0; part < QUARTERS; part += 1) {
    const quarter = hour * QUARTERS + part;
    if (quarter >= from && quarter < to) bits |= 1 << part;
  }
  return bits;
};

/** Intervals of the given quarters of an hour, in order, each with its bits. Throws nothing. */
export const intervalsOf = (
  hour: number,
  bits: number,
  { interval, zone }: Pick<Question['range'], 'interval' | 'zone'>,
): [string, number][] => {
  const found: [string, number][] = [];
  for (let part = 0; part < QUARTERS; part += 1) {
    if ((bits & (1 << part)) === 0) continue;
    const name = intervalOf((hour * QUARTERS + part) * QUARTER_MS, interval, zone);
    const last = found.at(-1);
    if (last?.[0] === name) last[1] |= 1 << part;
    else found.push([name, 1 << part]);
  }
  return found;
};

const estimateOf = ({ size, level }: Sample): number => size * 2 ** level;

/** Level of a sample of all users of a range. Throws QUERY_TIMEOUT. */
export const levelOf = async (
  store: Pick<AnalyticsStore, 'peopleIn'>,
  question: Pick<Question, 'scope' | 'rest'>,
  range: { readonly from: number; readonly to: number },
): Promise<number> => {
  const everybody = sampleOf(PEOPLE);
  for await (const { sampleLevel, sample } of activeHours(store, question, range)) {
    everybody.raise(sampleLevel);
    readEntries(sample, everybody.add);
  }
  return everybody.level;
};

/** Distinct users of a range and of each interval. Throws QUERY_TIMEOUT. */
export const countPeople = async (
  store: Pick<AnalyticsStore, 'peopleIn'>,
  question: Question,
): Promise<{ points: Map<string, number>; people: number; level: number }> => {
  const { range } = question;
  const everybody = sampleOf(PEOPLE);
  const points = new Map<string, number>();
  // Hours are in order, so one interval is open at a time.
  let open: { readonly name: string; readonly sample: Sample } | undefined;
  const close = (): void => {
    if (open && open.sample.size > 0) points.set(open.name, estimateOf(open.sample));
  };
  for await (const row of activeHours(store, question, range)) {
    everybody.raise(row.sampleLevel);
    for (const [name, bits] of intervalsOf(row.hour, quartersIn(row.hour, range), range)) {
      if (open?.name !== name) {
        close();
        open = { name, sample: sampleOf(PEOPLE) };
      }
      const { sample } = open;
      sample.raise(row.sampleLevel);
      readEntries(row.sample, (digest, flags) => {
        if ((flags & bits) === 0) return;
        everybody.add(digest, 1);
        sample.add(digest, 1);
      });
    }
  }
  close();
  return { points, people: estimateOf(everybody), level: everybody.level };
};
