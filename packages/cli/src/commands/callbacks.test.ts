import { describe, expect, it } from 'vitest';
import { cli } from '../testing/cli.ts';
import { AT, addTenant } from '../testing/world.ts';

const callback = (id: string, provider = 'sendgrid') => ({
  id,
  channel: 'email' as const,
  provider,
  bytes: 120,
  receivedAt: AT,
  appliedAt: AT,
  events: 3,
  applied: 1,
  duplicates: 0,
  unknown: 2,
});

describe('callbacks', () => {
  it('lists what a provider posted, and what became of it', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.callbacks.push(callback('c1'), callback('c2', 'resend'));
    expect(await run('callbacks', 'list', '--env', 'prod', '--provider', 'sendgrid')).toBe(0);
    const head = 'ID\tRECEIVED\tCHANNEL\tPROVIDER\tEVENTS\tAPPLIED\tDUPLICATES\tUNKNOWN\n';
    expect(io.out()).toBe(`${head}c1\t${AT.toISOString()}\temail\tsendgrid\t3\t1\t0\t2\n`);
    expect(state.calls).toContain('callbacks prod');
    io.remove();
  });

  it('says so where nothing was posted', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'list', '--env', 'prod')).toBe(0);
    expect(io.err()).toContain('No provider has posted anything.');
    io.remove();
  });

  it('goes through one again, and exits 1 where there is none', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.callbacks.push(callback('c1'));
    expect(await run('callbacks', 'replay', 'c1', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain('applied: 3');
    expect(await run('callbacks', 'replay', 'c9', '--env', 'prod')).toBe(1);
    io.remove();
  });

  it('shows what to give a provider', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'urls', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain('https://push.example/x?k=1');
    io.remove();
  });

  it('asks which environment is meant', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('callbacks', 'list')).toBe(2);
    io.remove();
  });
});
