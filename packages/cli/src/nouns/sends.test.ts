import { describe, expect, it } from 'vitest';
import { cli } from '../../test/support/cli.ts';
import { send, sendMessage } from '../../test/support/fake-delivery.ts';
import { addTenant } from '../../test/support/world.ts';

const TEST = ['--env', 'test'];

const withTenant = (options: Parameters<typeof cli>[0] = {}) => {
  const program = cli(options);
  addTenant(program.state);
  return program;
};

const at = (minute: number): Date => new Date(Date.UTC(2026, 10, 20, 8, minute));
const ids = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');

describe('sends list', () => {
  it('shows the sends of all channels, newest first', async () => {
    const { run, io, state } = withTenant();
    state.sends.push(
      send('a', { createdAt: at(1) }),
      send('b', { channel: 'push', createdAt: at(3) }),
      send('c', { channel: 'sms', createdAt: at(2) }),
      send('d', { channel: 'sms', createdAt: at(2) }),
    );
    expect(await run('sends', 'list', ...TEST)).toBe(0);
    expect(ids(io.out())).toEqual(['b', 'd', 'c', 'a']);
    expect(state.calls).toContain('sends test push');
    io.remove();
  });

  it('shows no more than the limit and says when there are more', async () => {
    const { run, io, state } = withTenant();
    state.sends.push(send('a'), send('b', { channel: 'push', createdAt: at(3) }), send('c', { channel: 'sms' }));
    expect(await run('sends', 'list', ...TEST, '--limit', '2')).toBe(0);
    expect(ids(io.out())).toHaveLength(2);
    expect(ids(io.out())[0]).toBe('b');
    expect(io.err()).toContain('There are more');
    io.remove();
  });

  it('takes a channel and a status, and answers with one envelope', async () => {
    const { run, io, state, envelope } = withTenant();
    state.sends.push(send('a', { status: 'failed' }), send('b'), send('c', { channel: 'sms', status: 'failed' }));
    expect(await run('sends', 'list', '--env', 'prod', '--channel', 'email', '--status', 'failed', '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: [{ id: 'a' }] });
    expect(state.calls.filter((call) => call.startsWith('sends'))).toEqual(['sends prod email']);
    io.remove();
  });

  it.each([
    ['no environment', []],
    ['a status that is not known', [...TEST, '--status', 'gone']],
    ['a channel that is not known', [...TEST, '--channel', 'pigeon']],
  ])('exits 2 on %s', async (_, flags) => {
    const { run, io } = withTenant();
    expect(await run('sends', 'list', ...flags)).toBe(2);
    io.remove();
  });

  it.each([
    ['the subject of a mail', (subject: string) => send('a', { channel: 'email', subject })],
    ['the title of a push', (title: string) => send('a', { channel: 'push', title })],
  ])('cuts %s for a person only', async (_, titled) => {
    const title = `${'long '.repeat(30)}end`;
    for (const isTTY of [true, false]) {
      const { run, io, state } = withTenant({ isTTY });
      state.sends.push(titled(title));
      expect(await run('sends', 'list', ...TEST)).toBe(0);
      expect(io.out()).toContain('long long');
      expect(io.out().includes(title)).toBe(!isTTY);
      io.remove();
    }
  });
});

describe('sends get', () => {
  it('finds a send whatever its channel, and shows what it has', async () => {
    const { run, io, state } = withTenant();
    state.sends.push(send('x', { channel: 'sms', title: null, errorCode: 'gone', error: 'It is gone.' }));
    expect(await run('sends', 'get', 'x', ...TEST)).toBe(0);
    expect(io.out()).toContain('channel: sms\n');
    expect(io.out()).toContain('error: gone: It is gone.\n');
    expect(io.out()).not.toContain('title');
    expect(io.out()).not.toContain('opened');
    io.remove();
  });

  it('shows its messages, in full for a program and short for a person', async () => {
    const token = `{"endpoint":"https://push.example.test/send/abcdefgh12345678","keys":{"auth":"a"}}`;
    for (const isTTY of [true, false]) {
      const { run, io, state } = withTenant({ isTTY });
      state.sends.push(send('x', { channel: 'push' }));
      state.sendMessages.push(sendMessage('m1', { channel: 'push', platform: 'web', address: token }));
      expect(await run('sends', 'get', 'x', '--messages', ...TEST)).toBe(0);
      expect(io.out().includes(token)).toBe(!isTTY);
      expect(io.out().includes('push.example.test …12345678')).toBe(isTTY);
      io.remove();
    }
  });

  it('answers with the send and its messages in one envelope', async () => {
    const { run, io, state, envelope } = withTenant();
    state.sends.push(send('x'));
    state.sendMessages.push(sendMessage('m1'), sendMessage('m2'));
    expect(await run('sends', 'get', 'x', '--messages', '--limit', '1', ...TEST, '--json')).toBe(0);
    expect(envelope()).toMatchObject({ success: true, data: { id: 'x', messages: [{ id: 'm1' }] } });
    io.remove();
  });

  it('exits 1 for one that does not exist, or not in that channel', async () => {
    const { run, io, state } = withTenant();
    state.sends.push(send('x'));
    expect(await run('sends', 'get', 'y', ...TEST)).toBe(1);
    expect(await run('sends', 'get', 'x', '--channel', 'sms', ...TEST)).toBe(1);
    io.remove();
  });
});

describe('sends explain', () => {
  it('finds a message whatever its channel, and shows its gates', async () => {
    const { run, io, state } = withTenant();
    state.sendMessages.push(sendMessage('m1', { channel: 'sms' }));
    expect(await run('sends', 'explain', 'm1', ...TEST)).toBe(0);
    expect(io.out()).toContain('status: sent\n');
    expect(io.out()).toContain('\n\nsend_open: pass\n');
    expect(await run('sends', 'explain', 'm2', ...TEST)).toBe(1);
    expect(await run('sends', 'explain', 'm1', '--channel', 'push', ...TEST)).toBe(1);
    io.remove();
    const program = withTenant();
    program.state.sendMessages.push(sendMessage('m1'));
    expect(await program.run('sends', 'explain', 'm1', ...TEST, '--json')).toBe(0);
    expect(program.envelope()).toMatchObject({ data: { id: 'm1', explanation: { gates: [{ gate: 'send_open' }] } } });
    program.io.remove();
  });

  it('takes the end of an id, as tables show it, of the messages of the newest sends', async () => {
    const { run, io, state } = withTenant();
    const id = '01890000-0000-7000-8000-0000abcdef01';
    state.sends.push(send('a', { channel: 'push' }));
    state.sendMessages.push(sendMessage(id, { channel: 'push' }));
    expect(await run('sends', 'explain', 'abcdef01', ...TEST)).toBe(0);
    expect(io.out()).toContain(`id: ${id}\n`);
    expect(await run('sends', 'explain', 'abcdef02', ...TEST)).toBe(1);
    io.remove();
  });
});

describe('sends cancel', () => {
  it('cancels a send of which nothing was handed over', async () => {
    const { run, io, state } = withTenant();
    state.sends.push(send('x', { channel: 'push' }));
    expect(await run('sends', 'cancel', 'x', ...TEST)).toBe(0);
    expect(io.out()).toBe('Cancelled x.\n');
    io.remove();
  });

  it('exits 6 when it is too late', async () => {
    const { run, io, state, envelope } = withTenant();
    state.sends.push(send('x', { status: 'sent' }));
    expect(await run('sends', 'cancel', 'x', ...TEST, '--json')).toBe(6);
    expect(envelope()).toMatchObject({
      success: false,
      error: { code: 'CONFLICT', details: { reason: 'already_dispatched' } },
    });
    io.remove();
  });

  it('exits 1 for one that does not exist', async () => {
    const { run, io } = withTenant();
    expect(await run('sends', 'cancel', 'nope', ...TEST)).toBe(1);
    io.remove();
  });
});
