// Invariants of every simulated year.

import { comparePaths, pathAfter, pathInto, type StoredStep, stepAt } from '../../../../src/automation/runs/cursor.ts';
import { stepTypes } from '../../../../src/automation/runs/steps/list.ts';
import type { RunRow, RunStepRow } from '../../../../src/automation/runs/store.ts';
import { userPerson } from '../../../../src/foundation/person.ts';
import type { Deployment } from './deployment.ts';
import type { Accepted, Report } from './simulate.ts';

const MINUTE_MS = 60_000;
const { armsOf } = stepTypes;

type Steps = Parameters<typeof stepAt>[0];

type Awaited = { readonly eventType: string; readonly filters?: Readonly<Record<string, string>> | undefined };

/** Whether a wait for an event ended correctly; events within its first or last millisecond may count or not. */
const isRight = (row: RunStepRow, { eventType, filters }: Awaited, events: readonly Accepted[]): boolean => {
  const fits = events.filter(
    (one) => one.eventType === eventType && (filters === undefined || filters['n'] === `${one.n}`),
  );
  const [from, to] = [row.startedAt.getTime(), row.finishedAt.getTime()];
  return row.outcome === 'ok'
    ? fits.some(({ at }) => at >= from && at <= to)
    : row.outcome === 'timed_out' && !fits.some(({ at }) => at > from && at < to);
};

const HOUR_MS = 3_600_000;
/** Whether a time is within the hours that simulated runs wait for. */
const isOpen = (moment: Date): boolean => {
  const hour = (moment.getTime() % (24 * HOUR_MS)) / HOUR_MS;
  return hour >= 9 && hour < 17;
};

/** Key of the arm that a branch must take for an event with this `n`; null: none. */
const armFor = ({ config }: StoredStep, row: RunStepRow, n: number): string | null => {
  // The arm of a user in a split is checked separately.
  if (config['split']) return row.output?.['branch'] === 'a' ? '0' : '1';
  if (n < 2) return String(n);
  return config['else'] ? 'else' : null;
};

/** Outcome of a step that calls an external service, which answers by its configured name; null: another step. */
const outcomeOf = ({ type, config }: StoredStep): RunStepRow['outcome'] | null => {
  if (type === 'ai_action') return config['model'] === 'ok' ? 'ok' : 'ai_unavailable';
  if (type !== 'webhook') return null;
  return /\/(taken|second)$/.test(String(config['url'])) ? 'ok' : 'error';
};

/** Violations of one run and its steps; `events` are those of its user. */
function* brokenIn(
  run: RunRow,
  steps: Steps,
  rows: readonly RunStepRow[],
  events: readonly Accepted[],
): Generator<string> {
  const at = (row: RunStepRow): string => `run ${run.id} step ${row.path}/${row.attempt}`;
  let expected = steps.length === 0 ? null : '0';
  let before = run.startedAt.getTime();
  let failed: string | null = null;
  for (const row of rows) {
    const isRetry = row.path === failed;
    if (row.path !== expected && !isRetry) yield `${at(row)}: expected ${expected}`;
    const step = stepAt(steps, row.path, armsOf);
    if (!step) {
      yield `${at(row)}: the definition has no such step`;
      return;
    }
    const due = before + (isRetry ? 0 : (step.delayMinutes ?? 0)) * MINUTE_MS;
    if (row.startedAt.getTime() < due && row.attempt === 1) yield `${at(row)}: began before it was due`;
    const { minutes, event, window, when } = step.config;
    const n = events.find(({ id }) => id === run.triggerEventId)?.n ?? 0;
    const isSkipped = when !== undefined && n < 1;
    if (isSkipped !== (row.outcome === 'skipped')) yield `${at(row)}: ${row.outcome} for n ${n}`;
    if (isSkipped) {
      [before, failed] = [row.finishedAt.getTime(), null];
      expected = pathAfter(steps, row.path, armsOf);
      continue;
    }
    if (window !== undefined && !isOpen(row.finishedAt)) yield `${at(row)}: went on outside its hours`;
    // Safe: the schema of the step validated what was stored.
    if (
      event !== undefined &&
      !isRight(
        row,
        event as Awaited,
        events.filter(({ isVisitor }) => !isVisitor),
      )
    )
      yield `${at(row)}: ${row.outcome} is wrong`;
    if (step.type === 'wait' && typeof minutes === 'number')
      if (row.finishedAt.getTime() - row.startedAt.getTime() < minutes * MINUTE_MS)
        yield `${at(row)}: waited too short`;
    const outcome = outcomeOf(step);
    if (outcome !== null && row.outcome !== outcome) yield `${at(row)}: ${row.outcome} instead of ${outcome}`;
    before = row.finishedAt.getTime();
    // A send that failed after its step ended stops nothing.
    const hasFailed = row.outcome === 'error' && row.sendId === null;
    failed = hasFailed && step.config['onError'] === 'stop' ? row.path : null;
    const arm = step.type === 'branch' ? armFor(step, row, n) : null;
    expected =
      failed !== null
        ? null
        : arm === null
          ? pathAfter(steps, row.path, armsOf)
          : pathInto(steps, row.path, arm, armsOf);
  }
  if (run.status === 'completed' && run.exitReason === null && expected !== null)
    yield `run ${run.id}: completed before step ${expected}`;
  if (!['completed', 'cancelled'].includes(run.status)) yield `run ${run.id}: is ${run.status} (${run.error})`;
}

