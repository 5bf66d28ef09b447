import type { Beckon, Message } from '@beckon/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyCli, emptyCli } from '../../test/support/empty.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';
import { services } from '../services.ts';

const TEST = ['--env', 'test'];
const ID = /^id: [\da-f-]{36}$/m;
const TOKEN = `${'a'.repeat(56)}23456789`;

let real: RealCli;
beforeAll(async () => {
  real = await realCli();
  const { beckon, scope } = real;
  const traits = { email: 'ada@example.com', phone: '+14155550123' };
  await beckon.events.identify(scope, { userId: 'ada', traits });
  await beckon.tokens.register(scope, { token: TOKEN, platform: 'ios', userId: 'ada' });
  await beckon.events.identify(scope, { userId: 'bare', traits: {} });
});
afterAll(() => real.close());

/** A new process in the folder of the database, and the bodies of its sends. */
const program = (change = (beckon: Beckon): Beckon => beckon): EmptyCli & { readonly bodies: unknown[] } => {
  const bodies: unknown[] = [];
  const recorded = (beckon: Beckon): Beckon => {
    const { push, email, sms, ...rest } = change(beckon);
    // Proof of the casts: the body goes on unchanged, so the overloads still hold.
    const sent = <Send extends (scope: never, body: never, ...more: never[]) => unknown>(send: Send): Send =>
      ((scope: never, body: never, ...more: never[]) => {
        bodies.push(body);
        return send(scope, body, ...more);
      }) as Send;
    return {
      ...rest,
      push: { ...push, send: sent(push.send) },
      email: { ...email, send: sent(email.send) },
      sms: { ...sms, send: sent(sms.send) },
    };
  };
  const open: typeof services.open = (options) => services.open({ ...options, clock: real.clock });
  return { ...emptyCli({ cwd: real.cwd, env: real.env, services: { open }, change: recorded }), bodies };
};

