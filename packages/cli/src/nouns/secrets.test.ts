import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant } from '../../test/support/world.ts';

const withTenant = (options: Parameters<typeof cli>[0] = {}) => {
  const made = cli(options);
  addTenant(made.state);
  return made;
};

describe('secrets of workflows', () => {
  it('are set from stdin and never shown', async () => {
    const { run, io, state } = withTenant({ stdin: 'token-of-theirs\n' });
    expect(await run('secrets', 'set', 'TOKEN', '--env', 'test')).toBe(0);
    expect(state.secrets.get('test/TOKEN')).toBe('token-of-theirs');
    expect(await run('secrets', 'list', '--env', 'test', '--json')).toBe(0);
    expect(io.out()).toContain('TOKEN');
    expect(io.out() + io.err()).not.toContain('token-of-theirs');
    io.remove();
  });

  it('are set from a file', async () => {
    const { run, io, state, put } = withTenant();
    put('token', 'from a file\n');
    expect(await run('secrets', 'set', 'TOKEN', '--env', 'prod', '--file', 'token')).toBe(0);
    expect(state.secrets.get('prod/TOKEN')).toBe('from a file');
    io.remove();
  });

  it('say that there is none, and exit 1 where one is removed that is not there', async () => {
    const { run, io } = withTenant();
    expect(await run('secrets', 'list', '--env', 'test')).toBe(0);
    expect(io.err()).toContain('There are no secrets.');
    expect(await run('secrets', 'remove', 'TOKEN', '--env', 'test')).toBe(1);
    io.remove();
  });

  it('are removed by name', async () => {
    const { run, io, state } = withTenant();
    state.secrets.set('test/TOKEN', 'v');
    expect(await run('secrets', 'remove', 'TOKEN', '--env', 'test')).toBe(0);
    expect(state.secrets.size).toBe(0);
    io.remove();
  });

  it('need an environment to be named', async () => {
    const { run, io } = withTenant({ stdin: 'v' });
    expect(await run('secrets', 'set', 'TOKEN')).toBe(2);
    io.remove();
  });
});

describe('secrets rotate-signing', () => {
  it('shows the new secret once, and until when the one before signs along', async () => {
    const { run, io, state } = withTenant();
    expect(await run('secrets', 'rotate-signing', '--grace-hours', '2')).toBe(0);
    expect(io.out()).toContain('whsec_new');
    expect(io.out()).toContain('signs along until');
    expect(state.calls).toContain('rotate signing 7200');
    io.remove();
  });

  it('takes whole hours of at most a week', async () => {
    const { run, io } = withTenant();
    for (const text of ['169', '-1', '1.5', 'x', ''])
      expect(await run('secrets', 'rotate-signing', '--grace-hours', text)).toBe(2);
    io.remove();
  });
});
