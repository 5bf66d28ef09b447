import type { Message, OutboxContent, SendStatus } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { type Cli, cli } from '../../test/support/cli.ts';
import { sendMessage } from '../../test/support/fake-delivery.ts';
import { addTenant, coreError } from '../../test/support/world.ts';

const TEST = ['--env', 'test'];

const withTenant = (options: Parameters<typeof cli>[0] = {}): Cli => {
  const program = cli(options);
  addTenant(program.state);
  return program;
};

/** Advances the clock by `ms` at a time until the program ends. */
const passing = async ({ io }: Cli, running: Promise<number>, ms: number): Promise<number> => {
  let code: number | undefined;
  void running.then((ended) => {
    code = ended;
  });
  for (let turns = 0; code === undefined && turns < 1_000; turns += 1) {
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
    ['push', ['--token', 'abc'], { tokens: ['abc'], title: 'Test', body: 'This is a test.' }],
    [
      'email',
      ['--to', 'ada@example.com', '--subject', 'Hi', '--body', 'There'],
      { to: 'ada@example.com', subject: 'Hi', text: 'There' },
    ],
    ['email', ['--user', 'ada'], { userIds: ['ada'], subject: 'Test', text: 'This is a test.' }],
    ['sms', ['--to', '+15550100', '--body', 'Hi'], { to: '+15550100', body: 'Hi' }],
    ['sms', ['--user', 'ada'], { userIds: ['ada'], body: 'This is a test.' }],
  ])('`send test` sends a %s for %j', async (channel, flags, body) => {
    const { run, io, state } = withTenant();
    expect(await run('send', 'test', channel, ...TEST, ...flags)).toBe(0);
    expect(state.bodies).toEqual([{ ...body, class: 'transactional' }]);
    expect(state.calls[0]).toBe(`send test ${channel}`);
    expect(io.out()).toContain('id: s1\n');
    expect(io.err()).toContain('beckon outbox list');
    io.remove();
  });

  it('`--data __proto__=value` is sent as a normal key', async () => {
    const { run, io, state } = withTenant();
    expect(await run('send', 'test', 'push', ...TEST, '--user', 'ada', '--data', '__proto__=x')).toBe(0);
    expect(JSON.stringify(state.bodies)).toContain('"__proto__":"x"');
    io.remove();
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
    const { run, io, state } = withTenant();
    expect(await run('send', 'test', ...argv)).toBe(2);
    expect(state.bodies).toEqual([]);
    io.remove();
  });

  it('`send test` needs --env prod to send in prod, and names the send', async () => {
    const { run, io, state } = withTenant();
    expect(await run('send', 'test', 'sms', '--user', 'ada', '--env', 'prod')).toBe(0);
    expect(state.calls[0]).toBe('send prod sms');
    expect(io.err()).toContain('beckon sends show s1 --messages --env prod');
    io.remove();
  });

  it('`send test` exits 8 without a provider', async () => {
    const { run, io, state, envelope } = withTenant();
    state.failure.send = coreError('PROVIDER_NOT_CONFIGURED', 'No provider.', {
      channel: 'sms',
      missing: ['authToken'],
    });
    expect(await run('send', 'test', 'sms', '--user', 'ada', '--env', 'prod', '--json')).toBe(8);
    expect(envelope()).toMatchObject({
      error: { code: 'PROVIDER_NOT_CONFIGURED', details: { missing: ['authToken'] } },
    });
    io.remove();
  });

  it('`send test` exits 5 for an invalid value and names the field', async () => {
    const { run, io, state } = withTenant();
    state.failure.send = coreError('VALIDATION_ERROR', 'Some fields are not valid.', {
      fieldErrors: { to: ['It is none.'] },
    });
    expect(await run('send', 'test', 'sms', ...TEST, '--to', '123')).toBe(5);
    expect(io.err()).toContain('to: It is none.');
    io.remove();
  });

  it('`send test --dry-run` prints the rendered message and reads no send', async () => {
    const { run, io, state } = withTenant();
    state.dryRun = {
      dryRun: true,
      channel: 'push',
      recipients: 1,
      tokenCount: 2,
      suppressed: { token_inactive: 1 },
      messages: [
        {
          userId: 'ada',
          address: 'abcdef0123456789',
          status: 'queued',
          reason: null,
          content: {
            platform: 'ios',
            token: 'abcdef0123456789',
            title: 'Hi \u001b[2J',
            body: 'There',
            data: { a: '1' },
            // Proof of the cast: absent fields are not printed.
          } as unknown as OutboxContent,
        },
        { userId: 'ada', address: null, status: 'suppressed', reason: 'token_inactive', content: null },
      ],
      warnings: ['The key x is unknown and was ignored.'],
    };
    expect(await run('send', 'test', 'push', ...TEST, '--user', 'ada', '--dry-run')).toBe(0);
    expect(state.bodies).toEqual([expect.objectContaining({ dryRun: true })]);
    expect(io.out()).toBe(
      [
        '2 messages to 1 recipient',
        'suppressed: 1 token_inactive',
        '',
        'to: …23456789 (ada)',
        'result: queued',
        'platform: ios',
        'title: Hi ',
        'data.a: 1',
        '',
        'There',
        '',
        'to: - (ada)',
        'result: suppressed (token_inactive)',
        '',
        'Dry run: nothing was sent.',
        '',
      ].join('\n'),
    );
    expect(io.err()).toBe('The key x is unknown and was ignored.\n');
    expect(state.sends).toEqual([]);
    io.remove();
  });
});

const AUDIENCE = '01890000-0000-7000-8000-000000000000';

