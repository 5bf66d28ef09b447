import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

describe('suppressions', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
  });
  afterAll(() => cli.close());

  const run: RealCli['run'] = (argv, options) => cli.run([...argv, '--env', 'test'], options);

  it('suppressions are added, listed by reason and address, and removed', async () => {
    expect(await run(['suppressions', 'add', 'Ann@example.com', 'bob@example.com'])).toMatchObject({
      code: 0,
      out: 'Suppressed 2 addresses; 0 were already suppressed.\n',
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
      `ADDRESS\tREASON\tSENDER\tSOURCE\tSINCE\n+14155550123\tsms_stopped\tShop\tapi\t${cli.clock.now().toISOString()}\n`,
    );
    const one = await run(['suppressions', 'list', '--address', 'ANN@example.com', '--json']);
    expect(JSON.parse(one.out)).toMatchObject({ data: [{ address: 'ann@example.com', reason: 'manual' }] });
    const removed = await run(['suppressions', 'remove', 'ann@example.com', '--reason', 'manual']);
    expect(removed.out).toBe('Removed 1 entries.\n');
    const none = await run(['suppressions', 'list', '--reason', 'unsubscribed']);
    expect(none.err).toContain('No suppressed email addresses match in test');
    expect((await run(['suppressions', 'add', 'nobody'])).code).toBe(5);
    expect((await run(['suppressions', 'add', '--sender', 'Shop', 'ann@example.com'])).code).toBe(5);
  });

  it('addresses are imported from a table, and rows without one are rejected with exit code 7', async () => {
    const many = Array.from({ length: 1_100 }, (_, at) => `p${at}@example.com,hard`);
    const stdin = ['email,type', 'nobody,hard', ...many, 'P1@example.com,hard', 'else,hard'].join('\n');
    const answer = await run(['suppressions', 'import', '-', '--reason', 'bounced_address'], { stdin });
    expect(answer.err).toBe(
      'Reading email addresses from column 1 "email" (delimiter comma, UTF-8, header in line 1).\n' +
        'addresses: 90 % (1000 of 1104)\n' +
        'line 2 must be an email address such as ann@example.com\n' +
        'line 1104 must be an email address such as ann@example.com\n' +
        'Pass --errors FILE to write all rejected rows.\n',
    );
    expect(answer).toMatchObject({
      code: 7,
      out: 'Suppressed 1100 addresses for email; 1 were already suppressed.\n2 rows were rejected.\n',
    });
    const { pagination } = await cli.beckon.suppressions.list(cli.scope, 'email', {
      reason: 'bounced_address',
      count: true,
    });
    expect(pagination.total).toBe(1_100);
    expect((await run(['suppressions', 'import', '-'], { stdin: '\n' })).code).toBe(5);
  });

  it('addresses are imported from exports with other headers, encodings and line ends', async () => {
    const files = {
      'de.csv': Buffer.from('Name;E-Mail-Adresse\r\n"Müller;\r\nAnn";a1@example.com\r\n'),
      'log.csv': Buffer.from('id,recipient_email\n7,Bob <a2@example.com>\n'),
      'mac.csv': Buffer.from('Email\ra3@example.com\r'),
      'utf16.txt': Buffer.from('\ufeffPrénom\tCourriel\r\nZoé\ta4@example.com\r\n', 'utf16le'),
      'api.json': Buffer.from('[{"created":1,"email":"a5@example.com"}]'),
    };
    for (const [name, bytes] of Object.entries(files)) {
      writeFileSync(join(cli.cwd, name), bytes);
      expect(await run(['suppressions', 'import', name])).toMatchObject({
        code: 0,
        out: 'Suppressed 1 addresses for email; 0 were already suppressed.\n',
      });
    }
    for (const at of [1, 2, 3, 4, 5]) {
      const { out } = await run(['suppressions', 'list', '--address', `a${at}@example.com`]);
      expect(out).toContain(`a${at}@example.com\tmanual`);
    }
  });

  it('an import with an ambiguous column of addresses lists the columns and adds nothing', async () => {
    const answer = await run(['suppressions', 'import', '-'], { stdin: 'from,to\nx1@example.com,x2@example.com\n' });
    expect(answer).toMatchObject({ code: 5, out: '' });
    expect(answer.err).toContain('the columns are 1 "from", 2 "to"');
    expect((await run(['suppressions', 'list', '--address', 'x2@example.com'])).out).not.toContain('x2');
    const named = await run(['suppressions', 'import', '-', '--column', 'to', '--json'], {
      stdin: 'from,to\nx1@example.com,x2@example.com\nx3@example.com,Nobody\n',
    });
    expect(named.code).toBe(7);
    expect(JSON.parse(named.out).data).toMatchObject({
      added: 1,
      refused: 1,
      refusedLines: [{ line: 3, message: 'must be an email address such as ann@example.com' }],
      source: { column: 2, columnName: 'to', delimiter: 'comma', encoding: 'utf-8', format: 'csv' },
    });
  });

  it('phone numbers are imported as spreadsheets write them', async () => {
    const stdin = "Name;Handy\nAnn;+49 (151) 555-0100\nBob;'+49.151.5550101\nCy;0151 5550102\n";
    const argv = ['suppressions', 'import', '-', '--channel', 'sms', '--errors', 'rejected.csv'];
    const answer = await run(argv, { stdin });
    expect(answer).toMatchObject({ code: 7 });
    expect(answer.out).toContain('Suppressed 2 addresses for sms');
    expect(readFileSync(join(cli.cwd, 'rejected.csv'), 'utf8')).toContain(',Cy,0151 5550102\n');
  });

  it('subscriptions of users are shown and changed by channel and category', async () => {
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
