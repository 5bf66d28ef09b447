import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRuns, type RunsWorld } from '../../../test/support/runs/runs-world.ts';

const TO_NOBODY = { subject: 's', text: 't', to: '{{trait.missing}}' };
/** Ends as an error for any user. */
const fails = (config: object = {}) => ({ type: 'send_email', config: { ...TO_NOBODY, ...config } });
const marks = (trait: string) => ({ type: 'update_profile', config: { set: { [trait]: true } } });
const suppressed = { type: 'send_sms', config: { body: 'Hi' } };

describe('outcomes of runs', () => {
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const traits = async () => (await world.beckon.profiles.get(world.scope, 'ann')).traits;
  /** Path, outcome and reason of each ended step. */
  const ends = async () =>
    (await world.run()).steps.map(({ path, type, outcome, reason }) => [path, type, outcome, reason]);

  it('a run whose steps are ok or suppressed ends as ok', async () => {
    await world.start([marks('first'), suppressed, marks('last')]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      exitReason: null,
      error: null,
      next_step_at: null,
      completedAt: world.clock.now(),
    });
    expect(await ends()).toEqual([
      ['0', 'update_profile', 'ok', null],
      ['1', 'send_sms', 'suppressed', 'no_address'],
      ['2', 'update_profile', 'ok', null],
    ]);
    expect(await traits()).toEqual({ first: true, last: true });
  });

  it.each([[{}], [{ onError: 'continue' }]])(
    'a run continues after a step that failed with %j and ends as partial',
    async (config) => {
      await world.start([fails(config), marks('first'), marks('last')]);
      await world.beckon.worker.drain();
      expect(await world.run()).toMatchObject({
        status: 'completed',
        outcome: 'partial',
        exitReason: null,
        error: null,
      });
      expect(await ends()).toEqual([
        ['0', 'send_email', 'error', 'invalid_address'],
        ['1', 'update_profile', 'ok', null],
        ['2', 'update_profile', 'ok', null],
      ]);
      expect(await traits()).toEqual({ first: true, last: true });
    },
  );

  it('a run whose last step failed ends as partial', async () => {
    await world.start([marks('first'), fails()]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'partial', exitReason: null });
  });

  it('a failed step with onError stop ends the run as an error with its reason', async () => {
    await world.start([marks('first'), fails({ onError: 'stop' }), marks('last')]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({
      status: 'completed',
      outcome: 'error',
      exitReason: 'on_error_stop',
      error: 'invalid_address',
      cursor: '1',
      next_step_at: null,
      completedAt: world.clock.now(),
    });
    expect(await ends()).toEqual([
      ['0', 'update_profile', 'ok', null],
      ['1', 'send_email', 'error', 'invalid_address'],
    ]);
    expect(await traits()).toEqual({ first: true });
  });

  it('a suppressed or successful step with onError stop does not end the run', async () => {
    const stopping = (step: { type: string; config: object }) => ({
      ...step,
      config: { ...step.config, onError: 'stop' },
    });
    await world.start([stopping(marks('first')), stopping(suppressed), marks('last')]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok' });
    expect(await traits()).toEqual({ first: true, last: true });
  });

  it('a run without steps completes at once', async () => {
    await world.start([]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'completed', outcome: 'ok', next_step_at: null, steps: [] });
  });

  it('a step that throws fails its run and no other of the batch', async () => {
    await world.start([marks('before'), marks('first')]);
    await world.spoil((steps) => [steps[0], { type: 'update_profile' }]);
    await world.start([marks('other')], { userId: 'bob' });
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({
      status: 'failed',
      outcome: 'error',
      error: 'step_threw',
      next_step_at: null,
      completedAt: world.clock.now(),
      steps: [{ path: '0', outcome: 'ok' }],
    });
    expect(world.logged).toEqual(['a step threw']);
    expect(await traits()).toEqual({ before: true });
    expect(await world.run('bob')).toMatchObject({ status: 'completed', outcome: 'ok' });
    expect(await world.beckon.worker.drain()).toBe(0);
  });

  it('a run fails at a step type of a newer program', async () => {
    await world.start([marks('first'), marks('next')]);
    await world.spoil((steps) => [steps[0], { type: 'dance', config: {} }]);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'failed', outcome: 'error', error: 'unknown_step_type' });
    expect(await traits()).toEqual({ first: true });
  });

  it('a run without a definition fails', async () => {
    await world.start([marks('first')]);
    await world.database.storage.db.delete(world.database.tables.workflowVersions);
    await world.beckon.worker.drain();
    expect(await world.run()).toMatchObject({ status: 'failed', outcome: 'error', error: 'definition_unreadable' });
    expect(await world.beckon.worker.drain()).toBe(0);
  });

  it('a run keeps the version that it started with', async () => {
    await world.start([{ type: 'wait', config: { minutes: 1 } }, marks('old')]);
    await world.beckon.worker.drain();
    await world.define([{ type: 'wait', config: { minutes: 1 } }, marks('new')]);
    world.clock.advance(60_000);
    await world.beckon.worker.drain();
    expect(await traits()).toEqual({ old: true });
  });

  it('a run changes the traits that an earlier run of the batch left', async () => {
    const adds = { type: 'update_profile', config: { increment: { count: 1 } } };
    await world.start([adds, adds]);
    for (let more = 0; more < 4; more += 1) await world.trigger();
    await world.beckon.worker.drain();
    expect(await traits()).toEqual({ count: 10 });
  });

  it('each step sees the traits that earlier steps left', async () => {
    const copies = { type: 'update_profile', config: { set: { second: '{{trait.first}}' } } };
    await world.start([{ type: 'update_profile', config: { set: { first: 'x' } } }, copies]);
    await world.beckon.worker.drain();
    expect(await traits()).toEqual({ first: 'x', second: 'x' });
  });
});

