import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant } from '../../test/support/world.ts';

const withTenant = (options: Parameters<typeof cli>[0] = {}) => {
  const made = cli(options);
  addTenant(made.state);
  return made;
};

describe('providers add ai', () => {
  it('takes the key from stdin, with models and prices, and never shows it', async () => {
    const { run, io, state } = withTenant({ stdin: 'sk-canary-key\n' });
    const told = [
      '--model-generate',
      'large',
      '--model-decide',
      'small',
      '--price',
      'large=2.5,10',
      '--price',
      'small=0.15,0.6',
    ];
    expect(await run('providers', 'add', 'ai', '--wire', 'anthropic', '--key-file', '-', ...told)).toBe(0);
    expect(state.ai.get('acme-org')).toEqual({
      wire: 'anthropic',
      key: 'sk-canary-key',
      models: { generate: 'large', decide: 'small' },
      prices: { large: { input: 2.5, output: 10 }, small: { input: 0.15, output: 0.6 } },
    });
    expect(io.out() + io.err()).not.toContain('canary');
    io.remove();
  });

  it('takes a server that asks for no key, where that is said', async () => {
    const { run, io, state } = withTenant();
    expect(await run('providers', 'add', 'ai', '--base-url', 'http://127.0.0.1:11434/v1')).toBe(2);
    expect(await run('providers', 'add', 'ai', '--base-url', 'http://127.0.0.1:11434/v1', '--without-key')).toBe(0);
    expect(state.ai.get('acme-org')).toMatchObject({ key: null, baseUrl: 'http://127.0.0.1:11434/v1' });
    io.remove();
  });

  it('refuses a price that is none', async () => {
    const { run, io } = withTenant();
    for (const price of ['large', 'large=1', '=1,2', 'large=a,b'])
      expect(await run('providers', 'add', 'ai', '--without-key', '--price', price), price).toBe(2);
    io.remove();
  });
});

describe('ai', () => {
  it('shows what is set and what was used of the deployment', async () => {
    const { run, io, state } = withTenant();
    state.ai.set('acme-org', { wire: 'openai', key: 'k', models: { generate: 'large' } });
    expect(await run('ai', 'show')).toBe(0);
    expect(io.out()).toContain('generate: large');
    expect(io.out()).toContain('7 of 100000');
    io.remove();
  });

  it('removes it', async () => {
    const { run, io, state } = withTenant();
    state.ai.set('acme-org', { wire: 'openai', key: 'k' });
    expect(await run('ai', 'remove')).toBe(0);
    expect(state.ai.size).toBe(0);
    io.remove();
  });
});
