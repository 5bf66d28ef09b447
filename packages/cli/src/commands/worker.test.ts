import { type Beckon, createBeckon, type Scope } from '@beckon/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmptyCli, emptyCli } from '../../test/support/empty.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('worker', () => {
  let real: RealCli;
  /** On the clock of the machine, as the workers of the commands are. */
  let beckon: Beckon;
  let scope: Scope;
  /** Time limits of every stop of the worker, in milliseconds. */
  let limitsMs: (number | undefined)[];
  beforeAll(async () => {
    real = await realCli();
    const { BECKON_DB: db = '', BECKON_MASTER_KEY: masterKey = '' } = real.env;
    beckon = await createBeckon({ db, masterKey });
    scope = await beckon.tenancy.scope({ ...real.scope, environment: 'test' });
  });
  beforeEach(async () => {
    await beckon.worker.drain();
    limitsMs = [];
  });
  afterAll(async () => {
    await beckon.close();
    await real.close();
  });

  const watched = (opened: Beckon): Beckon => ({
    ...opened,
    worker: {
      ...opened.worker,
      stop: (options) => {
        limitsMs.push(options?.timeoutMs);
        return opened.worker.stop(options);
      },
    },
  });
  const program = (change: (opened: Beckon) => Beckon = watched): EmptyCli =>
    emptyCli({ cwd: real.cwd, env: real.env, change });
  const sendTo = (to: string) => beckon.sms.send(scope, { to, body: 'Hi' });
  const statusOf = async (id: string) => (await beckon.sends.get(scope, 'sms', id)).status;

  it('worker does due work until SIGTERM, then stops 3 s before the time limit and exits 0', async () => {
    const { id } = await sendTo('+14155550123');
    const { run, io, unclosed } = program();
    const exit = run('worker');
    await vi.waitFor(() => expect(io.out()).toContain('worker running'));
    await vi.waitFor(async () => expect(await statusOf(id)).toBe('sent'), { timeout: 10_000 });
    io.signal('SIGTERM');
    expect([await exit, unclosed(), limitsMs]).toEqual([0, 0, [17_000]]);
  });

  it.each(['--once', '--drain'])('`worker %s` runs due work and exits 0 with the number of rows', async (flag) => {
    const { id } = await sendTo('+14155550123');
    const { run, envelope, unclosed } = program();
    expect(await run('worker', flag, '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled: expect.any(Number) } });
    expect([await statusOf(id), unclosed()]).toEqual(['sent', 0]);
    const idle = program();
    expect(await idle.run('worker', flag, '--json')).toBe(0);
    expect(idle.envelope()).toEqual({ success: true, data: { handled: 0 } });
  });

  it.each([
    ['--once', [3, 2], 3],
    ['--drain', [3, 2], 5],
  ])('`worker %s` counts the rows of each pass: %j', async (flag, due, handled) => {
    const left = [...due];
    const drain = async (): Promise<number> => left.shift() ?? 0;
    const { run, envelope } = program((opened) => ({ ...opened, worker: { ...opened.worker, drain } }));
    expect(await run('worker', flag, '--json')).toBe(0);
    expect(envelope()).toEqual({ success: true, data: { handled } });
  });

  it.each([
    ['--once', [2, 7], 2],
    ['--drain', [3, 2, 7], 5],
  ])(
    'a signal during `worker %s` stops the worker, and it exits 0 with what it handled',
    async (flag, due, handled) => {
      const left = [...due];
      const one: EmptyCli = program((beckon) => {
        const { worker, ...rest } = watched(beckon);
        const drain = async (): Promise<number> => {
          const rows = left.shift() ?? 0;
          if (left.length === 1) {
            one.io.signal('SIGTERM');
            await vi.waitFor(() => expect(limitsMs).toEqual([17_000]));
          }
          return rows;
        };
        return { ...rest, worker: { ...worker, drain } };
      });
      expect(await one.run('worker', flag, '--json')).toBe(0);
      expect(one.envelope()).toEqual({ success: true, data: { handled } });
      expect(left).toEqual([7]);
    },
  );
});
