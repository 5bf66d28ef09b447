import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const NOBODYS = '01890000-0000-7000-8000-000000000001';

describe('bounce-ingest', () => {
  let cli: RealCli;
  beforeAll(async () => {
    cli = await realCli();
  });
  afterAll(() => cli.close());

  /** Sends an email to this address; returns the id of its message. */
  const sent = async (to: string): Promise<string> => {
    const send = await cli.beckon.email.send(cli.scope, { to, subject: 's', text: 't' });
    await cli.beckon.worker.drain();
    const { data } = await cli.beckon.sends.messages(cli.scope, 'email', 'id' in send ? send.id : '');
    return data[0]?.id ?? '';
  };
  const mail = (kind: 'delivery-status' | 'feedback-report', fields: string, head = '') =>
    `${head}Content-Type: multipart/report; report-type=${kind}; boundary=b\n\n--b\nContent-Type: message/${kind}\n\n${fields}\n--b--\n`;
  const bounceOf = (head = '') =>
    mail('delivery-status', 'Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1\n', head);

  it('a bounce marks the message of its return path once and suppresses the address', async () => {
    await cli.beckon.settings.update(cli.scope, 'email', { bounceDomain: 'bounces.example' });
    const id = await sent('ann@example.com');
    const path = `b+${id}@bounces.example`;
    const first = await cli.run(['bounce-ingest', '--recipient', path], { stdin: bounceOf() });
    expect(first).toMatchObject({
      code: 0,
      out: `Marked the message as bounced and suppressed its address: ${id}.\n`,
    });
    const again = await cli.run(['bounce-ingest', '--json'], { stdin: bounceOf(`Delivered-To: ${path}\n`) });
    expect(JSON.parse(again.out)).toMatchObject({ data: { result: 'ignored', reported: 'bounced', messageId: id } });
    expect(await cli.beckon.sends.message(cli.scope, 'email', id)).toMatchObject({
      status: 'bounced',
      errorCode: '5.1.1',
    });
    const next = await sent('Ann@example.com');
    expect(await cli.beckon.sends.message(cli.scope, 'email', next)).toMatchObject({ reason: 'bounced_address' });
  });

  it('a complaint is matched by the return path of the original email', async () => {
    const id = await sent('bob@example.com');
    const stdin = mail('feedback-report', `Feedback-Type: abuse\nOriginal-Mail-From: <b+${id}@bounces.example>\n`);
    expect((await cli.run(['bounce-ingest'], { stdin })).out).toBe(
      `Marked the message as complained and suppressed its address: ${id}.\n`,
    );
    expect((await cli.beckon.suppressions.list(cli.scope, 'email', { address: 'bob@example.com' })).data).toMatchObject(
      [{ reason: 'complained_address', source: 'provider', messageId: id }],
    );
  });

  it('bounce-ingest exits 0 for reports without a matching message and for other email', async () => {
    for (const recipient of [`b+${NOBODYS}@bounces.example`, 'postmaster@example.com'])
      expect(await cli.run(['bounce-ingest', '--recipient', recipient], { stdin: bounceOf() })).toMatchObject({
        code: 0,
        out: expect.stringContaining('No message of this deployment matches the report (bounced)'),
      });
    expect(await cli.run(['bounce-ingest'], { stdin: 'Subject: hello\n\nHello' })).toMatchObject({
      code: 0,
      out: 'Nothing changed: the email reports no failure and no complaint.\n',
    });
  });

  it('bounce-ingest exits 75 while the message of the report is still being sent', async () => {
    const send = await cli.beckon.email.send(cli.scope, { to: 'cem@example.com', subject: 's', text: 't' });
    const { data } = await cli.beckon.sends.messages(cli.scope, 'email', 'id' in send ? send.id : '');
    const recipient = `b+${data[0]?.id}@bounces.example`;
    expect((await cli.run(['bounce-ingest', '--recipient', recipient], { stdin: bounceOf() })).code).toBe(75);
  });

  it('a failure without details marks the message as failed and does not suppress the address', async () => {
    const id = await sent('dora@example.com');
    const full = mail('delivery-status', 'Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.2.2\n');
    const args = ['bounce-ingest', '--recipient', `b+${id}@bounces.example`];
    expect(await cli.run(args, { stdin: full })).toMatchObject({
      code: 0,
      out: `Marked the message as failed; its address is not suppressed: ${id}.\n`,
    });
    expect((await cli.run(args, { stdin: full })).out).toBe(`Nothing changed (failed): ${id}.\n`);
    const some = 'Reporting-MTA: dns; mx\n\nAction: failed\nStatus: 5.1.1\n\nAction: relayed\nStatus: 2.0.0\n';
    const shared = await sent('eve@example.com');
    const path = `b+${shared}@bounces.example`;
    expect((await cli.run(['bounce-ingest', '--recipient', path], { stdin: mail('delivery-status', some) })).out).toBe(
      `Stored the code; the status of the message and its address are unchanged: ${shared}.\n`,
    );
  });
});
