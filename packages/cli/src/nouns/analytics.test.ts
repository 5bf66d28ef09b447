import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TEST = ['--env', 'test'];
const linesOf = (out: string): string[] => out.trimEnd().split('\n');

describe('analytics', () => {
  let cli: RealCli;
  let today: string;
  beforeAll(async () => {
    cli = await realCli();
    today = cli.clock.now().toISOString().slice(0, 10);
    const track = (userId: string, eventType: string) =>
      cli.beckon.events.track(cli.scope, { module: 'shop', eventType, userId, properties: {} });
    for (const userId of ['ann', 'bob']) await track(userId, 'seen');
    await track('ann', 'bought');
    await cli.beckon.email.send(cli.scope, { to: ['a@example.com'], subject: 's', text: 't' });
    await cli.beckon.worker.drain();
  });
  afterAll(() => cli.close());

  it('analytics prints totals, and counts by group', async () => {
    const overview = linesOf((await cli.run(['analytics', 'overview', ...TEST])).out);
    expect(overview.slice(0, 4)).toEqual(['events: 3', 'users: 2', 'messages: 1', 'sent: 1']);
    expect(overview.at(-1)).toBe(`${today}\t3\t2\t1`);
    const events = linesOf((await cli.run(['analytics', 'events', ...TEST, '--by', 'eventType'])).out);
    expect(events.slice(2, 3)[0]).toMatch(/^TIME\tSEEN\t/);
    const sends = linesOf((await cli.run(['analytics', 'sends', ...TEST, '--channel', 'sms'])).out);
    expect(sends[0]).toBe('messages: 0');
    const retention = linesOf((await cli.run(['analytics', 'retention', ...TEST, '--interval', 'day'])).out);
    expect([retention[0], retention.at(-1)]).toEqual(['users: 2', `${today}\t2`]);
    expect(linesOf((await cli.run(['analytics', 'usage', ...TEST])).out)[0]).toBe('this month: 3');
  });

  it('`analytics funnel` prints the users of each step', async () => {
    const funnel = ['analytics', 'funnel', 'seen', 'bought', ...TEST];
    expect(linesOf((await cli.run(funnel)).out).slice(0, 3)).toEqual(['seen: 2', 'bought: 1', 'conversion: 50 %']);
    const { data } = JSON.parse((await cli.run([...funnel, '--json'])).out);
    expect(data).toMatchObject({ totals: { conversion: 0.5 }, range: { clamped: false } });
    expect((await cli.run(['analytics', 'funnel', 'seen', ...TEST])).code).toBe(5);
  });

  it('analytics rejects invalid days and intervals', async () => {
    expect((await cli.run(['analytics', 'overview', ...TEST, '--days', '0'])).code).toBe(2);
    expect((await cli.run(['analytics', 'overview', ...TEST, '--interval', 'year'])).code).toBe(2);
    const { code, err } = await cli.run(['analytics', 'overview', ...TEST, '--timezone', 'Mars']);
    expect([code, err]).toEqual([5, expect.stringContaining('timezone')]);
  });
});