const byMoment = (a: RunStepRow, b: RunStepRow): number => comparePaths(a.path, b.path) || a.attempt - b.attempt;

/** Checks everything that a year left. */
export const broken = async (
  { database, nextDue }: Pick<Deployment, 'database' | 'nextDue'>,
  accepted: readonly Accepted[],
  mailed: ReadonlyMap<string, number>,
  posted: ReadonlyMap<string, number>,
): Promise<Pick<Report, 'runs' | 'steps' | 'broken'>> => {
  const { db } = database.storage;
  const { tables } = database;
  const runs = await db.select().from(tables.runs);
  const rows = await db.select().from(tables.runSteps);
  const sends = await db.select().from(tables.sends);
  const messages = await db.select().from(tables.messages);
  const versions = await db.select().from(tables.workflowVersions);
  const profiles = await db.select().from(tables.profiles);
  const wrong: string[] = [];

  const rowsOf = Map.groupBy(rows, ({ runId }) => runId);
  for (const run of runs) {
    const version = versions.find((one) => one.workflowId === run.workflowId && one.version === run.workflowVersion);
    const events = accepted.filter(({ userId }) => userPerson(userId) === run.person);
    wrong.push(...brokenIn(run, version?.steps ?? [], (rowsOf.get(run.id) ?? []).toSorted(byMoment), events));
  }

  const expected = accepted.flatMap(({ id, workflows }) => workflows.map((workflowId) => `${id}/${workflowId}`));
  const started = runs.map(({ triggerEventId, workflowId }) => `${triggerEventId}/${workflowId}`);
  for (const key of new Set([...expected, ...started])) {
    const [want, have] = [expected, started].map((keys) => keys.filter((one) => one === key).length);
    if (want !== have) wrong.push(`event/workflow ${key}: ${have} runs for ${want}`);
  }

  const sendKeys = sends.map(({ workflowRunId, stepPath }) => `${workflowRunId}/${stepPath}`);
  if (new Set(sendKeys).size < sends.length) wrong.push('a step has sent twice');
  const bySend = new Map(sends.map((send) => [send.id, send]));
  for (const row of rows.filter(({ sendId }) => sendId !== null)) {
    const send = bySend.get(row.sendId ?? '');
    if (send?.workflowRunId !== row.runId || send.stepPath !== row.path)
      wrong.push(`step ${row.path} names no send of its own`);
  }
  for (const { id, status } of messages) {
    const count = mailed.get(id) ?? 0;
    if (status === 'sent' && count === 0) wrong.push(`message ${id} was sent and the provider never had it`);
    if (!['sent', 'failed', 'suppressed', 'cancelled'].includes(status)) wrong.push(`message ${id} is ${status}`);
  }

  // A worker that reports a message it no longer owns would count it twice.
  const sentOf = Map.groupBy(
    messages.filter(({ status }) => status === 'sent'),
    ({ sendId }) => sendId,
  );
  for (const { id, sent } of sends)
    if (sent !== (sentOf.get(id)?.length ?? 0)) wrong.push(`send ${id} counts ${sent} as sent`);

  const posts = rows.filter(({ type, outcome }) => type === 'webhook' && ['ok', 'error'].includes(outcome));
  // A cancelled run does not wait for the response.
  if (posted.size < posts.length) wrong.push(`${posts.length} webhook steps, and ${posted.size} were posted`);

  const splits = new Map<string, unknown>();
  const personOf = new Map(runs.map(({ id, workflowId, person }) => [id, `${workflowId}/${person}`]));
  for (const { runId, path, output } of rows.filter(({ output }) => ['a', 'b'].includes(String(output?.['branch'])))) {
    const key = `${personOf.get(runId)}/${path}`;
    if ((splits.get(key) ?? output?.['branch']) !== output?.['branch']) wrong.push(`${key} is not sticky`);
    splits.set(key, output?.['branch']);
  }

  const runBy = new Map(runs.map((run) => [run.id, run]));
  for (const { person, traits } of profiles) {
    const done = rows.filter(
      ({ runId, type, outcome }) =>
        type === 'update_profile' && outcome === 'ok' && runBy.get(runId)?.person === person,
    );
    if (traits['steps'] !== done.length)
      wrong.push(`${person} was changed ${traits['steps']} times by ${done.length} steps`);
  }
  if ((await nextDue()) !== null) wrong.push('something is due for ever');
  return { runs: runs.length, steps: rows.length, broken: wrong };
};
