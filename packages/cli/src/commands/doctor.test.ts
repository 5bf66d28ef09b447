import { describe, expect, it } from 'vitest';
import { cli } from '../testing/cli.ts';
import { addTenant } from '../testing/world.ts';

const open = () => {
  const program = cli();
  addTenant(program.state);
  return program;
};

describe('doctor', () => {
  it('exits 0 where nothing failed, and warns of what is missing', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    expect(await run('doctor')).toBe(0);
    const lines = io.out().split('\n');
    expect(lines[0]).toBe('GROUP\tCHECK\tRESULT\tMESSAGE');
    expect(lines).toContain(`runtime\tnode\tok\t${process.version}`);
    expect(io.out()).toContain('publicUrl\twarn\tis not set');
    expect(io.out()).toContain('push\twarn\tno provider');
    expect(io.out()).toContain('email\twarn\tnever proven: beckon providers test smtp');
  });

  it('says which provider stands aside, and why', async () => {
    const { run, io, state } = open();
    state.providers.set('smtp', 1);
    state.openCircuits.push({ provider: 'smtp', until: new Date('2026-11-20T08:01:00Z'), code: 'ECONNREFUSED' });
    expect(await run('doctor')).toBe(0);
    expect(io.out()).toContain('email\twarn\tsmtp gets no messages until 2026-11-20T08:01:00.000Z: ECONNREFUSED');
  });

  it('exits 1 where a sending domain is not verified, and advises about SPF', async () => {
    const { run, io } = open();
    await run('domains', 'add', 'good.test');
    expect(await run('doctor', '--json')).toBe(0);
    await run('domains', 'add', 'bad.test');
    expect(await run('doctor', '--json')).toBe(1);
    expect(io.out()).toContain('bad.test ownership');
    expect(io.out()).toContain('There is no SPF record');
  });

  it('exits 1 where the database is of another version, and says what helps', async () => {
    const { run, io, state } = open();
    state.failure.state = new Error('behind');
    expect(await run('doctor')).toBe(1);
    expect(io.out()).toContain('schema\tfailed\t1 migrations missing: beckon migrate up');
  });
});