/** Advances the clock of the program by `ms` at a time until it ends; `work` runs between. */
const passing = async (
  { io }: EmptyCli,
  running: Promise<number>,
  ms: number,
  work = async (): Promise<unknown> => undefined,
): Promise<number> => {
  let code: number | undefined;
  void running.then((ended) => {
    code = ended;
  });
  for (let turns = 0; code === undefined && turns < 1_000; turns += 1) {
    await work();
    io.pass(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return running;
};

describe('send test', () => {
  it.each([
    [
      'push',
      ['--user', 'ada', '--title', 'Hi', '--body', 'There', '--data', 'a=1', '--data', 'b=x=y'],
      { userIds: ['ada'], title: 'Hi', body: 'There', data: { a: '1', b: 'x=y' } },
    ],
    ['push', ['--token', TOKEN], { tokens: [TOKEN], title: 'Test', body: 'This is a test.' }],
    [
      'email',
      ['--to', 'ada@example.com', '--subject', 'Hi', '--body', 'There'],
      { to: 'ada@example.com', subject: 'Hi', text: 'There' },
    ],
    ['email', ['--user', 'ada'], { userIds: ['ada'], subject: 'Test', text: 'This is a test.' }],
    ['sms', ['--to', '+14155550123', '--body', 'Hi'], { to: '+14155550123', body: 'Hi' }],
    ['sms', ['--user', 'ada'], { userIds: ['ada'], body: 'This is a test.' }],
  ])('`send test` sends a %s for %j', async (channel, flags, body) => {
    const { run, io, bodies } = program();
    expect(await run('send', 'test', channel, ...TEST, ...flags)).toBe(0);
    expect(bodies).toEqual([{ ...body, class: 'transactional' }]);
    expect(io.out()).toMatch(ID);
    expect(io.out()).toContain(`channel: ${channel}\n`);
    expect(io.err()).toContain('beckon outbox list');
  });

  it('`--data __proto__=value` is passed on as a normal key, which the send rejects by name', async () => {
    const { run, io, bodies } = program();
    expect(await run('send', 'test', 'push', ...TEST, '--user', 'ada', '--data', '__proto__=x')).toBe(5);
    expect(JSON.stringify(bodies)).toContain('"__proto__":"x"');
    expect(io.err()).toContain('`data.__proto__`: is not an allowed key.');
  });

  it.each([
    ['no channel', []],
    ['a channel that is not known', ['pigeon']],
    ['nobody to send to', ['email', ...TEST]],
    ['a user and an address', ['email', ...TEST, '--user', 'ada', '--to', 'a@b.test']],
    ['a user and a token', ['push', ...TEST, '--user', 'ada', '--token', 'abc']],
    ['an address of a push', ['push', ...TEST, '--to', 'a@b.test']],
    ['data that is no pair', ['push', ...TEST, '--user', 'ada', '--data', 'x']],
    ['data without a key', ['push', ...TEST, '--user', 'ada', '--data', '=x']],
    ['a time that is none', ['sms', ...TEST, '--user', 'ada', '--wait', 'soon']],
    ['waiting in a dry run', ['sms', ...TEST, '--user', 'ada', '--wait', '1s', '--dry-run']],
    ['no environment', ['sms', '--user', 'ada']],
  ])('exits 2 and sends nothing on %s', async (_, argv) => {
    const { run, bodies } = program();
    expect(await run('send', 'test', ...argv)).toBe(2);
    expect(bodies).toEqual([]);
  });

  it('`send test` exits 8 without a provider, and sends in prod with --env prod and names the send', async () => {
    const none = program();
    const argv = ['send', 'test', 'sms', '--to', '+14155550123', '--env', 'prod'];
    expect(await none.run(...argv, '--json')).toBe(8);
    expect(none.envelope()).toMatchObject({ error: { code: 'PROVIDER_NOT_CONFIGURED', details: { channel: 'sms' } } });
    const prod = await real.beckon.tenancy.scope({ ...real.scope, environment: 'prod' });
    const twilio = { accountSid: `AC${'1'.repeat(32)}`, authToken: '2'.repeat(32), from: '+14155550100' };
    await real.beckon.settings.update(prod, 'sms', { twilio });
    const { run, io } = program();
    expect(await run(...argv)).toBe(0);
    const [send] = (await real.beckon.sends.list(prod, 'sms')).data;
    expect(io.err()).toContain(`beckon sends show ${send?.id} --messages --env prod`);
  });

  it('`send test` exits 5 for an invalid value and names the field', async () => {
    const { run, io } = program();
    expect(await run('send', 'test', 'sms', ...TEST, '--to', '123')).toBe(5);
    expect(io.err()).toMatch(/`to`: |^ {2}to: /m);
  });

  it('`send test --dry-run` prints the rendered message and reads no send', async () => {
    const before = (await real.beckon.sends.list(real.scope, 'push', { limit: 100 })).data.length;
    const { run, io, bodies } = program();
    const flags = ['--user', 'ada', '--title', 'Hi', '--body', 'There', '--data', 'a=1'];
    expect(await run('send', 'test', 'push', ...TEST, ...flags, '--dry-run')).toBe(0);
    expect(bodies).toEqual([expect.objectContaining({ dryRun: true })]);
    expect(io.out()).toBe(
      [
        '1 message to 1 recipient',
        '',
        'to: …23456789 (ada)',
        'result: queued',
        'platform: ios',
        'title: Hi',
        'data.a: 1',
        'ttlSeconds: 2419200',
        'priority: high',
        '',
        'There',
        '',
        'Dry run: nothing was sent.',
        '',
      ].join('\n'),
    );
    expect((await real.beckon.sends.list(real.scope, 'push', { limit: 100 })).data).toHaveLength(before);
  });

  it('`send test --dry-run` prints what is suppressed and why, and warnings on stderr', async () => {
    const { run, io } = program((beckon) => {
      // Proof of the cast: the answer keeps its shape; the CLI sends no key that core would warn about.
      const send = (async (...input: Parameters<Beckon['email']['send']>) => ({
        ...(await beckon.email.send(...input)),
        warnings: ['The key x is unknown and was ignored.'],
      })) as unknown as Beckon['email']['send'];
      return { ...beckon, email: { ...beckon.email, send } };
    });
    expect(await run('send', 'test', 'email', ...TEST, '--user', 'bare', '--dry-run')).toBe(0);
    expect(io.out()).toContain('suppressed: 1 no_address\n');
    expect(io.out()).toContain('to: - (bare)\nresult: suppressed (no_address)\n');
    expect(io.err()).toBe('The key x is unknown and was ignored.\n');
  });
});

describe('send to a segment', () => {
  it.each([
    ['push', ['--title', 'Hi', '--body', 'There'], { title: 'Hi', body: 'There' }],
    ['email', ['--subject', 'Hi', '--body', 'There'], { subject: 'Hi', text: 'There' }],
    ['sms', ['--body', 'Hi'], { body: 'Hi' }],
  ])('`send %s --audience` sends a marketing message to the segment', async (channel, flags, body) => {
    const { id } = await real.beckon.audiences.create(real.scope, { name: `Segment of ${channel}` });
    const { run, io, bodies } = program();
    expect(await run('send', channel, ...TEST, '--audience', id, ...flags)).toBe(0);
    expect(bodies).toEqual([{ audienceId: id, ...body }]);
    expect(io.out()).toMatch(ID);
  });

  it.each([
    ['no audience', ['push', ...TEST, '--body', 'Hi']],
    ['nothing to say', ['sms', ...TEST, '--audience', 'a1']],
    ['no subject', ['email', ...TEST, '--audience', 'a1', '--body', 'Hi']],
  ])('exits 2 and sends nothing on %s', async (_, argv) => {
    const { run, bodies } = program();
    expect(await run('send', ...argv)).toBe(2);
    expect(bodies).toEqual([]);
  });
});

/** Changes the messages that commands read, for states that need other providers, other days or other versions. */
const changing =
  (change: Partial<Message>) =>
  (beckon: Beckon): Beckon => ({
    ...beckon,
    sends: {
      ...beckon.sends,
      messages: async (...input) => {
        const page = await beckon.sends.messages(...input);
        return { ...page, data: page.data.map((message) => ({ ...message, ...change })) };
      },
    },
  });

describe('send test without recipients', () => {
  // Proof of the cast: a newer server may return another reason.
  const suppressing = (reason: string) => changing({ reason: reason as Message['reason'] });

  it.each([
    ['push', 'no_token', 'no device token'],
    ['push', 'token_inactive', 'inactive'],
    ['email', 'no_address', 'the trait "email"'],
    ['sms', 'no_address', 'the trait "phone"'],
    ['sms', 'sms_stopped', 'STOP'],
    ['email', 'something_new', 'Suppressed (something_new).'],
  ])('`send test` explains at once why a %s was suppressed with %s', async (channel, reason, sentence) => {
    const { run, io } = program(suppressing(reason));
    expect(await run('send', 'test', channel, ...TEST, '--user', 'bare')).toBe(0);
    expect(io.err()).toContain(`Suppressed (${reason}).`);
    expect(io.err()).toContain(sentence);
    expect(io.err()).not.toContain('beckon outbox list');
  });
});

describe('send test --wait', () => {
  const WAIT = ['send', 'test', 'email', ...TEST, '--to', 'ada@example.com', '--wait', '30s'];

  const drain = () => real.beckon.worker.drain();

  it('`--wait` waits until the send has finished and shows its messages', async () => {
    const one = program();
    expect(await passing(one, one.run(...WAIT), 250, drain)).toBe(0);
    expect(one.io.out()).toContain('status: sent');
    expect(one.io.out()).toMatch(/^[\da-f-]{36}\tsent\t-\t-\tada@example\.com/m);
  });

  it.each([
    ['a message failed', 'failed', ['--to', '+14155550004'], { status: 'failed', errorCode: 'sandbox_reject' }],
    ['an address is dead', 'failed', ['--to', '+14155550001'], { status: 'failed', errorCode: 'sandbox_dead' }],
    ['nobody could be written to', 'suppressed', ['--user', 'bare'], { status: 'suppressed', reason: 'no_address' }],
  ])('`--wait` exits 1 and shows why if %s', async (_, status, flags, message) => {
    const one = program();
    const argv = ['send', 'test', 'sms', ...TEST, ...flags, '--wait', '30s', '--json'];
    expect(await passing(one, one.run(...argv), 250, drain)).toBe(1);
    expect(one.envelope()).toMatchObject({ success: true, data: { status, messages: [message] } });
  });

  it('`--wait` exits 1 if a mail of a finished send bounced', async () => {
    const one = program(changing({ status: 'bounced', errorCode: 'sandbox_dead' }));
    expect(await passing(one, one.run(...WAIT, '--json'), 250, drain)).toBe(1);
    expect(one.envelope()).toMatchObject({ data: { status: 'sent', messages: [{ status: 'bounced' }] } });
  });

  it('`--wait` exits 10 at the time limit and prints the status', async () => {
    const one = program(changing({ status: 'queued', errorCode: 'timeout' }));
    expect(await passing(one, one.run(...WAIT), 10_000)).toBe(10);
    expect(one.io.err()).toMatch(/Send [\da-f-]{36} did not finish within 30 s: status queued \(timeout\)\./);
    expect(one.io.err()).toContain('The email provider did not accept the message');
    expect(one.io.now().getTime() - Date.parse('2026-11-20T08:00:00.000Z')).toBeGreaterThanOrEqual(30_000);
  });

  it.each([
    ['names a missing worker if nothing was tried', {}, 'Check that a worker runs'],
    [
      'names rejected credentials and no worker',
      { status: 'queued', reason: 'held', errorCode: 'auth' },
      'The email provider rejects its credentials',
    ],
  ] as const)('`--wait` %s at the time limit', async (_, state, hint) => {
    const one = program(changing(state));
    expect(await passing(one, one.run(...WAIT), 10_000)).toBe(10);
    expect(one.io.err()).toContain(hint);
    expect(one.io.err().includes('Check that a worker runs')).toBe(hint === 'Check that a worker runs');
  });

  it('`--wait --json` prints one envelope at the time limit', async () => {
    const one = program();
    expect(await passing(one, one.run(...WAIT, '--json'), 10_000)).toBe(10);
    expect(one.envelope()).toMatchObject({
      success: false,
      error: { code: 'DEADLINE_EXCEEDED', details: { send: { status: 'queued' } } },
    });
  });
});
