import { compact } from '../../../foundation/compact.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import { spendWork } from '../../../jobs/concurrency/work-slices.ts';
import { newEvaluation } from '../predicate/evaluation.ts';
import { decisive, type Tally } from '../predicate/facts.ts';
import { type EventLeaf, spanMs } from '../predicate/types.ts';
import { isMeant, NEVER } from './tally.ts';

/**
 * Events of one name per page when reading the log for a leaf. Chosen: some milliseconds; at most MAX_LOOKED_AT events
 * of a profile are read.
 */
const PAGE = 200;
/** Work units of reading one event with its properties. Measured, with a margin. */
const ROW_UNITS = 50;
const MAX_EVENTS_READ = 10_000;

/** Accounts work to its owner: see `SpendWork`. */
export type SpendUnits = (units: number) => Promise<void> | undefined;

/** An event of a profile as the log stores it. */
type LogEvent = {
  readonly position: number;
  readonly timestamp: Date;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** The event log by profile. */
export type EventLog = {
  talliesOf(
    scope: InScope,
    people: readonly string[],
    eventType: string,
  ): Promise<readonly { readonly person: string; readonly total: number; readonly lastAt: Date }[]>;
  newestOf(
    scope: InScope,
    people: readonly string[],
    eventType: string,
    page: { readonly limit: number; readonly since?: Date; readonly before?: LogEvent },
  ): Promise<readonly LogEvent[]>;
  /** Profile keys of anonymous profiles whose events still have to move to these users, by user key. */
  movingTo(scope: InScope, people: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
};

const keysOf = (moving: ReadonlyMap<string, readonly string[]>, person: string): readonly string[] => [
  person,
  ...(moving.get(person) ?? []),
];

/** Computes tallies from the event log, where counters do not cover them. */
export const fromLog = (log: EventLog) => {
  const moving = async (scope: InScope, people: readonly string[]) =>
    log.movingTo(
      scope,
      people.filter((person) => userIdOf(person) !== null),
    );

  const meant = async (
    scope: InScope,
    people: readonly string[],
    leaf: EventLeaf,
    now: Date,
    spend: SpendUnits,
  ): Promise<Tally> => {
    const needed = decisive(leaf);
    const since = leaf.within === undefined ? {} : { since: new Date(now.getTime() - spanMs(leaf.within)) };
    const recent: number[] = [];
    let before: LogEvent | undefined;
    for (let readCount = 0; readCount < MAX_EVENTS_READ; readCount += PAGE) {
      const page = { limit: PAGE, ...since, ...compact({ before }) };
      const rows = await log.newestOf(scope, people, leaf.event, page);
      for (const row of rows) {
        const evaluation = newEvaluation();
        if (isMeant(leaf, row, evaluation)) recent.push(row.timestamp.getTime());
        const rest = spend(ROW_UNITS + evaluation.units);
        if (rest !== undefined) await rest;
      }
      before = rows.at(-1);
      if (recent.length >= needed || rows.length < PAGE) break;
    }
    return { total: recent.length, recent: recent.slice(0, needed) };
  };

  return {
    /** Complete tallies with up to `kept` newest times; profiles without the event are omitted. */
    counted: async (
      scope: InScope,
      people: readonly string[],
      eventType: string,
      kept: number,
    ): Promise<ReadonlyMap<string, Tally>> => {
      const aliases = await moving(scope, people);
      const all = people.flatMap((person) => keysOf(aliases, person));
      const rows = new Map((await log.talliesOf(scope, all, eventType)).map((row) => [row.person, row]));
      const tallies = new Map<string, Tally>();
      for (const person of people) {
        const found = keysOf(aliases, person).flatMap((one) => rows.get(one) ?? []);
        const total = found.reduce((sum, row) => sum + row.total, 0);
        if (total === 0) continue;
        const last = Math.max(...found.map(({ lastAt }) => lastAt.getTime()));
        const recent =
          kept === 1 || total === 1
            ? [last]
            : (await log.newestOf(scope, keysOf(aliases, person), eventType, { limit: kept })).map(({ timestamp }) =>
                timestamp.getTime(),
              );
        tallies.set(person, { total, recent });
      }
      return tallies;
    },
    /**
     * Tallies of the events that match a leaf: as many as decide it, among the newest 10,000 of its name. A profile
     * without any has an empty tally.
     */
    meant: async (
      scope: InScope,
      people: readonly string[],
      leaf: EventLeaf,
      now: Date,
      spend: SpendUnits = (units) => spendWork(units, scopeKey(scope)),
    ): Promise<ReadonlyMap<string, Tally>> => {
      const aliases = await moving(scope, people);
      const all = people.flatMap((person) => keysOf(aliases, person));
      const did = new Set((await log.talliesOf(scope, all, leaf.event)).map(({ person }) => person));
      const tallies = new Map<string, Tally>();
      for (const person of people) {
        const keys = keysOf(aliases, person);
        const isAny = keys.some((one) => did.has(one));
        tallies.set(person, isAny ? await meant(scope, keys, leaf, now, spend) : NEVER);
      }
      return tallies;
    },
  };
};
