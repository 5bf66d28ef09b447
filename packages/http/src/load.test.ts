import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { levelOf, loadInTurn, NO_LOAD, nextLoad, type Signals, watchLoad } from './load.ts';
import { SHED_ORDER } from './pipeline/shedding.ts';

const IDLE: Signals = { lagMs: 0, databaseWaitMs: 0, ingestFilled: 0, queueLagMs: 0 };
const levelAt = (change: Partial<Signals>): number => levelOf({ ...IDLE, ...change }).level;

describe('load of a process', () => {
  it('an idle process rejects nothing, and each step of a wait rejects one more kind', () => {
    expect(levelOf(IDLE)).toEqual({ level: 0, reason: '' });
    for (const [name, first] of [
      ['lagMs', 200],
      ['databaseWaitMs', 500],
    ] as const) {
      expect(levelAt({ [name]: first - 1 })).toBe(0);
      expect(levelAt({ [name]: first })).toBe(1);
      const levels = Array.from({ length: 6_000 }, (_, ms) => levelAt({ [name]: ms }));
      expect(levels).toEqual(levels.toSorted((a, b) => a - b));
      expect(new Set(levels).size).toBe(SHED_ORDER.length + 1);
    }
  });

  it('kinds before events are rejected as the ingest queue fills', () => {
    expect(levelAt({ ingestFilled: 0.49 })).toBe(0);
    const levels = Array.from({ length: 101 }, (_, at) => levelAt({ ingestFilled: at / 100 }));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(new Set(levels).size).toBe(SHED_ORDER.findIndex(({ name }) => name === 'events') + 1);
  });

  it('the worst signal decides the level and gives the reason', () => {
    expect(levelOf({ lagMs: 210.4, databaseWaitMs: 900, ingestFilled: 0.1 })).toEqual({
      level: 4,
      reason: 'calls wait 900 ms for the database',
    });
    expect(levelOf({ lagMs: 200, databaseWaitMs: 0, ingestFilled: 0.5 }).reason).toBe(
      'the event loop is 200 ms late, 50 % of the events that may wait do',
    );
  });

  it('the level rises at once and falls by one for each quiet window', () => {
    const at = (level: number, change: Partial<Signals>, windows: number) =>
      nextLoad({ ...NO_LOAD, level }, { ...IDLE, ...change }, windows);
    expect(at(0, { lagMs: 3_000 }, 1).level).toBe(9);
    expect(at(9, {}, 1)).toEqual({ level: 8, isIngestPaused: false, reason: 'it was overloaded a moment ago' });
    expect(at(9, { lagMs: 300 }, 8).level).toBe(3);
    expect(at(1, {}, 60)).toEqual(NO_LOAD);
  });

  it('while the load does not fall, callers with a smaller share are rejected too, until it falls', () => {
    let load = NO_LOAD;
    const part = (lagMs: number) => {
      load = nextLoad(load, { ...IDLE, lagMs }, 1);
      return load.part ?? 1;
    };
    expect([part(300), part(300), part(300), part(250), part(250), part(0), part(0), part(0)]).toEqual([
      ...[1, 0.5, 0.25, 0.5, 0.25, 0.5, 1, 1],
    ]);
    for (let window = 0; window < 100; window += 1) part(2_000);
    expect(load.part).toBe(2 ** -30);
    for (let window = 0; window < 20; window += 1) part(0);
    expect(load).toEqual(NO_LOAD);
  });

  it('the later the reactions to events run, the more organizations have events paused', () => {
    const at = (queueLagMs: number) => nextLoad(NO_LOAD, { ...IDLE, queueLagMs }, 1).ingestPart ?? 1;
    expect([at(0), at(300_000), at(600_000), at(1_200_000)]).toEqual([1, 1, 0.5, 0.25]);
  });

  it('a late call within a turn of the event loop sees a higher level, never a lower one', () => {
    expect(loadInTurn(NO_LOAD, 199)).toBe(NO_LOAD);
    expect(loadInTurn(NO_LOAD, 600)).toEqual({ ...NO_LOAD, level: 7, reason: 'the event loop is 600 ms late' });
    const load = { level: 8, isIngestPaused: true, reason: 'late' };
    expect(loadInTurn(load, 600)).toBe(load);
    expect(loadInTurn(load, 1_000)).toMatchObject({ level: 9, isIngestPaused: true });
  });

  it('events alone are paused while their reactions are five minutes late', () => {
    expect(nextLoad(NO_LOAD, { ...IDLE, queueLagMs: 299_999 }, 1)).toEqual(NO_LOAD);
    expect(nextLoad(NO_LOAD, { ...IDLE, queueLagMs: 300_000 }, 1)).toEqual({
      ...{ level: 0, isIngestPaused: true },
      reason: 'what events set off is 300 s late',
    });
  });
});

describe('watchLoad', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const watching = () => {
    const state = { databaseWaitMs: 0, queueLagMs: 0, reads: 0, isAway: false };
    const logged: string[] = [];
    const watch = watchLoad(
      {
        load: {
          current: () => ({ databaseWaitMs: state.databaseWaitMs, ingestFilled: 0 }),
          lagMs: async () => {
            state.reads += 1;
            if (state.isAway) throw new Error('away');
            return state.queueLagMs;
          },
        },
      },
      {
        log: {
          info: (_, text) => void logged.push(text),
          warn: (fields, text) => void logged.push(`${text} ${fields['level']}`),
        },
        onChange: ({ level }) => void logged.push(`level ${level}`),
      },
    );
    const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);
    return { watch, state, logged, seconds };
  };

  it('watchLoad logs each change once and recovers by itself', async () => {
    const { watch, state, logged, seconds } = watching();
    await seconds(3);
    expect([watch.now(), logged]).toEqual([NO_LOAD, []]);
    state.databaseWaitMs = 650;
    await seconds(2);
    state.databaseWaitMs = 0;
    await seconds(4);
    expect(logged).toEqual([
      ...['calls are refused 2', 'level 2', 'calls are refused 1', 'level 1'],
      ...['all calls are taken again', 'level 0'],
    ]);
    watch.stop();
  });

  it('a call late in a turn of the event loop is rejected, a call of the next turn is not', async () => {
    const { watch } = watching();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(10_000);
    expect(watch.now().level).toBe(0);
    clock.mockReturnValue(10_700);
    expect(watch.now().level).toBe(7);
    clock.mockRestore();
    await vi.advanceTimersByTimeAsync(1);
    expect(watch.now().level).toBe(0);
    watch.stop();
  });

  it('watchLoad reads overdue work every five seconds, however slow the database is', async () => {
    const { watch, state, seconds } = watching();
    state.queueLagMs = 600_000;
    await seconds(2);
    expect([watch.now().isIngestPaused, state.reads]).toEqual([true, 1]);
    state.queueLagMs = 0;
    await seconds(5);
    expect([watch.now().isIngestPaused, state.reads]).toEqual([false, 2]);
    state.queueLagMs = 600_000;
    await seconds(5);
    state.isAway = true;
    await seconds(5);
    expect([watch.now().isIngestPaused, state.reads]).toEqual([false, 4]);
    watch.stop();
    await seconds(30);
    expect(state.reads).toBe(4);
  });
});
