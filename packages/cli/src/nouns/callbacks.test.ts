import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@beckon/core';
import { createHandler } from '@beckon/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SENDGRID_KEY, signSendgrid } from '../../../core/test/support/email/callbacks/signers.ts';
import { cli } from '../../test/support/cli.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { AT, addTenant } from '../../test/support/world.ts';

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
  it('`callbacks secrets` sets a secret from a file, also in PEM, lists it without its value, and removes it', async () => {
    const { run, io, state } = cli();
    addTenant(state);
    const write = (name: string, text: string) => writeFileSync(join(io.cwd, name), text);
    write('key.pem', 'MFkw-first\n');
    expect(await run('callbacks', 'secrets', 'set', 'sendgrid', '--file', 'key.pem', '--env', 'prod')).toBe(0);
    write('two.txt', 'whsec_old\nwhsec_new\n');
    expect(await run('callbacks', 'secrets', 'set', 'resend', '--file', 'two.txt', '--env', 'prod')).toBe(0);
    write('login.json', '{"user":"beckon","password":"pass-word"}');
    expect(await run('callbacks', 'secrets', 'set', 'postmark', '--file', 'login.json', '--env', 'prod')).toBe(0);
    expect(Object.fromEntries(state.callbackSecrets)).toEqual({
      sendgrid: { publicKey: 'MFkw-first' },
      resend: { secret: ['whsec_old', 'whsec_new'] },
      postmark: { user: 'beckon', password: 'pass-word' },
    });
    expect(await run('callbacks', 'secrets', 'list', '--env', 'prod')).toBe(0);
    expect(io.out()).toContain(`sendgrid\tyes\t${AT.toISOString()}\thttps://push.example/sendgrid?k=1`);
    expect(io.out()).toContain('ses\tno\t-\t');
    expect(io.out() + io.err()).not.toMatch(/MFkw|whsec|pass-word/);
    expect(await run('callbacks', 'secrets', 'delete', 'resend', '--env', 'prod')).toBe(0);
    expect([...state.callbackSecrets.keys()]).toEqual(['sendgrid', 'postmark']);
    write('pem.pem', '-----BEGIN PUBLIC KEY-----\nMFkwE\r\nwYHK=\n-----END PUBLIC KEY-----\n');
    expect(await run('callbacks', 'secrets', 'set', 'sendgrid', '--file', 'pem.pem', '--env', 'prod')).toBe(0);
    expect(state.callbackSecrets.get('sendgrid')).toEqual({ publicKey: 'MFkwEwYHK=' });
    expect(await run('callbacks', 'secrets', 'set', 'smtp', '--file', 'key.pem', '--env', 'prod')).toBe(2);
    io.remove();
  });
});
