import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { sendLines } from '../send-text.ts';

const TEST = ['--env', 'test'];
const MINUTE_MS = 60_000;
/** A browser subscription, which is a device token. */
const SUBSCRIPTION = JSON.stringify({
  endpoint: 'https://fcm.googleapis.com/fcm/send/abcdefgh12345678',
  keys: {
    p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    auth: 'tBHItJI5svbpez7KI4CCXg',
  },
});

const ids = (out: string): string[] =>
  out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '');

describe('beckon sends', () => {
  let cli: RealCli;
  beforeEach(async () => {
    cli = await realCli();
  });
  afterEach(() => cli.close());

  const sends = (...argv: string[]) => cli.run(['sends', ...argv, ...TEST]);
  const idOf = (send: object): string => {
    cli.clock.advance(MINUTE_MS);
    return 'id' in send ? String(send.id) : '';
  };
  const mail = async (more: object = {}) =>
    idOf(await cli.beckon.email.send(cli.scope, { to: 'ada@example.com', subject: 'Hi', text: 'There', ...more }));
  const push = async (token = 'a1b2c3', title = 'Hi') =>
    idOf(await cli.beckon.push.send(cli.scope, { tokens: [token], title, body: 'There' }));
  const sms = async () => idOf(await cli.beckon.sms.send(cli.scope, { to: '+14155550123', body: 'Hi' }));

  it('`sends list` shows the sends of all channels, newest first, up to its limit', async () => {
    const all = [await mail(), await sms(), await push(), await sms()].toReversed();
    expect(ids((await sends('list')).out)).toEqual(all);
    const { out, err } = await sends('list', '--limit', '2');
    expect([ids(out), err]).toEqual([all.slice(0, 2), expect.stringContaining('There are more')]);
  });

  it('`sends list --json` filters by channel, status and environment in one envelope', async () => {
    const [to, userIds] = [undefined, ['nobody']];
    const nobody = await mail({ to, userIds });
    await cli.beckon.sms.send(cli.scope, { userIds: ['nobody'], body: 'Hi' });
    await mail();
    await cli.beckon.worker.drain();
    const { code, out } = await sends('list', '--channel', 'email', '--status', 'suppressed', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { success: true, data: [{ id: nobody, channel: 'email' }] }]);
    expect(JSON.parse(out).data).toHaveLength(1);
    expect((await cli.run(['sends', 'list', '--env', 'prod'])).err).toContain('No sends match in prod (sqlite ');
  });

  it.each([
    ['no environment', []],
    ['a status that is not known', [...TEST, '--status', 'gone']],
    ['a channel that is not known', [...TEST, '--channel', 'pigeon']],
  ])('`sends list` exits 2 on %s', async (_, flags) => {
    expect((await cli.run(['sends', 'list', ...flags])).code).toBe(2);
  });

  it.each([
    ['the subject of a mail', (title: string) => mail({ subject: title })],
    ['the title of a push', (title: string) => push('a1b2c3', title)],
  ])('`sends list` truncates %s on a terminal only', async (_, titled) => {
    const title = `${'long '.repeat(30)}end`;
    await titled(title);
    for (const isTTY of [true, false]) {
      const { out } = await cli.run(['sends', 'list', ...TEST], { isTTY });
      expect(out).toContain('long long');
      expect(out.includes(title)).toBe(!isTTY);
    }
  });

  it('`sends show` finds a send in any channel and shows its fields', async () => {
    const { id: audienceId } = await cli.beckon.audiences.create(cli.scope, { name: 'Empty' });
    const id = idOf(await cli.beckon.sms.send(cli.scope, { audienceId, body: 'Hi' }));
    await cli.beckon.worker.drain();
    const { code, out } = await sends('show', id);
    expect([code, out]).toEqual([0, expect.stringContaining('channel: sms\n')]);
    expect(out).toContain('error: no_recipients\n');
    expect(out).toContain('text: Hi\n');
    expect(out).not.toMatch(/^(title|subject|opened|run):/m);
  });

  it('`sends show` shows the error message after its code', async () => {
    const send = await cli.beckon.sends.get(cli.scope, 'email', await mail());
    // As in the API.
    const shown = JSON.parse(JSON.stringify({ ...send, errorCode: 'gone', error: 'It is gone.' }));
    expect(sendLines(shown)).toContain('error: gone: It is gone.');
  });

  it('`sends show --messages` shows addresses whole in a pipe and short on a terminal', async () => {
    const id = await push(SUBSCRIPTION);
    for (const isTTY of [true, false]) {
      const { out } = await cli.run(['sends', 'show', id, '--messages', ...TEST], { isTTY });
      expect(out.includes(SUBSCRIPTION)).toBe(!isTTY);
      expect(out.includes('fcm.googleapis.com …12345678')).toBe(isTTY);
    }
  });

  it('`sends show --messages --json` prints the send and its messages in one envelope, up to a limit', async () => {
    const id = await mail({ cc: ['bob@example.com'] });
    const { out, err } = await sends('show', id, '--messages', '--limit', '1', '--json');
    expect(JSON.parse(out)).toMatchObject({ success: true, data: { id, messages: [{ sendId: id }] } });
    expect(JSON.parse(out).data.messages).toHaveLength(1);
    expect(err).toBe('');
  });

  it('`sends show` exits 1 for an unknown send, also in another channel', async () => {
    const id = await mail();
    expect((await sends('show', 'y')).code).toBe(1);
    expect((await sends('show', id, '--channel', 'sms')).code).toBe(1);
  });

  it('`sends explain` finds a message in any channel, also by short id, and shows its checks', async () => {
    const sendId = await sms();
    await cli.beckon.worker.drain();
    const [{ id = '' } = {}] = (await cli.beckon.sends.messages(cli.scope, 'sms', sendId)).data;
    const { code, out } = await sends('explain', id);
    expect(code).toBe(0);
    expect(out).toContain('status: sent\n');
    expect(out).toContain('\n\nsend_open: pass\n');
    expect((await sends('explain', id.slice(-8))).out).toContain(`id: ${id}\n`);
    expect((await sends('explain', '00000000')).code).toBe(1);
    expect((await sends('explain', 'm2')).code).toBe(1);
    expect((await sends('explain', id, '--channel', 'push')).code).toBe(1);
    const { data } = JSON.parse((await sends('explain', id, '--json')).out);
    expect(data.id).toBe(id);
    expect(data.explanation.gates[0]).toMatchObject({ gate: 'send_open' });
  });

  it('`sends cancel` cancels a send before its first message is sent', async () => {
    const id = await push();
    expect(await sends('cancel', id)).toMatchObject({ code: 0, out: `Cancelled ${id}.\n` });
    expect(await cli.beckon.sends.get(cli.scope, 'push', id)).toMatchObject({ status: 'cancelled' });
  });

  it('`sends cancel` exits 6 if it is too late and 1 for an unknown send', async () => {
    const id = await mail();
    await cli.beckon.worker.drain();
    const { code, out } = await sends('cancel', id, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      6,
      { success: false, error: { code: 'CONFLICT', details: { reason: 'already_dispatched' } } },
    ]);
    expect((await sends('cancel', 'nope')).code).toBe(1);
  });
});
