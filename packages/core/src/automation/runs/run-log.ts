import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { boundedLog } from '../../jobs/bounded-log.ts';
import type { RunRow } from './store.ts';

/** Fields of a log line: ids only, none of a user. */
export type LoggedRun = Pick<RunRow, 'scopeId' | 'id' | 'workflowId' | 'triggerEventId'>;
/** `error` is a code. */
export type LoggedFailure = LoggedRun & { readonly error: string | null; readonly path: string | null };

export type RunLog = {
  /** Logs committed runs. Throws nothing. */
  started(runs: readonly LoggedRun[]): void;
  /** Logs runs that ended without completing their work. Throws nothing. */
  failed(runs: readonly LoggedFailure[]): void;
};

/** Logs the runs of a process, up to a limit per minute. */
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
