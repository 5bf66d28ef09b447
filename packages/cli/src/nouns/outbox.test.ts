import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newMasterKey } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyCli } from '../../test/support/empty.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const TOKEN = `${'f'.repeat(56)}12345678`;
const LONG = 'word '.repeat(40).trim();

describe('beckon outbox', () => {
  let real: RealCli;
  beforeAll(async () => {
    real = await realCli();
  });
  afterAll(() => real.close());

  const outbox = (...argv: string[]) => real.run(['outbox', ...argv]);
  const idOf = async (...argv: string[]): Promise<string> =>
    JSON.parse((await outbox('list', ...argv, '--json')).out).data[0].id;

  it('`outbox list` reports an empty outbox and names the database', async () => {
    const { code, err } = await outbox('list');
    expect([code, err]).toEqual([0, expect.stringMatching(/^The outbox is empty \(sqlite \S*beckon\.db\)\.\n$/)]);
  });

  it('`outbox list` shows messages of test, filtered by channel and user', async () => {
    const { beckon, scope, clock } = real;
    for (const userId of ['ada', 'bob'])
      await beckon.events.identify(scope, { userId, traits: { email: `${userId}@example.com` } });
    const mail = { subject: 'Hello', text: 'Good day', html: '<p>Good day</p>' };
    await beckon.email.send(scope, { userIds: ['ada', 'bob'], ...mail });
    await beckon.sms.send(scope, { to: '+14155550123', body: LONG });
    await beckon.push.send(scope, { tokens: [TOKEN], body: 'Look', data: { order: '7' } });
    await beckon.worker.drain();
    const { code, out } = await outbox('list', '--channel', 'email', '--user', 'ada');
    const [heading, row = '', ...more] = out.trimEnd().split('\n');
    expect([code, heading, more]).toEqual([0, 'ID\tCREATED\tCHANNEL\tUSER\tADDRESS\tCONTENT', []]);
    const at = clock.now().toISOString();
    expect(row.split('\t').slice(1)).toEqual([at, 'email', 'ada', 'ada@example.com', 'Hello']);
    expect((await outbox('list', '--limit', '2')).err).toContain('There are more');
  });

  it('`outbox list` shows pushes and SMS, whole in a pipe and short on a terminal', async () => {
    for (const isTTY of [true, false]) {
      const { out } = await real.run(['outbox', 'list'], { isTTY });
      const lineOf = (text: string): string => out.split('\n').find((line) => line.includes(text)) ?? '';
      expect(lineOf('push')).toMatch(isTTY ? / …12345678 +Look$/ : /\tf{56}12345678\tLook$/);
      expect(lineOf('sms')).toContain('+14155550123');
      expect(lineOf('sms').includes(LONG)).toBe(!isTTY);
    }
  });

  it.each([
    ['one envelope', ['--json'], 1],
    ['one object per line', ['-o', 'ndjson'], 4],
  ])('`outbox list` prints %s', async (_, flags, lines) => {
    const { out } = await outbox('list', ...flags);
    const printed = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(printed).toHaveLength(lines);
    expect(JSON.stringify(printed)).toContain('"bob@example.com"');
  });

  it('`outbox show` prints a rendered email, also by short id, and writes its HTML', async () => {
    const id = await idOf('--channel', 'email', '--user', 'ada');
    const { code, out, err } = await outbox('show', id.slice(-8), '--html', 'mail.html');
    expect([code, err]).toEqual([0, 'Wrote mail.html.\n']);
    expect(out).toContain('subject: Hello');
    expect(out).toContain('\nGood day\n');
    expect(readFileSync(join(real.cwd, 'mail.html'), 'utf8')).toContain('<p>Good day</p>');
  });

  it('`outbox show` prints a push and an SMS', async () => {
    const push = (await outbox('show', await idOf('--channel', 'push'))).out;
    expect(push).toContain(`address: ${TOKEN}\n`);
    expect(push).toContain('data.order: 7\n');
    expect(push).toMatch(/\n\nLook\n$/);
    const titled = { tokens: [TOKEN], title: 'Hi', body: 'Look' };
    await real.beckon.push.send(real.scope, titled);
    await real.beckon.sms.send(real.scope, { to: '+14155550123', body: 'Two\nlines' });
    await real.beckon.worker.drain();
    expect((await outbox('show', await idOf('--channel', 'push'))).out).toMatch(/^platform: \w+\ntitle: Hi\n/m);
    const sms = (await outbox('show', await idOf('--channel', 'sms'))).out;
    expect(sms).toContain('address: +14155550123\n\nTwo\nlines\n');
  });

  it('`outbox show` exits 1 for a message without HTML and for an unknown id', async () => {
    const id = await idOf('--channel', 'sms');
    expect((await outbox('show', id, '--html', 'sms.html')).code).toBe(1);
    expect((await outbox('show', 'm2')).code).toBe(1);
  });

  it('`outbox` exits 2 for prod and names the command for sends of prod', async () => {
    const { code, err } = await outbox('list', '--env', 'prod');
    expect([code, err]).toEqual([2, expect.stringContaining('beckon sends list --env prod')]);
  });

  it('`outbox` exits 1 if there is no organization yet', async () => {
    const { run, io } = emptyCli({ env: { BECKON_MASTER_KEY: newMasterKey(), BECKON_DB: 'sqlite:x.db' } });
    expect(await run('migrate', 'up')).toBe(0);
    expect(await run('outbox', 'list')).toBe(1);
    expect(io.err()).toContain('No organization exists yet.');
    io.remove();
  });

  it('`outbox list` reads as many pages as its limit needs and reports if there are more', async () => {
    const { beckon, scope } = real;
    const mail = { subject: 'Hello', text: 'Good day' };
    const addresses = Array.from({ length: 450 }, (_, at) => `user${at}@example.com`);
    for (const to of addresses) await beckon.email.send(scope, { to, ...mail });
    await beckon.worker.drain();
    const { code, out, err } = await outbox('list', '--limit', '420');
    expect([code, out.trimEnd().split('\n').length]).toEqual([0, 421]);
    expect(err).toContain('There are more');
  });
});