describe('send to a segment', () => {
  it.each([
    ['push', ['--title', 'Hi', '--body', 'There'], { title: 'Hi', body: 'There' }],
    ['email', ['--subject', 'Hi', '--body', 'There'], { subject: 'Hi', text: 'There' }],
    ['sms', ['--body', 'Hi'], { body: 'Hi' }],
  ])('`send %s --audience` sends a marketing message to the segment', async (channel, flags, body) => {
    const { run, io, state } = withTenant();
    expect(await run('send', channel, ...TEST, '--audience', AUDIENCE, ...flags)).toBe(0);
    expect(state.bodies).toEqual([{ audienceId: AUDIENCE, ...body }]);
    expect(state.calls[0]).toBe(`send test ${channel}`);
    expect(io.out()).toContain('id: s1\n');
    io.remove();
  });

  it.each([
    ['no audience', ['push', ...TEST, '--body', 'Hi']],
    ['nothing to say', ['sms', ...TEST, '--audience', 'a1']],
    ['no subject', ['email', ...TEST, '--audience', 'a1', '--body', 'Hi']],
  ])('exits 2 and sends nothing on %s', async (_, argv) => {
    const { run, io, state } = withTenant();
    expect(await run('send', ...argv)).toBe(2);
    expect(state.bodies).toEqual([]);
    io.remove();
  });
});

describe('send test without recipients', () => {
  it.each([
    ['push', 'no_token', 'no device token'],
    ['push', 'token_inactive', 'inactive'],
    ['email', 'no_address', 'the trait "email"'],
    ['sms', 'no_address', 'the trait "phone"'],
    ['sms', 'sms_stopped', 'STOP'],
    ['email', 'something_new', 'Suppressed (something_new).'],
  ])('`send test` explains at once why a %s was suppressed with %s', async (channel, reason, sentence) => {
    const { run, io, state } = withTenant();
    state.accepted = { status: 'suppressed' };
    state.sendMessages.push(sendMessage('m1', { status: 'suppressed', reason: reason as Message['reason'] }));
    expect(await run('send', 'test', channel, ...TEST, '--user', 'ada')).toBe(0);
    expect(io.err()).toContain(`Suppressed (${reason}).`);
    expect(io.err()).toContain(sentence);
    expect(io.err()).not.toContain('beckon outbox list');
    io.remove();
  });
});

describe('send test --wait', () => {
  const WAIT = ['send', 'test', 'email', ...TEST, '--to', 'ada@example.com', '--wait', '30s'];

  it('`--wait` waits until the send has finished and shows its messages', async () => {
    const program = withTenant();
    program.state.statuses.push('queued', 'sending', 'sent');
    program.state.sendMessages.push(sendMessage('m1', { providerId: 'p1' }));
    expect(await passing(program, program.run(...WAIT), 250)).toBe(0);
    expect(program.io.out()).toContain('status: sent');
    expect(program.io.out()).toContain('m1\tsent\tada\t-\tada@example.com');
    program.io.remove();
  });

  it.each([
    ['the send failed', 'failed', sendMessage('m1', { status: 'failed', errorCode: 'sandbox_reject' })],
    ['one of its messages failed', 'sent', sendMessage('m1', { status: 'failed', errorCode: 'sandbox_reject' })],
    ['its mail bounced', 'sent', sendMessage('m1', { status: 'bounced', errorCode: 'sandbox_dead' })],
    ['nobody could be written to', 'suppressed', sendMessage('m1', { status: 'suppressed', reason: 'no_address' })],
  ])('exits 1 and says why when %s', async (_, status, message) => {
    const program = withTenant();
    // Proof of the cast: the rows above.
    program.state.statuses.push(status as SendStatus);
    program.state.sendMessages.push(message);
    expect(await passing(program, program.run(...WAIT, '--json'), 250)).toBe(1);
    expect(program.envelope()).toMatchObject({
      success: true,
      data: { status, messages: [{ status: message.status, errorCode: message.errorCode, reason: message.reason }] },
    });
    program.io.remove();
  });

  it('`--wait` exits 10 at the time limit and prints the status', async () => {
    const program = withTenant();
    program.state.sendMessages.push(sendMessage('m1', { status: 'queued', errorCode: 'timeout' }));
    expect(await passing(program, program.run(...WAIT), 10_000)).toBe(10);
    expect(program.io.err()).toContain('Send s1 did not finish within 30 s: status queued (timeout).');
    expect(program.io.err()).toContain('The email provider did not accept the message');
    expect(program.io.now().getTime() - Date.parse('2026-11-20T08:00:00.000Z')).toBeGreaterThanOrEqual(30_000);
    program.io.remove();
  });

  it.each([
    ['asks for a worker where nothing was tried', { status: 'queued' }, 'Check that a worker runs'],
    [
      'says that the provider refuses its credentials, and asks for no worker',
      { status: 'queued', reason: 'held', errorCode: 'auth' },
      'The email provider rejects its credentials',
    ],
  ] as const)('%s when the time runs out', async (_, state, hint) => {
    const program = withTenant();
    program.state.sendMessages.push(sendMessage('m1', state));
    expect(await passing(program, program.run(...WAIT), 10_000)).toBe(10);
    expect(program.io.err()).toContain(hint);
    expect(program.io.err().includes('Check that a worker runs')).toBe(hint === 'Check that a worker runs');
    program.io.remove();
  });

  it('`--wait --json` prints one envelope at the time limit', async () => {
    const program = withTenant();
    expect(await passing(program, program.run(...WAIT, '--json'), 10_000)).toBe(10);
    expect(program.envelope()).toMatchObject({
      success: false,
      error: { code: 'DEADLINE_EXCEEDED', details: { send: { id: 's1', status: 'queued' } } },
    });
    program.io.remove();
  });
});
