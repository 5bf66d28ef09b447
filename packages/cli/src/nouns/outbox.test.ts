import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { addTenant, message } from '../../test/support/world.ts';

describe('outbox list', () => {
  it('shows what was caught in test, filtered by channel and user', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.messages.push(
      message('m1'),
      message('m2', { channel: 'sms', content: { body: 'Hi' } }),
      message('m3', { userId: 'bob' }),
    );
    expect(await run('outbox', 'list', '--channel', 'email', '--user', 'ada')).toBe(0);
    expect(io.out()).toBe(
      'ID\tCREATED\tCHANNEL\tUSER\tADDRESS\tTITLE\nm1\t2026-11-20T08:00:00.000Z\temail\tada\tada@example.com\tHello\n',
    );
    expect(state.calls).toContain('outbox test acme-org/acme-project');
    io.remove();
  });

  it('shows pushes and text messages, in full for a program and short for a person', async () => {
    const token = `${'f'.repeat(56)}12345678`;
    const text = 'word '.repeat(40).trim();
    for (const isTTY of [true, false]) {
      const { run, io, state } = cli({ isTTY });
      addTenant(state);
      state.messages.push(
        message('m1', { channel: 'push', address: token, content: { platform: 'ios', title: null, body: 'Look' } }),
        message('m2', { channel: 'sms', address: '+15550100', content: { body: text } }),
      );
      expect(await run('outbox', 'list')).toBe(0);
      const [, push = '', sms = ''] = io.out().split('\n');
      expect(push).toMatch(isTTY ? / …12345678 +Look$/ : /\tf{56}12345678\tLook$/);
      expect(sms).toContain('+15550100');
      expect(sms.includes(text)).toBe(!isTTY);
      io.remove();
    }
  });

  it('reads as many pages as the limit needs and says when there are more', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    for (let number = 0; number < 450; number += 1) state.messages.push(message(`m${number}`));
    expect(await run('outbox', 'list', '--limit', '420')).toBe(0);
    expect(io.out().trimEnd().split('\n')).toHaveLength(421);
    expect(io.err()).toContain('There are more');
    io.remove();
  });

  it('says so when nothing was caught', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    expect(await run('outbox', 'list')).toBe(0);
    expect(io.err()).toContain('Nothing was caught yet in sqlite ./x.db.');
    io.remove();
  });

  it.each([
    ['one envelope', ['--json'], 1],
    ['one object per line', ['-o', 'ndjson'], 2],
  ])('prints %s', async (_, flags, lines) => {
    const { run, io, state } = cli();
    addTenant(state);
    state.messages.push(message('m1'), message('m2'));
    expect(await run('outbox', 'list', ...flags)).toBe(0);
    const printed = io
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(printed).toHaveLength(lines);
    expect(JSON.stringify(printed)).toContain('"m2"');
    io.remove();
  });

  it('exits 2 for prod, whose messages go to people', async () => {
    const { run, io } = cli();
    expect(await run('outbox', 'list', '--env', 'prod')).toBe(2);
    io.remove();
  });

  it('exits 1 where there is no org yet', async () => {
    const { run, io } = cli();
    expect(await run('outbox', 'list')).toBe(1);
    expect(io.err()).toContain('There is no org yet.');
    io.remove();
  });
});

describe('outbox show', () => {
  it('prints the rendered message and writes its HTML', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.messages.push(message('m1'));
    expect(await run('outbox', 'show', 'm1', '--html', 'mail.html')).toBe(0);
    expect(io.out()).toContain('subject: Hello');
    expect(io.out()).toContain('\nGood day\n');
    expect(readFileSync(join(io.cwd, 'mail.html'), 'utf8')).toBe('<p>Good day</p>');
    io.remove();
  });

  it('prints a push and a text message as they would be read', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    const push = { platform: 'android', token: 'abc', title: 'Hi', body: 'Look', data: { order: '7' }, actions: [] };
    state.messages.push(
      message('m1', { channel: 'push', address: 'abc', content: push }),
      message('m2', { channel: 'sms', address: '+15550100', content: { to: '+15550100', body: 'Two\nlines' } }),
    );
    expect(await run('outbox', 'show', 'm1')).toBe(0);
    expect(await run('outbox', 'show', 'm2')).toBe(0);
    expect(io.out()).toContain('address: abc\nplatform: android\ntitle: Hi\ndata.order: 7\n\nLook\n');
    expect(io.out()).toContain('address: +15550100\n\nTwo\nlines\n');
    io.remove();
  });

  it('exits 1 for a message without HTML and for one that does not exist', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    state.messages.push(message('m1', { content: { body: 'Hi' } }));
    expect(await run('outbox', 'show', 'm1', '--html', 'mail.html')).toBe(1);
    expect(await run('outbox', 'show', 'm2')).toBe(1);
    io.remove();
  });
});
