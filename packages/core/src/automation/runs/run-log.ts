import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { boundedLog } from '../../jobs/bounded-log.ts';
import type { RunRow } from './store.ts';

/** What a line names of a run: ids alone, of which none is a user's. */
export type LoggedRun = Pick<RunRow, 'scopeId' | 'id' | 'workflowId' | 'triggerEventId'>;
/** `error` is a code. */
export type LoggedFailure = LoggedRun & { readonly error: string | null; readonly path: string | null };

export type RunLog = {
  /** Told of runs that are on disk. Throws nothing. */
  started(runs: readonly LoggedRun[]): void;
  /** The same of runs that ended without having done what they are for. Throws nothing. */
  failed(runs: readonly LoggedFailure[]): void;
};

/** Writes the runs of a process into its log, as many as a minute may have. */
export const runLog = ({ log, clock }: { readonly log: Pick<Log, 'info' | 'warn'>; readonly clock: Clock }): RunLog => {
  const sayStarted = boundedLog((fields) => log.info(fields, 'a run was started'), clock);
  const sayFailed = boundedLog((fields) => log.warn(fields, 'a run failed'), clock);
  const idsOf = ({ scopeId, id, workflowId, triggerEventId }: LoggedRun) => ({
    ...{ scopeId, runId: id, workflowId },
    eventId: triggerEventId,
  });
  return {
    started: (runs) => {
      for (const run of runs) sayStarted(idsOf(run));
    },
    failed: (runs) => {
      for (const run of runs) sayFailed({ ...idsOf(run), path: run.path, code: run.error });
    },
  };
};
