import type { Scope } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SENDGRID_KEY, signSendgrid } from '../../../core/test/support/email/callbacks/signers.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

const URL_OF_IT = 'https://push.example';
const PROD = ['--env', 'prod'];

describe('callbacks', () => {
  let real: RealCli;
  let prod: Scope;
  let posted: (event: string) => Promise<number>;
  beforeEach(async () => {
    const transports = {
      email: {
        name: 'courier',
        from: { email: 'shop@example.com', name: null },
        make: () => ({
          name: 'courier',
          maxInFlight: 5,
          send: async () => ({ result: 'accepted', providerId: 'g1' }) as const,
          close: async () => undefined,
        }),
      },
    };
    real = await realCli({ BECKON_PUBLIC_URL: URL_OF_IT }, { publicUrl: URL_OF_IT, transports });
    const { beckon, clock, scope } = real;
    prod = await beckon.tenancy.scope({ ...scope, environment: 'prod' });
    await beckon.settings.update(prod, 'email', { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } });
    await beckon.email.send(prod, { to: 'ann@example.com', subject: 'Hello', text: 'There' });
    await beckon.worker.drain();
    const handler = createHandler(beckon, { clock });
    posted = async (event) => {
      const timestamp = Math.floor(clock.now().getTime() / 1_000);
      const more = { sg_event_id: event, sg_message_id: 'g1.filter0001.1-0' };
      const { headers, rawBody } = signSendgrid(`${JSON.stringify([{ event, timestamp, ...more }])}\r\n`, clock.now());
      const request = { method: 'POST', headers, body: Buffer.from(rawBody) };
      return (await handler.fetch(new Request(`${URL_OF_IT}/api/v1/email/webhooks/sendgrid`, request))).status;
    };
  });
  afterEach(() => real.close());

  const callbacks = (...argv: string[]) => real.run(['callbacks', ...argv, ...PROD]);

  it('`callbacks list` shows the result of each delivery webhook and exits 0 for an empty list', async () => {
    expect(await posted('delivered')).toBe(200);
    const [{ id = '' } = {}] = (await real.beckon.callbacks.list(prod)).data;
    const at = real.clock.now().toISOString();
    const { code, out } = await callbacks('list', '--provider', 'sendgrid');
    const head = 'ID\tRECEIVED\tCHANNEL\tPROVIDER\tEVENTS\tAPPLIED\tDUPLICATES\tUNKNOWN\n';
    expect([code, out]).toEqual([0, `${head}${id}\t${at}\temail\tsendgrid\t1\t1\t0\t0\n`]);
    const none = await callbacks('list', '--provider', 'resend');
    expect([none.code, none.out, none.err]).toEqual([0, head, 'No delivery webhooks in the last 7 days.\n']);
    expect((await real.run(['callbacks', 'list', '--env', 'test'])).out).toBe(head);
  });

  it('`callbacks replay` takes a short id and exits 1 for an unknown one', async () => {
    await posted('delivered');
    const [{ id = '' } = {}] = (await real.beckon.callbacks.list(prod)).data;
    const { code, out } = await callbacks('replay', id.slice(-8));
    expect([code, out]).toEqual([0, expect.stringContaining('applied: 0\nduplicates: 1\nunknown: 0\n')]);
    expect((await callbacks('replay', '01890000-0000-7000-8000-000000000000')).code).toBe(1);
  });

  it('`callbacks urls` prints URLs below the public URL', async () => {
    expect((await callbacks('urls')).out).toMatch(/^email\tsendgrid\thttps:\/\/push\.example\/\S+$/m);
  });

  it('`callbacks` commands need an environment', async () => {
    expect((await real.run(['callbacks', 'list'])).code).toBe(2);
  });
});

describe('secrets of callbacks', () => {
  let real: RealCli;
  beforeEach(async () => {
    real = await realCli({ BECKON_PUBLIC_URL: URL_OF_IT });
  });
  afterEach(() => real.close());

  const secrets = (...argv: string[]) => real.run(['callbacks', 'secrets', ...argv, ...PROD]);
  /** Sets a secret and returns the body that core got. */
  const setFrom = async (provider: string, file: string, text: string) => {
    const bodies: unknown[] = [];
    real.put(file, text);
    const { code, out, err } = await real.run(['callbacks', 'secrets', 'set', provider, '--file', file, ...PROD], {
      change: (beckon) => ({
        ...beckon,
        settings: {
          ...beckon.settings,
          update: async (scope, channel, body) => {
            bodies.push(body);
            return beckon.settings.update(scope, channel, body);
          },
        },
      }),
    });
    expect(out + err).not.toMatch(/MFkw|whsec|pass-word/);
    expect(code).toBe(0);
    return bodies;
  };

  it('`callbacks secrets set` stores a secret from a file, as text, in PEM, as several lines and as JSON', async () => {
    expect(await setFrom('sendgrid', 'key.txt', `${SENDGRID_KEY}\n`)).toEqual([
      { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } },
    ]);
    const pem = `-----BEGIN PUBLIC KEY-----\n${SENDGRID_KEY.slice(0, 64)}\r\n${SENDGRID_KEY.slice(64)}\n-----END PUBLIC KEY-----\n`;
    expect(await setFrom('sendgrid', 'pem.pem', pem)).toEqual([
      { callbacks: { sendgrid: { publicKey: SENDGRID_KEY } } },
    ]);
    const [old, next] = ['old', 'new'].map((text) => `whsec_${Buffer.from(text.repeat(8)).toString('base64')}`);
    expect(await setFrom('resend', 'two.txt', `${old}\n${next}\n`)).toEqual([
      { callbacks: { resend: { secret: [old, next] } } },
    ]);
    expect(await setFrom('postmark', 'login.json', '{"user":"beckon","password":"pass-word"}')).toEqual([
      { callbacks: { postmark: { user: 'beckon', password: 'pass-word' } } },
    ]);
    expect((await secrets('set', 'smtp', '--file', 'key.txt')).code).toBe(2);
  });

  it('`callbacks secrets list` shows what is set without its value, and `delete` removes it', async () => {
    await setFrom('sendgrid', 'key.txt', SENDGRID_KEY);
    const { code, out } = await secrets('list');
    const at = real.clock.now().toISOString();
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^sendgrid\\tyes\\t${at}\\thttps://push\\.example/\\S+$`, 'm'));
    expect(out).toContain('ses\tno\t-\t');
    expect(out).not.toContain(SENDGRID_KEY);
    expect((await secrets('delete', 'sendgrid')).code).toBe(0);
    expect((await secrets('list')).out).toContain('sendgrid\tno\t-\t');
  });
});
