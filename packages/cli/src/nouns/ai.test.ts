import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('the AI provider of an org', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const add = (argv: readonly string[], stdin = '') => cli.run(['providers', 'add', 'ai', ...argv], { stdin });
  const stored = () => cli.beckon.ai.get(cli.scope.orgId);

  it('`providers add ai` reads the key from stdin, stores models and prices, and never shows the key', async () => {
    const models = ['--model-generate', 'large', '--model-decide', 'small'];
    const prices = ['--price', 'large=2.5,10', '--price', 'small=0.15,0.6'];
    const flags = ['--wire', 'anthropic', '--key-file', '-', ...models, ...prices];
    const { code, out, err } = await add(flags, 'sk-canary-key\n');
    expect(code).toBe(0);
    expect(await stored()).toMatchObject({
      configured: true,
      wire: 'anthropic',
      lastFour: '-key',
      models: { generate: 'large', decide: 'small' },
      prices: { large: { input: 2.5, output: 10 }, small: { input: 0.15, output: 0.6 } },
    });
    expect(out + err).not.toContain('canary');
  });

  it('`providers add ai --without-key` adds a provider without a key', async () => {
    const url = ['--base-url', 'https://models.example.com/v1'];
    expect((await add(url)).code).toBe(2);
    expect((await add([...url, '--without-key'])).code).toBe(0);
    expect(await stored()).toMatchObject({ lastFour: null, baseUrl: 'https://models.example.com/v1' });
  });

  it('an invalid price is refused', async () => {
    for (const price of ['large', 'large=1', '=1,2', 'large=a,b'])
      expect((await add(['--without-key', '--price', price])).code, price).toBe(2);
    expect(await stored()).toMatchObject({ configured: false });
  });

  it('`ai show` prints models and usage, and `ai delete` removes the provider of the org', async () => {
    await cli.beckon.ai.update(cli.scope.orgId, { wire: 'openai', key: 'k', models: { generate: 'large' } });
    const { out } = await cli.run(['ai', 'show']);
    expect(out).toContain('generate: large');
    expect(out).toContain('0 of 100000');
    expect((await cli.run(['ai', 'delete'])).code).toBe(0);
    expect(await stored()).toMatchObject({ configured: false });
  });
});
