import { describe, expect, it } from 'vitest';
import { zoneClock } from '../../../foundation/zone-clock.ts';
import { type CountedRun, type CountedSteps, tallyOf } from './tally.ts';

const UTC = zoneClock('UTC');
if (!UTC) throw new Error('no zone');
const day = (number: number) => new Date(Date.UTC(2026, 2, number, 12));
const runOf = (over: Partial<CountedRun> = {}): CountedRun => ({
  workflowVersion: 2,
  status: 'completed',
  outcome: 'ok',
  exitReason: null,
  cursor: '1',
  startedAt: day(1),
  dueAt: null,
  ...over,
});
const known = {
  version: 2,
  steps: [
    { path: '0', type: 'wait', name: 'Pause' },
    { path: '1', type: 'send_email', name: null },
  ],
} as const;
const ended = (over: Partial<CountedSteps> = {}): CountedSteps => ({
  version: 2,
  path: '0',
  type: 'wait',
  outcome: 'ok',
  count: 1,
  ...over,
});
const of = (runs: readonly CountedRun[], steps: readonly CountedSteps[] = []) => {
  const tally = tallyOf(known, 'day', UTC);
  tally.add(runs, steps);
  return tally.result();
};

describe('tallyOf', () => {
  it('a workflow without runs has zeros for every step of its version', () => {
    const nothing = { finished: 0, outcomes: {}, active: 0, exits: 0 };
    expect(of([])).toEqual({
      series: ['entered', 'completed', 'failed', 'cancelled'].map((key) => ({ key, points: [] })),
      totals: { entered: 0, active: 0, completed: 0, failed: 0, cancelled: 0, outcomes: {}, exits: {} },
      steps: [
        { version: 2, path: '0', type: 'wait', name: 'Pause', ...nothing },
        { version: 2, path: '1', type: 'send_email', name: null, ...nothing },
      ],
    });
  });

  it('each run is counted once by its result', () => {
    const { totals } = of([
      runOf(),
      runOf({ outcome: 'partial' }),
      runOf({ outcome: 'error', exitReason: 'on_error_stop' }),
      runOf({ status: 'failed', outcome: 'error' }),
      runOf({ status: 'cancelled', outcome: null }),
      runOf({ status: 'waiting', outcome: null, dueAt: day(9) }),
      runOf({ status: 'running', outcome: 'partial', dueAt: day(9) }),
    ]);
    expect(totals).toEqual({
      entered: 7,
      active: 2,
      completed: 3,
      failed: 1,
      cancelled: 1,
      outcomes: { ok: 1, partial: 1, error: 1 },
      exits: { on_error_stop: 1 },
    });
  });

  it('runs are counted on the day they started', () => {
    const { series } = of([
      runOf({ startedAt: day(2), status: 'failed' }),
      runOf(),
      runOf(),
      runOf({ startedAt: day(3), status: 'waiting', dueAt: day(4) }),
    ]);
    expect(Object.fromEntries(series.map(({ key, points }) => [key, points]))).toEqual({
      entered: [
        ['2026-03-01', 2],
        ['2026-03-02', 1],
        ['2026-03-03', 1],
      ],
      completed: [['2026-03-01', 2]],
      failed: [['2026-03-02', 1]],
      cancelled: [],
    });
  });

  it('steps have outcomes, active runs and exits', () => {
    const { steps } = of(
      [
        runOf({ cursor: '0', status: 'waiting', dueAt: day(9) }),
        runOf({ cursor: '0', status: 'cancelled' }),
        runOf({ cursor: '0', status: 'failed' }),
        runOf({ cursor: '1' }),
        runOf({ cursor: '0', exitReason: 'wait_timed_out' }),
      ],
      [ended({ count: 2 }), ended({ outcome: 'timed_out' })],
    );
    expect(steps[0]).toMatchObject({ finished: 3, outcomes: { ok: 2, timed_out: 1 }, active: 1, exits: 3 });
    expect(steps[1]).toMatchObject({ finished: 0, active: 0, exits: 0 });
  });

  it('versions are separate, newest first, with steps in order', () => {
    const others = [
      ended({ version: 1, path: '10' }),
      ended({ version: 1, path: '2.else.0' }),
      ended({ version: 1, path: '2' }),
    ];
    const { steps } = of([runOf({ workflowVersion: 1, cursor: '2', status: 'failed' })], others);
    expect(steps.map(({ version, path, exits }) => [version, path, exits])).toEqual([
      [2, '0', 0],
      [2, '1', 0],
      [1, '2', 1],
      [1, '2.else.0', 0],
      [1, '10', 0],
    ]);
  });
});
