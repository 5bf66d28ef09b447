import type { Beckon, DatabaseFacts, QueueState } from '@beckon/core';
import { type Finding, finding, type State } from './finding.ts';

/** Size of the write-ahead log that doctor warns about. Chosen: several hundred times the usual size. */
const MAX_WAL_BYTES = 1_073_741_824;
/** Maximum clock difference of host and database, in milliseconds. Source: reliability design; `/readyz` uses the same. */
const MAX_SKEW_MS = 5_000;
/** Waiting time of due work that doctor warns about, in seconds. Chosen: twice a worker takeover. */
const LATE_SECONDS = 60;
/** The oldest PostgreSQL version that still receives fixes. */
const OLDEST_POSTGRES = 14;

/** Checks of the database engine. Throws nothing. */
export const databaseFindings = (facts: DatabaseFacts): Finding[] => {
  const storageFinding = (check: string, isFine: boolean, otherwise: State, message: string): Finding =>
    finding('storage', check, isFine ? 'ok' : otherwise, message);
  if (facts.dialect === 'sqlite') {
    const isSound = facts.integrity === 'ok';
    return [
      storageFinding('integrity', isSound, 'fail', isSound ? 'ok' : `${facts.integrity}: beckon restore`),
      storageFinding(
        'write-ahead log',
        facts.walBytes < MAX_WAL_BYTES,
        'warn',
        `${(facts.walBytes / 1_048_576).toFixed(1)} MiB`,
      ),
    ];
  }
  const skew = facts.clockAheadMs;
  const isSkewed = Math.abs(skew) > MAX_SKEW_MS;
  const difference = `this host's clock is ${Math.abs(skew)} ms ${skew > 0 ? 'behind' : 'ahead of'} the database's`;
  return [
    storageFinding('postgres', Number.parseInt(facts.version, 10) >= OLDEST_POSTGRES, 'warn', facts.version),
    storageFinding('clock', !isSkewed, 'warn', isSkewed ? `${difference}: synchronize both with NTP` : difference),
    storageFinding(
      'notifications',
      facts.areSignalsDelivered,
      'warn',
      facts.areSignalsDelivered
        ? 'LISTEN works'
        : 'LISTEN does not work, so workers poll: connect without a transaction pooler',
    ),
  ];
};

/** Rows with an expired lease. A running worker claims them at once, so only rows that keep waiting are a finding. */
export const leaseFinding = (queues: readonly QueueState[]): Finding => {
  const abandoned = queues.filter(({ expired, oldestSeconds }) => expired > 0 && oldestSeconds > LATE_SECONDS);
  return abandoned.length === 0
    ? finding('work', 'leases', 'ok', 'no expired leases')
    : finding(
        'work',
        'leases',
        'warn',
        `expired leases of stopped workers (${abandoned.map(({ name, expired }) => `${expired} ${name}`).join(', ')}): beckon worker`,
      );
};

/** Health checks and queues. Throws the errors of the database. */
export const serviceFindings = async (beckon: Beckon): Promise<Finding[]> => {
  const { database, schema, worker, timezones } = (await beckon.health()).checks;
  const found = (one: { readonly ok: boolean } | undefined, otherwise: State): State => (one?.ok ? 'ok' : otherwise);
  const schemaText = schema?.ok ? schema.detail : `${schema?.detail ?? 'unknown'}: beckon migrate up`;
  const queues = schema?.ok ? (await beckon.queues()).data : [];
  return [
    finding('runtime', 'time zones', found(timezones, 'fail'), timezones?.detail ?? 'unknown'),
    finding('storage', 'database', found(database, 'fail'), database?.detail ?? 'unknown'),
    finding('storage', 'schema', found(schema, 'fail'), schemaText),
    finding('work', 'worker', found(worker, 'warn'), worker?.detail ?? 'no worker runs: beckon worker'),
    ...queues.map(({ name, due, oldestSeconds }) =>
      finding(
        'work',
        name,
        oldestSeconds > LATE_SECONDS ? 'warn' : 'ok',
        due === 0
          ? 'empty'
          : `${due} due, the oldest for ${oldestSeconds} s${oldestSeconds > LATE_SECONDS ? ': beckon worker' : ''}`,
      ),
    ),
    ...(schema?.ok ? [leaseFinding(queues)] : []),
  ];
};
