import { commitPlanned } from '../../database/commit/commit-planned.ts';
import { type Write, type WriteSet, write } from '../../database/commit/write-set.ts';
import { conflict, notFound, overloaded } from '../../foundation/errors.ts';
import { anonymousIdOf, userPerson } from '../../foundation/person.ts';
import { type InScope, type Scope, scopeOf } from '../../foundation/scope.ts';
import type { RunsApi } from './api.ts';
import type { RunEffects } from './effects.ts';
import { readRun } from './runs.ts';
import { FAN_OUT, RUNS, TOO_DEEP } from './start.ts';
import type { RunsContext } from './statements.ts';
import { type RunRow, type RunStepRow, runStore } from './store.ts';

export type ControlNeeds = {
  readonly effects: RunEffects;
  /** User into which an anonymous id was merged; null if there is none. */
  userOf(scope: InScope, anonymousId: string): Promise<string | null>;
};

const RUN = 'run';

/** Whether the run can be retried: the engine failed it, or a step with `onError: stop` ended it. */
const hasFailedStep = ({ status, exitReason }: RunRow): boolean =>
  status === 'failed' || (status === 'completed' && exitReason === 'on_error_stop');

/** Outcome of the steps before the retried one; the last attempt of each path counts. */
const outcomeBefore = ({ cursor }: RunRow, steps: readonly RunStepRow[]): RunRow['outcome'] => {
  const last = new Map(steps.toSorted((a, b) => a.attempt - b.attempt).map(({ path, outcome }) => [path, outcome]));
  last.delete(cursor);
  return [...last.values()].includes('error') ? 'partial' : null;
};

/**
 * Cancels runs and retries failed ones. The statements check the conditions: the position of the run, and whether it is
 * due. Both increment the fence, so a worker that has the run in process writes nothing more, and of a concurrent
 * cancel and step exactly one takes effect. Public functions: see RunsApi.
 */
export const runControl = (
  { storage, tables, clock, statements: hot }: Pick<RunsContext, 'storage' | 'tables' | 'clock' | 'statements'>,
  { effects, userOf }: ControlNeeds,
): Pick<RunsApi, 'cancel' | 'retry'> => {
  const store = runStore({ db: storage.db, dialect: storage.dialect, tables });
  const read = readRun(store);

  const at = ({ cursor, attempt, person, ...run }: RunRow) => ({
    ...scopeOf(run),
    id: run.id,
    cursor,
    attempt,
    person,
  });

  const decided = async (scope: Scope, id: string, plan: (run: RunRow) => Promise<WriteSet>): Promise<void> => {
    const { ok } = await commitPlanned(storage, [id], {
      plan: async () => {
        const run = await store.get(scope, id);
        if (!run) throw notFound('run with this id', scope);
        return plan(run);
      },
    });
    if (!ok) throw overloaded(1);
  };

  const cancelled = async (run: RunRow): Promise<WriteSet> => {
    if (run.status === 'cancelled') return { writes: [] };
    if (run.dueAt === null) throw conflict('final', { status: run.status });
    const now = clock.now();
    const writes: Write[] = [write(hot.cancel, { ...at(run), status: 'cancelled', completedAt: now }, RUN)];
    const gathered = { now, writes, wakes: new Set<string>() };
    const state = { status: 'cancelled', outcome: run.outcome, error: null } as const;
    (await effects.load([run], { isFirstTry: true, isJoined: false })).raise(gathered, run, state, null);
    return { writes, wakes: [...gathered.wakes] };
  };

  const currentPerson = async (run: RunRow): Promise<string> => {
    const anonymousId = anonymousIdOf(run.person);
    const userId = anonymousId === null ? null : await userOf(run, anonymousId);
    return userId === null ? run.person : userPerson(userId);
  };

  const retried = async (run: RunRow): Promise<WriteSet> => {
    if (run.dueAt !== null) throw conflict('in_progress');
    // Runs stopped for depth or fan-out must not continue by a manual retry.
    if (!hasFailedStep(run) || run.error === TOO_DEEP || run.error === FAN_OUT)
      throw conflict('final', { status: run.status });
    const [steps, newPerson] = await Promise.all([store.steps(run, run.id), currentPerson(run)]);
    const again = {
      status: run.status,
      newStatus: 'running',
      outcome: outcomeBefore(run, steps),
      newAttempt: run.attempt + 1,
      newPerson,
      dueAt: clock.now(),
    };
    return { writes: [write(hot.retry, { ...at(run), ...again }, RUN)], wakes: [RUNS] };
  };

  /** A merge moves runs that are due. A run that had ended between our read and our commit was not moved. */
  const moveMerged = async (scope: Scope, id: string): Promise<void> => {
    const run = await store.get(scope, id);
    const newPerson = run && (await currentPerson(run));
    if (run && newPerson !== run.person)
      await storage.commit({ writes: [write(hot.moveMerged, { ...scopeOf(run), person: run.person, newPerson })] });
  };

  return {
    cancel: async (scope, id) => {
      await decided(scope, id, cancelled);
      return read(scope, id);
    },
    retry: async (scope, id) => {
      await decided(scope, id, retried);
      await moveMerged(scope, id);
      return read(scope, id);
    },
  };
};
