import { intervalOf } from '../../automation/runs/figures/interval.ts';
import { firstIdOf } from '../../foundation/derived-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Funnel } from './answers.generated.ts';
import { type Did, reachedOf } from './chain.ts';
import { QUARTER_MS } from './quarters.ts';
import type { Question } from './question.ts';
import { rangeOf } from './range.ts';
import { digestOf, isIn } from './sample.ts';
import type { FunnelBody } from './schema.ts';
import { type Counts, count, pointsOf, sumOf } from './series.ts';

const HOUR_MS = 3_600_000;
/** Maximum time of an event ahead of its reception. Source: contract, ingest and profiles. */
const MAX_AHEAD_MS = 24 * HOUR_MS;
/** Events of the log per read. Chosen: some milliseconds. */
const SLICE = 5_000;
/** Maximum events in memory. Chosen: some ten megabytes. Beyond it, half of the users are dropped. */
const MAX_EVENTS = 200_000;
/** Users evaluated per event loop turn. Chosen. */
const JUDGED = 2_000;

/** The event log by ids. */
export type FunnelLog = {
  endOfSlice(scope: InScope, after: string, limit: number): Promise<string | null>;
  namedBetween(
    scope: InScope,
    names: readonly string[],
    after: string,
    upTo: string,
  ): Promise<readonly { readonly personKey: number; readonly eventType: string; readonly timestamp: Date }[]>;
};

type People = ReadonlyMap<number, readonly Did[]>;

/** Funnel events by user, or of a sample of users if there are many. */
const readPeople = async (
  log: FunnelLog,
  { scope, range, rest }: Question,
  { steps, windowHours }: FunnelBody,
  maxEvents: number,
): Promise<{ people: People; level: number }> => {
  const bitsOf = new Map<string, number>();
  for (const [at, name] of steps.entries()) bitsOf.set(name, (bitsOf.get(name) ?? 0) | (1 << at));
  const names = [...bitsOf.keys()];
  const fromMs = range.from * QUARTER_MS;
  const untilMs = range.to * QUARTER_MS + windowHours * HOUR_MS;
  const people = new Map<number, Did[]>();
  let [level, held] = [0, 0];
  let after = firstIdOf(fromMs - MAX_AHEAD_MS);
  for (;;) {
    // Late events may have any timestamp, so the log is read to its end.
    const end = await log.endOfSlice(scope, after, SLICE);
    if (end === null) return { people, level };
    for (const { personKey, eventType, timestamp } of await log.namedBetween(scope, names, after, end)) {
      const ms = timestamp.getTime();
      if (ms < fromMs || ms > untilMs || !isIn(digestOf(personKey), level)) continue;
      const did = people.get(personKey) ?? [];
      did.push({ ms, steps: bitsOf.get(eventType) ?? 0 });
      people.set(personKey, did);
      held += 1;
    }
    while (held > maxEvents) {
      level += 1;
      for (const [key, did] of people) {
        if (isIn(digestOf(key), level)) continue;
        people.delete(key);
        held -= did.length;
      }
    }
    after = end;
    await rest();
  }
};

/** Answers a funnel. Throws QUERY_TIMEOUT. */
export const funnelOf = async (
  log: FunnelLog,
  question: Question,
  body: FunnelBody,
  maxEvents: number = MAX_EVENTS,
): Promise<Funnel> => {
  const { range, now, rest } = question;
  const { people, level } = await readPeople(log, question, body, maxEvents);
  const window = {
    steps: body.steps.length,
    windowMs: body.windowHours * HOUR_MS,
    fromMs: range.from * QUARTER_MS,
    toMs: range.to * QUARTER_MS,
  };
  const keys = body.steps.map((name, at) => `${at + 1}:${name}`);
  const counts: Counts = new Map();
  let judged = 0;
  for (const did of people.values()) {
    const reached = reachedOf(did, window);
    judged += 1;
    if (judged % JUDGED === 0) await rest();
    if (!reached) continue;
    const at = intervalOf(reached.startMs, range.interval, range.zone);
    for (const key of keys.slice(0, reached.step + 1)) count(counts, key, at, 2 ** level);
  }
  const totals = keys.map((key) => sumOf(counts.get(key)));
  const [begun = 0, done = 0] = [totals[0], totals.at(-1)];
  return {
    series: keys.map((key) => ({ key, points: pointsOf(counts.get(key)) })),
    totals: {
      steps: body.steps.map((eventType, at) => ({ eventType, people: totals[at] ?? 0 })),
      conversion: begun === 0 ? 0 : done / begun,
      isEstimated: level > 0,
    },
    range: rangeOf(range),
    computedAt: now,
  };
};
