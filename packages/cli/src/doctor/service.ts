import type { Beckon, DatabaseFacts, QueueState } from '@beckon/core';
import { type Finding, finding, type State } from './finding.ts';

/** Bytes of a log that should have been taken into the file; ours, several hundred times what usually waits. */
const MUCH_WAL_BYTES = 1_073_741_824;
/** How far the clocks of host and database may be difference, in milliseconds. Source: reliability design; `/readyz` says the same. */
const MUCH_SKEW_MS = 5_000;
/** How long due work waits where nothing is wrong, in seconds; what a takeover takes, twice. */
const LATE_SECONDS = 60;
/** The oldest PostgreSQL that its makers still mend. */
const OLDEST_POSTGRES = 14;

/** What the database is like, beside its content. Throws nothing. */
export const databaseFindings = (facts: DatabaseFacts): Finding[] => {
  const said = (check: string, isFine: boolean, otherwise: State, message: string): Finding =>
    finding('storage', check, isFine ? 'ok' : otherwise, message);
  if (facts.dialect === 'sqlite') {
    const isSound = facts.integrity === 'ok';
    return [
      said('integrity', isSound, 'fail', isSound ? 'ok' : `${facts.integrity}: beckon restore`),
      said('log', facts.walBytes < MUCH_WAL_BYTES, 'warn', `${(facts.walBytes / 1_048_576).toFixed(1)} MiB wait in it`),
    ];
  }
  const skew = facts.clockAheadMs;
  const isSkewed = Math.abs(skew) > MUCH_SKEW_MS;
  const difference = `this host's clock is ${Math.abs(skew)} ms ${skew > 0 ? 'behind' : 'ahead of'} the database's`;
  return [
    said('postgres', Number.parseInt(facts.version, 10) >= OLDEST_POSTGRES, 'warn', facts.version),
    said('clock', !isSkewed, 'warn', isSkewed ? `${difference}: synchronise both with NTP` : difference),
    said(
      'signals',
      facts.isHeard,
      'warn',
      facts.isHeard
        ? 'LISTEN works'
        : 'LISTEN does not work, so work waits for the next look: is there a pooler between?',
    ),
  ];
};

/** Work that nobody finished. Where a worker is up it takes such rows at once, so they are told of only when they wait. */
export const leaseFinding = (queues: readonly QueueState[]): Finding => {
  const left = queues.filter(({ expired, oldestSeconds }) => expired > 0 && oldestSeconds > LATE_SECONDS);
  return left.length === 0
    ? finding('work', 'leases', 'ok', 'no worker left its work lying')
    : finding(
        'work',
        'leases',
        'warn',
        `workers are gone that had work in hand (${left.map(({ name, expired }) => `${expired} ${name}`).join(', ')}): beckon worker takes it up`,
      );
};

/** What the service says of itself, and how its work stands. Throws what the database throws. */
export const serviceFindings = async (beckon: Beckon): Promise<Finding[]> => {
  const { database, schema, worker, timezones } = (await beckon.health()).checks;
  const found = (one: { readonly ok: boolean } | undefined, otherwise: State): State => (one?.ok ? 'ok' : otherwise);
  const behind = schema?.ok ? schema.detail : `${schema?.detail ?? 'unknown'}: beckon migrate up`;
  const queues = schema?.ok ? await beckon.queues() : [];
  return [
    finding('runtime', 'time zones', found(timezones, 'fail'), timezones?.detail ?? 'unknown'),
    finding('storage', 'database', found(database, 'fail'), database?.detail ?? 'unknown'),
    finding('storage', 'schema', found(schema, 'fail'), behind),
    finding('work', 'worker', found(worker, 'warn'), worker?.detail ?? 'nobody does the work'),
    ...queues.map(({ name, due, oldestSeconds }) =>
      finding(
        'work',
        name,
        oldestSeconds > LATE_SECONDS ? 'warn' : 'ok',
        due === 0
          ? 'nothing waits'
          : `${due} wait, the first for ${oldestSeconds} s${oldestSeconds > LATE_SECONDS ? ': beckon worker' : ''}`,
      ),
    ),
    ...(schema?.ok ? [leaseFinding(queues)] : []),
  ];
};
