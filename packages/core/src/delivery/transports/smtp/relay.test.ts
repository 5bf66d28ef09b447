import { describe, expect, it } from 'vitest';
import {
  smtpForTest as make,
  scriptedServer as scripted,
  relayForTest as start,
} from '../../../../test/support/transports/smtp-fixture.ts';
import { TEST_CERT, TEST_KEY } from '../../../../test/support/transports/tls/fixtures.ts';
import type { HostResolver } from '../../../foundation/net/lookup.ts';

describe('the relay of smtpTransport', () => {
  it('a relay without STARTTLS gets neither login nor mail in clear text', async () => {
    const relay = await start({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const { send } = make(relay.port);
    expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'tls_failed' });
    expect([relay.counts().logins, relay.senders]).toEqual([0, []]);
  });

  it('a relay with a certificate of an unknown authority gets nothing', async () => {
    const relay = await start();
    for (const secure of [false, true]) {
      const one = secure ? await start({ secure: true, cert: TEST_CERT, key: TEST_KEY }) : relay;
      const { send } = make(one.port, { ca: undefined }, { secure });
      expect(await send(one.mail())).toMatchObject({ result: 'credential', code: 'tls_failed' });
      expect(one.counts().logins).toBe(0);
    }
  });

  it('a relay that speaks clear text on a TLS port is refused', async () => {
    const relay = await start();
    expect(await make(relay.port, {}, { secure: true }).send(relay.mail())).toMatchObject({
      result: 'credential',
      code: 'tls_failed',
    });
  });

  it('a temporary login failure and a wrong login have different outcomes', async () => {
    const relay = await start();
    const wrong = make(relay.port, {}, { password: 'another' });
    expect(await wrong.send(relay.mail())).toMatchObject({ result: 'credential', code: 'auth_failed' });
    const busy = make(relay.port, {}, { user: 'busy' });
    expect(await busy.send(relay.mail())).toMatchObject({ result: 'retry', code: '454', processed: 'no' });
  });

  it('a relay that offers no login gets no mail when a user is set', async () => {
    const relay = await start({ disabledCommands: ['AUTH'] });
    expect(await make(relay.port).send(relay.mail())).toMatchObject({ result: 'credential', code: 'auth_failed' });
    expect(relay.senders).toEqual([]);
  });

  it('a relay without a configured user gets mail without login', async () => {
    const relay = await start({ authOptional: true });
    const { send } = make(relay.port, {}, { user: undefined, password: undefined });
    expect(await send(relay.mail())).toMatchObject({ result: 'accepted' });
    expect(relay.counts().logins).toBe(0);
  });

  it.each([
    ['554 5.7.1 not you\r\n', [], { result: 'credential', code: 'server_refused' }],
    ['421 too many\r\n', [], { result: 'retry', code: '421', processed: 'no', isDown: true }],
    ['nonsense\r\n', [], { result: 'retry', code: 'EPROTOCOL', processed: 'no' }],
    ['220 hello\r\n', ['550 go away\r\n'], { result: 'credential', code: 'server_refused' }],
    ['220 hello\r\n', ['250-x\r\n250 STARTTLS\r\n', '454 4.7.0 later\r\n'], { result: 'retry', code: '4.7.0' }],
    ['220 hello\r\n', ['250-x\r\n250 STARTTLS\r\n', '502 no\r\n'], { result: 'credential', code: 'tls_failed' }],
    [`220-${'x'.repeat(100_000)}`, [], { result: 'retry', processed: 'no' }],
  ] as const)('may greet with %.20j and %j', async (greeting, answers, expected) => {
    const server = await scripted(greeting, answers);
    const relay = await start();
    expect(await make(server.port).send(relay.mail())).toMatchObject(expected);
    expect(server.got.join('')).not.toMatch(/AUTH|MAIL/);
  });

  it('a relay with a private address is never reached', async () => {
    const server = await scripted('220 hello\r\n');
    const relay = await start();
    const mixed: HostResolver = async () => [
      { address: '192.0.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '::1']) {
      const { send, probe } = make(server.port, { allowCidrs: [] }, { host });
      expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'blocked_address' });
      expect(await probe()).toMatchObject({ result: 'credential', code: 'blocked_address' });
    }
    const { send } = make(server.port, { allowCidrs: [], resolver: mixed }, { host: 'relay.test' });
    expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'blocked_address' });
    expect(server.hits()).toBe(0);
  });

  it('clear-text mail is sent if the settings say so and the network is allowed', async () => {
    const relay = await start({ authOptional: true });
    const clear = { tls: 'none', user: undefined, password: undefined } as const;
    const { send, probe } = make(relay.port, { ca: undefined }, clear);
    // It offers STARTTLS, with an untrusted certificate.
    expect(await send(relay.mail())).toMatchObject({ result: 'accepted' });
    expect(await probe()).toMatchObject({ result: 'accepted' });
    const other = make(relay.port, { allowCidrs: ['10.0.0.0/8'] }, clear);
    for (const outcome of [await other.send(relay.mail()), await other.probe()])
      expect(outcome).toMatchObject({ code: 'blocked_address', message: expect.stringMatching(/^Without TLS/) });
    expect(relay.received).toHaveLength(1);
  });

  it('a password is sent in clear text only to this machine', async () => {
    const relay = await start({ allowInsecureAuth: true });
    expect(await make(relay.port, {}, { tls: 'none' }).send(relay.mail())).toMatchObject({ result: 'accepted' });
    expect(relay.counts().logins).toBe(1);
    const elsewhere: HostResolver = async () => [{ address: '10.0.0.1', family: 4 }];
    for (const host of ['relay.test', '10.0.0.1']) {
      const options = { allowCidrs: ['10.0.0.0/8', '127.0.0.0/8'], resolver: elsewhere };
      const { send } = make(relay.port, options, { tls: 'none', host });
      expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'blocked_address' });
    }
    expect(relay.counts()).toMatchObject({ connections: 1, logins: 1 });
  });

  it('a public name never gets clear text', async () => {
    const relay = await start({ authOptional: true });
    const far: HostResolver = async () => [{ address: '192.0.1.1', family: 4 }];
    const clear = { tls: 'none', host: 'relay.test', user: undefined, password: undefined } as const;
    const { send } = make(relay.port, { resolver: far }, clear);
    expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'blocked_address' });
  });

  it('each connection to a relay is resolved and checked once', async () => {
    const relay = await start();
    let asked = 0;
    const moving: HostResolver = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    const { send } = make(relay.port, { resolver: moving }, { host: 'localhost' });
    expect(await send(relay.mail())).toMatchObject({ result: 'accepted' });
    expect(await send(relay.mail())).toMatchObject({ result: 'accepted' });
    expect(asked).toBe(1);
    relay.dropIdle();
    expect(await send(relay.mail())).toMatchObject({ result: 'credential', code: 'blocked_address' });
    expect(asked).toBe(2);
  });

  it('a relay has a host and a port that the operator allows', async () => {
    const relay = await start();
    const elsewhere = { result: 'credential', code: 'blocked_address' };
    expect(await make(relay.port, { allowedPorts: undefined }).send(relay.mail())).toMatchObject(elsewhere);
    expect(await make(relay.port, { allowedHosts: ['*.relay.test'] }).send(relay.mail())).toMatchObject(elsewhere);
    expect(relay.counts().connections).toBe(0);
  });

  it('a relay is tested without a recipient', async () => {
    const relay = await start();
    expect(await make(relay.port).probe()).toEqual({ result: 'accepted', providerId: null });
    expect(await make(relay.port, {}, { password: 'another' }).probe()).toMatchObject({
      result: 'credential',
      code: 'auth_failed',
    });
    expect(await make(1).probe()).toMatchObject({ result: 'retry', code: 'ECONNREFUSED' });
    expect([relay.counts().logins, relay.senders]).toEqual([2, []]);
    await expect.poll(() => relay.connections?.()).toBe(0);
  });

  it('a test of a relay takes at most the limit of a call', async () => {
    const server = await scripted('');
    const { probe } = make(server.port, { limitMs: 60 });
    expect(await probe()).toMatchObject({ result: 'retry', code: 'timeout' });
  });
});
