import { describe, expect, it, vi } from 'vitest';
import { rowId } from '../../test/row-ids.ts';
import { virtualClock } from '../primitives/clock.ts';
import type { Claimed } from '../storage/claim.ts';
import type { WriteSet } from '../storage/write-set.ts';
import { tablesOf } from '../tables.ts';
import { processContext } from '../work/testing/process-context.ts';
import { aiHot } from './hot.ts';
import { aiRegistration } from './queue.ts';
import type { AiCallRow } from './store.ts';

const clock = virtualClock('2026-03-01T10:00:00.000Z');
const tables = tablesOf('sqlite');
const call: Claimed<AiCallRow> = {
  scopeId: 1,
  id: rowId('call'),
  runId: rowId('run'),
  path: '0',
  attempt: 1,
  tries: 0,
  dueAt: clock.now(),
  leaseUntil: clock.now(),
  fence: 1,
};

describe('the queue of steps that wait for a model', () => {
  it('asks nobody for a run that waits no more, and tells it nothing', async () => {
    const committed: WriteSet[] = [];
    const ask = vi.fn();
    const tell = vi.fn();
    const queue = aiRegistration({
      storage: {
        commit: async (plan) => {
          committed.push(plan);
          return { ok: true };
        },
      },
      tables,
      hot: aiHot(tables),
      clock,
      ask,
      tasksOf: async () => new Map(),
      tell,
      wakes: ['runs'],
    });
    const ended: Parameters<typeof queue.commit>[0][number][] = [];
    await queue.process([call], (_, outcome) => ended.push(outcome), processContext());
    await queue.commit(ended);
    expect(committed.flatMap(({ writes }) => writes.map(({ bulk }) => bulk.id))).toEqual(['ai.end']);
    expect(ask).not.toHaveBeenCalled();
    expect(tell).not.toHaveBeenCalled();
  });

  it('gives calls back that have not begun when the worker is told to stop', async () => {
    const ask = vi.fn();
    const giveBack = vi.fn();
    const queue = aiRegistration({
      storage: { commit: async () => ({ ok: true }) },
      tables,
      hot: aiHot(tables),
      clock,
      ask,
      tasksOf: async () => new Map(),
      tell: vi.fn(),
      wakes: [],
    });
    const done = vi.fn();
    await queue.process([call], done, processContext({ draining: AbortSignal.abort(), giveBack }));
    expect([giveBack.mock.calls, done.mock.calls, ask.mock.calls]).toEqual([[[[call]]], [], []]);
  });
});
