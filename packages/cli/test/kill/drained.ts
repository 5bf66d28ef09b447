import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../beckon.ts';
import type { Deployment } from './deployment.ts';

/** Work queues by table name. */
export const QUEUES = ['messages', 'runs', 'sends'] as const;

/** Timeout for a worker that hangs. */
const HANGS_AFTER_MS = 540_000;
const LOOK_MS = 200;

/**
 * Waits until all queues are empty.
 *
 * @param worker the worker process
 * @param withinMs time limit
 * @throws (rejects with) the output of a worker that ended, or the remaining work at the time limit
 */
export const untilDrained = async (
  deployment: Deployment,
  worker: Running,
  withinMs = HANGS_AFTER_MS,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  const { child } = worker;
  for (;;) {
    const left = await deployment.query<{ queue: string; due: number }>(
      QUEUES.map(
        (table) =>
          `select '${table}' as queue, cast(count(*) as integer) as due from ${table} where due_at is not null`,
      ).join(' union all '),
    );
    if (left.every(({ due }) => due === 0)) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the worker ended before its work did: ${(await worker.ended).err}`);
    if (performance.now() > deadline)
      throw new Error(`after ${withinMs} ms there is work left: ${JSON.stringify(left)}`);
    await sleep(LOOK_MS);
  }
};
