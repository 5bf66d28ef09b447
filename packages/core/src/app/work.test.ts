import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OpenDatabase } from '../database/open.ts';
import type { Storage } from '../database/storage.ts';
import { tablesOf } from './tables.ts';
import { buildWork } from './work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a stop ends at its time limit although a piece of maintenance hangs, and the next stop does not wait again', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let isRunning = false;
  const { worker } = buildWork({
    // Safe: without queues nothing but the heartbeat asks for them, which is told of their errors.
    database: {} as OpenDatabase,
    storage: {} as Storage,
    tables: tablesOf('sqlite'),
    ids: { next: () => 'a worker' },
    log,
    pollMs: undefined,
    queues: [],
    maintenance: [
      {
        name: 'message ids',
        run: () => {
          isRunning = true;
          return new Promise<never>(() => undefined);
        },
      },
    ],
    upkeepIsDue: () => false,
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isRunning).toBe(true);
  const ended = vi.fn();
  const stopped = worker.stop({ timeoutMs: 1_000 }).then(ended);
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await stopped;
  expect(log.warn.mock.calls.map(([, message]) => message)).toContain('maintenance was cut off at the time limit');
  await worker.stop();
});