describe('times of a run', () => {
  const MINUTE_MS = 60_000;
  let world: RunsWorld;
  beforeEach(async () => {
    world = await openRuns();
  });
  afterEach(() => world.close());

  const inMs = (ms: number) => new Date(world.clock.now().getTime() + ms);
  const drain = () => world.beckon.worker.drain();

  it('a run starts exactly when the delay of its first step is over', async () => {
    await world.start([{ ...marks('first'), delayMinutes: 5 }]);
    expect(await world.run()).toMatchObject({ status: 'waiting', cursor: '0', next_step_at: inMs(5 * MINUTE_MS) });
    world.clock.advance(5 * MINUTE_MS - 1);
    expect(await drain()).toBe(0);
    world.clock.advance(1);
    expect(await drain()).toBe(1);
    expect(await world.run()).toMatchObject({ status: 'completed', completedAt: world.clock.now() });
  });

  it('the delay of a later step counts from the end of the previous step', async () => {
    await world.start([marks('first'), { ...marks('last'), delayMinutes: 5 }]);
    world.clock.advance(7_000);
    await drain();
    expect(await world.run()).toMatchObject({ status: 'waiting', cursor: '1', next_step_at: inMs(5 * MINUTE_MS) });
    world.clock.advance(5 * MINUTE_MS - 1);
    expect(await drain()).toBe(0);
    world.clock.advance(1);
    await drain();
    expect(await world.run()).toMatchObject({ status: 'completed' });
  });

  it('the minutes of a wait count after its delay, and the next step follows at once', async () => {
    const wait = { type: 'wait', config: { minutes: 60 }, delayMinutes: 5 };
    await world.start([wait, marks('last')]);
    world.clock.advance(5 * MINUTE_MS);
    const began = world.clock.now();
    await drain();
    expect(await world.run()).toMatchObject({ status: 'waiting', cursor: '0', steps: [] });
    expect(await world.run()).toMatchObject({ next_step_at: inMs(60 * MINUTE_MS) });
    world.clock.advance(60 * MINUTE_MS - 1);
    expect(await drain()).toBe(0);
    world.clock.advance(1);
    await drain();
    const ended = world.clock.now();
    expect(await world.run()).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      steps: [
        { path: '0', type: 'wait', outcome: 'ok', startedAt: began, finishedAt: ended },
        { path: '1', type: 'update_profile', outcome: 'ok', startedAt: ended, finishedAt: ended },
      ],
    });
  });

  it('two consecutive waits add up', async () => {
    const wait = { type: 'wait', config: { minutes: 1 } };
    await world.start([wait, wait, marks('last')]);
    await drain();
    world.clock.advance(MINUTE_MS);
    await drain();
    expect(await world.run()).toMatchObject({ status: 'waiting', cursor: '1', next_step_at: inMs(MINUTE_MS) });
    world.clock.advance(MINUTE_MS);
    await drain();
    expect(await world.run()).toMatchObject({ status: 'completed' });
  });

  it('a wait of zero minutes does not delay the run', async () => {
    await world.start([{ type: 'wait', config: { minutes: 0 } }, marks('last')]);
    await drain();
    expect(await world.run()).toMatchObject({ status: 'completed', steps: [{ path: '0' }, { path: '1' }] });
  });
});
