import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../../beckon.ts';
import type { Deployment } from '../../kill/deployment.ts';
import { untilDrained } from '../../kill/drained.ts';
import { type Load, type Result, startLoad } from './load.ts';

/** Duration of the load before the fault, to warm up connections and caches, and after it, for the recovery. */
const BEFORE_MS = 1_000;
const AFTER_MS = 10_000;
/** Time limit for runs: a run whose claim got no response waits until its lease expires. */
const WORK_WITHIN_MS = 10_000;
/** Consecutive successful responses that count as a recovery. */
const GOOD_IN_A_ROW = 40;
const LOOK_MS = 50;
/** Allowed error codes while the database fails. Source: contract, Errors. */
const CODES = new Set(['OVERLOADED', 'DEADLINE_EXCEEDED', 'QUERY_TIMEOUT', 'LOCK_TIMEOUT']);

/** Effects of a fault on the clients of one server. */
export type Outcome = {
  readonly acked: number;
  readonly found: number;
  /** Acknowledged but not stored. */
  readonly lost: number;
  /** Stored more than once, or with more than one run. */
  readonly dup: number;
  /** Rejected but stored. */
  readonly late: number;
  /** Responses other than 200 or an allowed 503 with Retry-After, and requests without a response. */
  readonly wrong: readonly string[];
  /** Responses during and after the fault, by code. */
  readonly codes: Readonly<Record<string, number>>;
  /** Share of successful reads during the fault. */
  readonly reads: string;
  /** From the end of the fault until all responses are 200. */
  readonly recoveryMs: number;
  /** From the end of the fault until all runs have completed; Infinity: some wait for a lease. */
  readonly workMs: number;
  readonly slowestMs: number;
};

type EventRow = { readonly id: string; readonly messageId: string };

const isRight = ({ status, code, isRetryable }: Result): boolean =>
  status === 200 || (status === 503 && CODES.has(code) && isRetryable);
const wordsOf = ({ status, code }: Result): string => (status === 200 ? '200' : `${status} ${code}`);

/** Waits for this number of consecutive successful requests started after `sinceMs`. */
const recovered = async ({ results: told }: Load, sinceMs: number): Promise<number> => {
  const deadline = sinceMs + AFTER_MS;
  for (;;) {
    const later = told.filter(({ beganMs, endedMs }) => beganMs >= sinceMs && endedMs > 0);
    const last = later.findLastIndex(({ status }) => status !== 200);
    const good = later.slice(last + 1);
    if (good.length >= GOOD_IN_A_ROW) return (good[0]?.endedMs ?? sinceMs) - sinceMs;
    if (performance.now() > deadline) return Number.POSITIVE_INFINITY;
    await sleep(LOOK_MS);
  }
};

/** Stored events of a load, by message id. */
const storedOf = async (deployment: Deployment, prefix: string) => {
  const events = await deployment.query<EventRow>(
    `select id, message_id as "messageId" from events where message_id like '${prefix}-%'`,
  );
  const runs = await deployment.query<{ messageId: string }>(
    `select e.message_id as "messageId" from runs r join events e on e.id = r.trigger_event_id
     where e.message_id like '${prefix}-%'`,
  );
  return { stored: Map.groupBy(events, ({ messageId }) => messageId), started: Map.groupBy(runs, (r) => r.messageId) };
};

/** Events that start a run and do not have exactly one completed run. */
export const unevenRuns = (deployment: Deployment): Promise<{ messageId: string }[]> =>
  deployment.query(
    `select e.message_id as "messageId" from events e left join runs r on r.trigger_event_id = e.id
     where e.event_type = 'counted' group by e.id, e.message_id
     having count(r.id) <> 1 or sum(case when r.status = 'completed' then 1 else 0 end) <> 1`,
  );

/**
 * Applies a fault to a server under load, and compares responses with stored data.
 *
 * @param fault starts the fault and resolves at its end
 */
export const ordeal = async (
  deployment: Deployment,
  server: Running,
  base: string,
  prefix: string,
  fault: () => Promise<void>,
): Promise<Outcome> => {
  const load = startLoad(base, deployment.key, prefix);
  await sleep(BEFORE_MS);
  const beganMs = performance.now();
  await fault();
  const endedMs = performance.now();
  const recoveryMs = await recovered(load, endedMs);
  await load.stop();
  const { stored: early } = await storedOf(deployment, prefix);
  const { results: told, reads } = load;
  const late = told.filter(({ messageId, isUndone }) => isUndone && early.has(messageId));
  const retried = await load.again();
  const isDrained = await untilDrained(deployment, server, WORK_WITHIN_MS).then(
    () => true,
    () => false,
  );
  const workMs = isDrained ? performance.now() - endedMs : Number.POSITIVE_INFINITY;
  const { stored, started } = await storedOf(deployment, prefix);
  const during = [...told, ...reads].filter((one) => one.endedMs >= beganMs);
  const readsWithin = reads.filter((one) => one.beganMs >= beganMs && one.beganMs < endedMs);
  const codes: Record<string, number> = {};
  for (const one of during) codes[wordsOf(one)] = (codes[wordsOf(one)] ?? 0) + 1;
  const refused = retried.filter(({ status }) => status !== 200 && status !== 409);
  const unstored = told.filter(({ messageId }) => !stored.has(messageId));
  const acked = told.filter(({ status }) => status === 200);
  const twice = told.filter(({ messageId }) =>
    [stored, started].some((rows) => (rows.get(messageId)?.length ?? 0) > 1),
  );
  return {
    acked: acked.length,
    found: acked.filter(({ messageId }) => early.has(messageId)).length,
    lost: acked.filter(({ messageId }) => !early.has(messageId)).length,
    dup: twice.length,
    late: late.length,
    wrong: [
      ...[...told, ...reads].filter((one) => !isRight(one)).map(wordsOf),
      ...refused.map(({ status, code }) => `again ${status} ${code}`),
      ...unstored.map(({ messageId }) => `${messageId} is not there in the end`),
    ],
    codes,
    reads: `${readsWithin.filter(({ status }) => status === 200).length}/${readsWithin.length}`,
    recoveryMs,
    workMs,
    slowestMs: Math.max(...during.map((one) => one.endedMs - one.beganMs)),
  };
};
