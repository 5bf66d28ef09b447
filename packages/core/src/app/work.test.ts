import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OpenDatabase } from '../database/open.ts';
import type { Storage } from '../database/storage.ts';
import type { Queue } from '../jobs/worker.ts';
import { tablesOf } from './tables.ts';
import { buildWork } from './work.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('stop ends at its time limit even if a maintenance task hangs, and the next stop does not wait again', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  let isRunning = false;
  const { worker } = buildWork({
    // Safe: without queues only the heartbeat uses them, which gets their errors.
    database: {} as OpenDatabase,
    storage: {} as Storage,
    tables: tablesOf('sqlite'),
    ids: { next: () => 'a worker' },
    log,
    tracing: null,
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
    maintenanceIsDue: () => false,
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

it('a drain visits queues in one order, whatever the order of the modules', async () => {
  const order: string[] = [];
  const queueOf = (name: string): Queue => {
    const once = async (): Promise<number> => {
      order.push(name);
      return 0;
    };
    // Safe: a drain uses a queue's name and one batch only.
    return { name, once } as Queue;
  };
  const names = ['erasures', 'webhooks', 'ai_calls', 'runs', 'audience checks', 'audiences', 'raised events', 'sends'];
  const { worker } = buildWork({
    // Safe: only a drain is used.
    database: {} as OpenDatabase,
    storage: {} as Storage,
    tables: tablesOf('sqlite'),
    ids: { next: () => 'a worker' },
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    tracing: null,
    pollMs: undefined,
    queues: [...names, 'messages'].map((name) => () => queueOf(name)),
    maintenance: [],
    maintenanceIsDue: () => false,
  });
  await worker.drain();
  expect(order).toEqual([
    ...['messages', 'sends', 'runs', 'raised events', 'audiences', 'audience checks', 'ai_calls', 'webhooks'],
    'erasures',
  ]);
});

it('a worker starts its loops outside of the active span', async () => {
  let hasRun = false;
  const detached = vi.fn();
  const { worker } = buildWork({
    // Safe: without queues only the heartbeat uses them, which gets their errors.
    database: {} as OpenDatabase,
    storage: {} as Storage,
    tables: tablesOf('sqlite'),
    ids: { next: () => 'a worker' },
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    tracing: {
      trace: (_name, _options, work) => work({ add: vi.fn(), fail: vi.fn(), traceparent: () => null }),
      active: () => null,
      // Fake timers keep no context, so the calls are counted.
      detached: (work) => {
        detached();
        return work();
      },
    },
    pollMs: undefined,
    queues: [],
    maintenance: [
      {
        name: 'message ids',
        run: async () => {
          hasRun = true;
          return false;
        },
      },
    ],
    maintenanceIsDue: () => false,
  });
  worker.start();
  expect(detached).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hasRun).toBe(true);
  await worker.stop();
});
