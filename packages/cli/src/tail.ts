import type { Api, RowOf } from './api.ts';
import type { CommonFlags, Context } from './command-line.ts';
import { unknownEventNote } from './event-names.ts';
import { EXIT, type ExitCode, failureOf } from './exit-codes.ts';
import { collect } from './listing.ts';
import { formOf, jsonLine } from './output.ts';
import { clean } from './text.ts';

type EventRecord = RowOf<'GET /events'>;

/** Polling interval, in milliseconds. Chosen. */
const POLL_MS = 1_000;
/** Overlap of two reads, because events may commit out of id order. Chosen: longer than an ingest request waits. */
const OVERLAP_MS = 10_000;
/** Maximum events per read. Chosen. */
const MAX_EVENTS = 10_000;

export type TailOptions = {
  readonly follow?: boolean;
  readonly type?: string;
  readonly user?: string;
  /** Milliseconds. */
  readonly since: number;
  readonly limit: number;
};

/** A predicate for names that match a glob; `*` matches any text. Throws nothing. */
export const globOf = (glob: string): ((name: string) => boolean) => {
  const parts = glob.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  return (name) => {
    if (last === undefined) return name === glob;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return name.endsWith(last) && name.length - last.length >= at;
  };
};

const line = ({ id, receivedAt, eventType, userId, anonymousId, properties }: EventRecord): string =>
  `${[receivedAt, clean(eventType), clean(userId ?? anonymousId ?? '-'), clean(JSON.stringify(properties)), id].join('  ')}\n`;

/** Prints events as they arrive, each once. Resolves on a signal; without `follow` after the first read. */
export const follow = async (
  { io }: Pick<Context, 'io'>,
  flags: CommonFlags & TailOptions,
  api: Api,
): Promise<ExitCode> => {
  const matchesType = flags.type === undefined ? () => true : globOf(flags.type);
  const matches = ({ eventType, userId }: EventRecord): boolean =>
    matchesType(eventType) && (flags.user === undefined || userId === flags.user);
  const isJson = formOf(flags) !== 'table';
  /** Ids within the overlap with their times. */
  const printed = new Map<string, number>();

  // Times before 1970 are not valid in the query.
  const earliest = Math.max(0, io.now().getTime() - flags.since);
  /** Time of the newest event by the server's clock, because the local clock may be ahead. */
  let readTo = earliest;
  let isFirst = true;
  const read = async (since: Date, most: number): Promise<void> => {
    const { rows } = await collect(MAX_EVENTS, (query) =>
      api.page('GET /events', { query: { from: since.toISOString(), ...query } }),
    );
    const fresh = rows.filter((event) => !printed.has(event.id));
    for (const { id, receivedAt } of fresh) printed.set(id, Date.parse(receivedAt));
    const fitting = fresh.filter(matches).slice(0, most);
    for (const event of fitting.toReversed()) io.stdout.write(isJson ? jsonLine(event) : line(event));
    const note =
      isFirst && fitting.length === 0 && flags.type !== undefined && flags.quiet !== true
        ? unknownEventNote(flags.type, [...new Set(rows.map(({ eventType }) => eventType))])
        : null;
    if (note !== null) io.stderr.write(`${clean(note)}\n`);
    isFirst = false;
    readTo = Math.max(readTo, ...rows.map(({ receivedAt }) => Date.parse(receivedAt)));
  };

  await read(new Date(earliest), flags.limit);
  if (flags.follow !== true) return EXIT.ok;

  let isOver = false;
  let wake = (): void => undefined;
  const stopListening = io.onSignal(() => {
    isOver = true;
    wake();
  });
  try {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        const cancel = io.after(POLL_MS, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
      if (isOver) break;
      const since = Math.max(earliest, readTo - OVERLAP_MS);
      for (const [id, at] of printed) if (at < since) printed.delete(id);
      try {
        await read(new Date(since), Number.POSITIVE_INFINITY);
      } catch (error) {
        // The database may be restarting; the next read includes the missed events.
        if (failureOf(error).exitCode !== EXIT.unavailable) throw error;
      }
    }
  } finally {
    stopListening();
  }
  return EXIT.ok;
};
