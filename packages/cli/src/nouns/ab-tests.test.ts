import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TEST = ['--env', 'test'];
const body = {
  name: 'Short or long',
  variants: [
    { key: 'short', body: 'Hi', weight: 50 },
    { key: 'long', body: 'Hello', weight: 50 },
  ],
};

describe('ab-tests', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const create = async (): Promise<string> => {
    const stdin = JSON.stringify(body);
    const argv = ['ab-tests', 'create', '--channel', 'sms', '--file', '-', ...TEST, '--json'];
    const { code, out } = await cli.run(argv, { stdin });
    expect(code).toBe(0);
    return JSON.parse(out).data.id;
  };

  it('A/B tests are created from a file, listed and shown', async () => {
    const id = await create();
    const listed = await cli.run(['ab-tests', 'list', ...TEST]);
    expect(listed.out.split('\n')[1]?.split('\t')).toEqual([
      'Short or long',
      'sms',
      'running',
      'short 50, long 50',
      '-',
      expect.any(String),
      id,
    ]);
    expect((await cli.run(['ab-tests', 'list', ...TEST, '--channel', 'push'])).err).toContain('No A/B tests match');
    const { out } = await cli.run(['ab-tests', 'show', id.slice(-8), ...TEST], { isTTY: true });
    expect(out).toContain('metric: open within 72 h');
    expect(out).toContain('short  50 %  {"body":"Hi"}');
  });

  it('`ab-tests create` exits 5 for an invalid file and 2 without a channel', async () => {
    const argv = ['ab-tests', 'create', '--file', '-', ...TEST];
    expect((await cli.run([...argv, '--channel', 'sms'], { stdin: '{"name":"T"}' })).code).toBe(5);
    expect((await cli.run(argv, { stdin: '{}' })).code).toBe(2);
  });

  it('A/B tests are paused, resumed and completed once', async () => {
    const id = await create();
    const status = async () => (await cli.beckon.abTests.get(cli.scope, 'sms', id)).status;
    expect((await cli.run(['ab-tests', 'pause', id, ...TEST])).out).toBe('Paused Short or long.\n');
    expect(await status()).toBe('paused');
    expect((await cli.run(['ab-tests', 'resume', id, ...TEST])).out).toBe('Resumed Short or long.\n');
    expect(await status()).toBe('running');
    const complete = ['ab-tests', 'complete', id, '--winner', 'long', ...TEST];
    expect((await cli.run(complete)).out).toBe('Completed Short or long. Winner: long.\n');
    expect((await cli.run(complete)).code).toBe(6);
    expect((await cli.run(['ab-tests', 'show', 'x', ...TEST])).code).toBe(1);
  });

  it('`ab-tests stats` shows the results of the variants', async () => {
    const id = await create();
    for (let at = 0; at < 4; at += 1)
      await cli.beckon.sms.send(cli.scope, { to: `+1415555010${at}`, body: 'Own', abTestId: id });
    await cli.beckon.worker.drain();
    const { out } = await cli.run(['ab-tests', 'stats', id, ...TEST], { isTTY: true });
    expect(out).toContain('VARIANT  USERS  REACHED');
    expect(out).toContain('No variant leads.');
    const { out: json } = await cli.run(['ab-tests', 'stats', id, ...TEST, '--json']);
    const { variants } = JSON.parse(json).data;
    expect(variants.map(({ sent }: { sent: number }) => sent).reduce((a: number, b: number) => a + b)).toBe(4);
  });
});
