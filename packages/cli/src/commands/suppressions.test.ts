import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../testing/real.ts';

describe('suppressions', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run([...argv, '--env', 'test'], options);

  it('are added, listed by reason and address, and removed', async () => {
    expect(await run(['suppressions', 'add', 'Ann@example.com', 'bob@example.com'])).toMatchObject({
      code: 0,
      out: '2 added, 0 were there.\n',
    });
    await run([
      'suppressions',
      'add',
      '--channel',
      'sms',
      '--reason',
      'sms_stopped',
      '--sender',
      'Shop',
      '+14155550123',
    ]);
    const listed = await run(['suppressions', 'list', '--channel', 'sms']);
    expect(listed.out).toBe(
      `ADDRESS\tREASON\tSENDER\tBY\tSINCE\n+14155550123\tsms_stopped\tShop\tapi\t${cli.clock.now().toISOString()}\n`,
    );
    const one = await run(['suppressions', 'list', '--address', 'ANN@example.com', '--json']);
    expect(JSON.parse(one.out)).toMatchObject({ data: [{ address: 'ann@example.com', reason: 'manual' }] });
    const removed = await run(['suppressions', 'remove', 'ann@example.com', '--reason', 'manual']);
    expect(removed.out).toBe('1 entries are gone.\n');
    const none = await run(['suppressions', 'list', '--reason', 'unsubscribed']);
    expect(none.err).toContain('Nobody is on the list of email in test');
    expect((await run(['suppressions', 'add', 'nobody'])).code).toBe(5);
    expect((await run(['suppressions', 'add', '--sender', 'Shop', 'ann@example.com'])).code).toBe(5);
  });

  it('are imported from a table, and lines without an address are named and left out', async () => {
    const many = Array.from({ length: 1_100 }, (_, at) => `p${at}@example.com,hard`);
    const stdin = ['email,type', 'nobody,hard', ...many, 'P1@example.com,hard', 'else,hard'].join('\n');
    const answer = await run(['suppressions', 'import', '-', '--reason', 'bounced_address'], { stdin });
    expect(answer.err).toBe('');
    expect(answer).toMatchObject({
      code: 0,
      out: '1100 addresses were put on the list of email; 1 were there.\n2 lines hold no address: 2, 1104.\n',
    });
    const { pagination } = await cli.beckon.suppressions.list(cli.scope, 'email', {
      reason: 'bounced_address',
      count: true,
    });
    expect(pagination.total).toBe(1_100);
    expect((await run(['suppressions', 'import', '-'], { stdin: '\n' })).code).toBe(5);
  });

  it('are beside what users choose, which is shown and changed by channel and category', async () => {
    await cli.beckon.events.identify(cli.scope, { userId: 'ann', traits: {} });
    const shown = await run(['profiles', 'subscriptions', 'ann']);
    expect(shown.out).toBe('push: subscribed\nemail: subscribed\nsms: subscribed\n');
    const changed = await run(['profiles', 'subscriptions', 'ann', '--off', 'sms', 'email/news', '--on', 'email/a/b']);
    expect(changed.err).toBe('');
    expect(changed.out).toBe(
      'push: subscribed\nemail: subscribed\n  a/b: subscribed\n  news: unsubscribed\nsms: unsubscribed\n',
    );
    expect((await run(['profiles', 'subscriptions', 'ann', '--off', 'fax'])).code).toBe(2);
    expect((await run(['profiles', 'subscriptions', 'nobody'])).code).toBe(1);
  });
});
