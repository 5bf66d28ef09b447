import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Relay, startRelay } from '../../core/test/support/transports/smtp-server.ts';
import { TEST_CA } from '../../core/test/support/transports/tls/fixtures.ts';
import { type TwilioApi, twilioApi } from '../../core/test/support/transports/twilio-api.ts';
import { type Ended, type Place, place } from './beckon.ts';
import { runInProcess } from './in-process.ts';

const CANARY = 'canary-5e0b';
const ACCOUNT = `AC${'0'.repeat(32)}`;
const SENDER = '+15550100100';

const dataOf = ({ out }: Ended) => JSON.parse(out).data;

/** The whole content of the database, as text. */
const stored = (at: Place): string =>
  readdirSync(join(at.cwd, 'data'))
    .map((name) => readFileSync(join(at.cwd, 'data', name), 'latin1'))
    .join('');

describe('providers of prod', () => {
  let at: Place;
  let relay: Relay;
  let twilio: TwilioApi;
  const outputs: string[] = [];
  let env: Record<string, string>;

  const keep = (ended: Ended): Ended => {
    outputs.push(ended.out, ended.err);
    return ended;
  };
  const run = async (args: readonly string[], input?: string): Promise<Ended> =>
    keep(await runInProcess(at, args, { env, ...(input === undefined ? {} : { input }) }));
  /** Runs in a separate process, which trusts the certificate of the relay. */
  const start = async (...args: string[]): Promise<Ended> => keep(await at.run(args, { env }));

  beforeAll(async () => {
    at = place();
    relay = await startRelay({ shop: CANARY });
    twilio = await twilioApi({ accounts: { [ACCOUNT]: { [ACCOUNT]: CANARY } }, now: () => new Date() });
    writeFileSync(join(at.cwd, 'ca.pem'), TEST_CA);
    writeFileSync(join(at.cwd, 'token'), CANARY);
    env = {
      NODE_EXTRA_CA_CERTS: join(at.cwd, 'ca.pem'),
      BECKON_NET_ALLOW_CIDRS: '127.0.0.0/8',
      BECKON_SMTP_ALLOWED_PORTS: String(relay.port),
      BECKON_ENDPOINTS_TWILIO_URL: twilio.endpoint,
    };
    expect((await run(['init'])).code).toBe(0);
  });
  afterAll(async () => {
    await relay.stop();
    await twilio.stop();
    await at.remove();
  });

  const MAIL = ['send', 'test', 'email', '--env', 'prod', '--subject', 'Hi', '--json'];
  const sendMail = (...flags: string[]): Promise<Ended> => run([...MAIL, ...flags]);

  it('`send test` exits 8 and sends nothing without a provider', async () => {
    expect((await run(['providers', 'test'])).code).toBe(8);
    const { code, out } = await sendMail('--to', 'ada@example.com');
    expect([code, JSON.parse(out).error.code]).toEqual([8, 'PROVIDER_NOT_CONFIGURED']);
    expect(dataOf(await run(['sends', 'list', '--env', 'prod', '--json']))).toEqual([]);
  });

  it('`providers test` exits 1 for rejected credentials and 0 for accepted ones', async () => {
    const add = ['providers', 'add', 'smtp', '--url-file', '-', '--from', 'shop@shop.test'];
    expect((await run(add, `smtp://shop:wrong-${CANARY}@127.0.0.1:${relay.port}`)).code).toBe(0);
    const refused = await start('providers', 'test', 'smtp', '--json');
    expect([refused.code, dataOf(refused)[0].ok]).toEqual([1, false]);
    expect((await run(add, `smtp://shop:${CANARY}@127.0.0.1:${relay.port}`)).code).toBe(0);
    expect((await start('providers', 'test', 'smtp')).code).toBe(0);
    const [smtp] = dataOf(await run(['providers', 'list', '--channel', 'email', '--json']));
    expect(smtp).toMatchObject({ configured: true, lastFour: 'shop', verifiedAt: expect.any(String) });
  });

  it('`send test email --wait` sends an email and waits for the result', async () => {
    const worker = at.start(['worker'], { env });
    await worker.says(/worker running/);
    const sent = await start(...MAIL, '--to', 'ada@example.com', '--wait', '9m');
    expect([sent.code, dataOf(sent).status]).toEqual([0, 'sent']);
    expect(relay.received.map(({ to, user }) => [...to, user])).toEqual([['ada@example.com', 'shop']]);
    const bounced = await sendMail('--to', '550+5.1.1@example.com', '--wait', '9m');
    expect([bounced.code, dataOf(bounced).messages[0].status]).toEqual([1, 'bounced']);
    expect((await run(['sends', 'cancel', dataOf(sent).id, '--env', 'prod'])).code).toBe(6);
    expect(await worker.stop()).toBe(0);
    outputs.push((await worker.ended).err);
  });

  it('`send test sms` sends an SMS', async () => {
    const add = [
      'providers',
      'add',
      'twilio',
      '--account-sid',
      ACCOUNT,
      '--auth-token-file',
      'token',
      '--from',
      SENDER,
    ];
    expect((await run(add)).code).toBe(0);
    const sent = await run(['send', 'test', 'sms', '--to', '+15550100101', '--env', 'prod', '--json']);
    expect([sent.code, dataOf(sent)]).toMatchObject([0, { segments: 1, encoding: 'GSM-7' }]);
    expect((await start('worker', '--drain')).code).toBe(0);
    const got = await run(['sends', 'show', dataOf(sent).id, '--messages', '--env', 'prod', '--json']);
    expect(dataOf(got)).toMatchObject({ status: 'sent', messages: [{ address: '+15550100101', status: 'sent' }] });
    expect(twilio.arrived().map(({ form }) => Object.fromEntries(form))).toMatchObject([
      { To: '+15550100101', From: SENDER, Body: 'This is a test.' },
    ]);
  });

  it('a send without a worker reports the time limit and can be cancelled', async () => {
    const late = await sendMail('--to', 'ada@example.com', '--wait', '500ms');
    expect([late.code, JSON.parse(late.out).error.code]).toEqual([10, 'DEADLINE_EXCEEDED']);
    const { id } = JSON.parse(late.out).error.details.send;
    expect((await run(['sends', 'cancel', id, '--env', 'prod'])).code).toBe(0);
    expect((await run(['worker', '--drain'])).code).toBe(0);
    expect(relay.received).toHaveLength(1);
    expect(dataOf(await run(['sends', 'show', id, '--env', 'prod', '--json'])).status).toBe('cancelled');
  });

  it('`webpush generate` never prints the private key', async () => {
    const { code, out } = await run(['providers', 'add', 'webpush', 'generate', '--subject', 'mailto:ops@shop.test']);
    expect([code, Buffer.from(out.trim(), 'base64url').length]).toEqual([0, 65]);
    expect((await run(['providers', 'add', 'webpush', 'generate', '--subject', 'mailto:ops@shop.test'])).code).toBe(9);
  });

  it('credentials are stored encrypted, and `providers remove` deletes them', async () => {
    expect(outputs.join('')).not.toContain('canary');
    expect(stored(at)).not.toContain('canary');
    expect((await run(['providers', 'remove', 'smtp'])).code).toBe(0);
    expect((await sendMail('--to', 'ada@example.com')).code).toBe(8);
  });
});
