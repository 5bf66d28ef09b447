import { describe, expect, it } from 'vitest';
import {
  LOOPBACK,
  smtpForTest as make,
  scriptedServer as scripted,
  settingsFor,
  relayForTest as start,
  USERS,
} from '../../../../test/support/transports/smtp-fixture.ts';
import { startRelay } from '../../../../test/support/transports/smtp-server.ts';
import { TEST_CERT, TEST_KEY } from '../../../../test/support/transports/tls/fixtures.ts';
import type { HostResolver } from '../../../foundation/net/lookup.ts';
import type { EmailMessage } from '../port.ts';
import { transportContract } from '../testing/contract.ts';
import type { SmtpSettings } from './settings.ts';
import { smtpTransport } from './smtp.ts';

const GOOD: SmtpSettings = { ...settingsFor(587), host: 'smtp.relay.test', from: 'news@shop.test', name: 'Shop' };
const ports = new WeakMap<object, number>();

transportContract<EmailMessage, SmtpSettings>('smtp', {
  settings: GOOD,
  broken: [
    { settings: { ...GOOD, host: '' }, field: 'host' },
    { settings: { ...GOOD, host: 'smtp.relay.test:25' }, field: 'host' },
    { settings: { ...GOOD, host: '10.0.0.1' }, field: 'host' },
    { settings: { ...GOOD, host: '::1' }, field: 'host' },
    { settings: { ...GOOD, port: 22 }, field: 'port' },
    { settings: { ...GOOD, user: undefined }, field: 'user' },
    { settings: { ...GOOD, password: undefined }, field: 'password' },
    { settings: { ...GOOD, password: '' }, field: 'password' },
    { settings: { ...GOOD, user: 'a\u0000b' }, field: 'user' },
    { settings: { ...GOOD, from: 'news@shop.test, other@shop.test' }, field: 'from' },
    { settings: { ...GOOD, name: 'Shop\r\nBcc: x' }, field: 'name' },
  ],
  without: {
    retryAfter: 'SMTP has no word for a wait',
    size: 'a server says in its answer which size it takes',
  },
  start: async () => {
    const relay = await startRelay(USERS);
    ports.set(relay, relay.port);
    return relay;
  },
  make: (relay, changes) => {
    const port = ports.get(relay) ?? 0;
    const allowedPorts = [port, 25, 465, 587, 2525];
    return smtpTransport(settingsFor(port, changes?.credential), {
      ...LOOPBACK,
      allowedPorts,
      limitMs: changes?.limitMs,
    });
  },
});

describe('smtpTransport', () => {
  it('an SMTP mail carries addresses, names, subject, both bodies, headers and a stable Message-ID', async () => {
    const relay = await start();
    const { send } = make(relay.port);
    const message = relay.mail({
      messageId: '0190-row',
      envelope: { from: 'b+0190-row@bounces.shop.test', to: 'ann@private-domain.test' },
      from: { email: 'news@shop.test', name: 'Shop "Grüße", Ltd. <x>' },
      to: { email: 'ann@private-domain.test', name: 'Änn' },
      replyTo: { email: 'help@shop.test', name: null },
      subject: 'Grüße, 日本語 \u{1F600}',
      text: 'Grüße\r\n.\r\nDATA\r\n..dots',
      html: '<p>Grüße</p>',
      headers: {
        'Message-ID': '<0190-row@shop.test>',
        'X-Service-Send-Id': 's-1',
        'List-Unsubscribe': '<https://shop.test/u/abc>, <mailto:u@shop.test>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
    expect(await send(message)).toEqual({ result: 'accepted', providerId: null });
    expect(await send(message)).toMatchObject({ result: 'accepted' });
    const [mail, again] = relay.received;
    expect(mail).toMatchObject({ from: 'b+0190-row@bounces.shop.test', to: ['ann@private-domain.test'] });
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      from: expect.stringContaining('<news@shop.test>'),
      to: 'Änn <ann@private-domain.test>',
      'reply-to': 'help@shop.test',
      subject: 'Grüße, 日本語 \u{1F600}',
      'message-id': '<0190-row@shop.test>',
      'x-service-send-id': 's-1',
      'list-unsubscribe': '<https://shop.test/u/abc>, <mailto:u@shop.test>',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      date: 'Sun, 01 Mar 2026 12:00:00 +0000',
    });
    expect(mail?.text.trimEnd()).toBe('Grüße\r\n.\r\nDATA\r\n..dots');
    expect(again?.headers.get('message-id')).toBe('<0190-row@shop.test>');
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('x-mailer');
  });

  it('the header of a copy differs from its envelope, and no header names a blind recipient', async () => {
    const relay = await start();
    const copy = relay.mail({
      envelope: { from: 'news@shop.test', to: 'dee@private-domain.test' },
      to: { email: 'ann@private-domain.test', name: 'Änn' },
      cc: [
        { email: 'bob@private-domain.test', name: null },
        { email: 'cid@private-domain.test', name: 'Cid, "C"' },
      ],
    });
    expect(await make(relay.port).send(copy)).toMatchObject({ result: 'accepted' });
    const [mail] = relay.received;
    expect(mail?.to).toEqual(['dee@private-domain.test']);
    expect(mail?.headers.get('to')).toBe('Änn <ann@private-domain.test>');
    expect(mail?.headers.get('cc')).toContain('bob@private-domain.test');
    expect(mail?.headers.get('cc')).toContain('<cid@private-domain.test>');
    expect(mail?.raw).not.toContain('dee@');
  });

  it('attachments arrive byte for byte, and inline images appear where the HTML refers to them', async () => {
    const relay = await start();
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 256));
    const file = { contentType: 'image/png', content: bytes.toString('base64') };
    const sent = relay.mail({
      html: '<img src="cid:logo@shop">',
      attachments: [
        { ...file, filename: 'Grüße "1".png', cid: null },
        { ...file, filename: 'logo.png', cid: 'logo@shop' },
      ],
    });
    expect(await make(relay.port).send(sent)).toMatchObject({ result: 'accepted' });
    const raw = relay.received[0]?.raw ?? '';
    expect(raw).toMatch(/content-disposition: attachment/i);
    expect(raw).toMatch(/content-disposition: inline/i);
    expect(raw).toMatch(/content-id: <logo@shop>/i);
    expect(raw.replaceAll('\r\n', '').split(file.content)).toHaveLength(3);
  });

  it('a mail whose attachment has a line break in its name is not sent', async () => {
    const relay = await start();
    const file = { filename: 'a\r\nX-Evil: 1', contentType: 'text/plain', content: 'aGk=', cid: null };
    expect(await make(relay.port).send(relay.mail({ attachments: [file] }))).toMatchObject({ result: 'failed' });
    expect(relay.received).toEqual([]);
  });

  it.each(['=?utf-8?B?SGFja2Vk?=', 'a =?utf-8?Q?b?= "c\\', '=?', `=?utf-8?Q?${'\u00fc'.repeat(60)}?= \u{1F600}`])(
    'the subject and the file name %.30j are shown as they are written',
    async (text) => {
      const relay = await start();
      const file = { filename: `${text}.txt`, contentType: 'text/plain', content: 'aGk=', cid: null };
      expect(await make(relay.port).send(relay.mail({ subject: text, attachments: [file] }))).toMatchObject({
        result: 'accepted',
      });
      const [mail] = relay.received;
      expect(mail?.headers.get('subject')).toBe(text);
      expect(mail?.raw.split('\r\n').every((line) => line.length <= 78)).toBe(true);
      const disposition = /content-disposition:(?:.+\r\n[ \t])*.+/i.exec(mail?.raw.split('aGk=')[0] ?? '')?.[0] ?? '';
      const parts = [...disposition.matchAll(/filename\*(?:\d+\*?)?=(?:utf-8'')?([^;\r\n]*)/gi)];
      expect(decodeURIComponent(parts.map(([, part = '']) => part).join(''))).toBe(file.filename);
      expect(mail?.raw).not.toMatch(/name="?=\?/);
    },
  );

  it("an accepted mail has the server's id", async () => {
    const relay = await start({
      onData: (stream, _, done) => void stream.resume().once('end', () => done(null, '2.0.0 Ok: queued as 4ABC')),
    });
    expect(await make(relay.port).send(relay.mail())).toEqual({ result: 'accepted', providerId: '4ABC' });
  });

  it.each<[string, Partial<EmailMessage>]>([
    ['the recipient', { envelope: { from: 'news@shop.test', to: 'j\u00f6rg@private-domain.test' } }],
    ['the sender', { envelope: { from: 'n\u00e9ws@shop.test', to: 'ann@private-domain.test' } }],
    ['the answer', { replyTo: { email: 'h\u00e9lp@shop.test', name: null } }],
  ])('sends a mail with %s beyond ASCII only where the server takes it, and blames nobody else', async (_, fields) => {
    const [old, modern] = [await start({ hideSMTPUTF8: true }), await start()];
    const [toOld, toModern] = [make(old.port), make(modern.port)];
    for (const message of [old.mail(fields), old.mail(fields)])
      expect(await toOld.send(message)).toEqual({
        result: 'failed',
        code: 'smtputf8_unsupported',
        message: expect.any(String),
      });
    expect([old.senders, old.counts().connections]).toEqual([[], 1]);
    expect(await toOld.send(old.mail())).toMatchObject({ result: 'accepted' });
    expect(await toModern.send(modern.mail(fields))).toMatchObject({ result: 'accepted' });
    expect(await toModern.send(modern.mail(fields))).toMatchObject({ result: 'accepted' });
    expect(modern.counts().connections).toBe(2);
    const { from = 'news@shop.test', to = 'accept@private-domain.test' } = fields.envelope ?? {};
    expect(modern.received[0]).toMatchObject({ from, to: [to] });
  });

  it('a sender with a non-ASCII domain is sent in its ASCII form, which any server accepts', async () => {
    const relay = await start({ hideSMTPUTF8: true });
    const from = { email: 'news@m\u00fcller.test', name: null };
    const mail = relay.mail({ from, envelope: { from: from.email, to: 'ann@private-domain.test' } });
    expect(await make(relay.port).send(mail)).toMatchObject({ result: 'accepted' });
    expect(relay.received[0]?.headers.get('from')).toBe('news@xn--mller-kva.test');
  });

  it('a mail is retried if SMTPUTF8 support of the server could not be checked', async () => {
    const relay = await start();
    const silent = await scripted('');
    const mail = relay.to('j\u00f6rg');
    expect(await make(1).send(mail)).toMatchObject({ result: 'retry', code: 'ECONNREFUSED', processed: 'no' });
    const hanging = make(silent.port, { limitMs: 60 });
    expect(await hanging.send(mail)).toMatchObject({ result: 'retry', code: 'timeout', processed: 'no' });
  });

  it('a mail without a Message-ID gets one made of its row', async () => {
    const relay = await start();
    await make(relay.port).send(relay.mail({ messageId: 'm-7', headers: {} }));
    expect(relay.received[0]?.headers.get('message-id')).toBe('<m-7@shop.test>');
  });

  it('SMTP connections are reused, five of them at most', async () => {
    const relay = await start();
    const { send } = make(relay.port);
    await Promise.all(Array.from({ length: 60 }, (_, at) => send(relay.mail({ messageId: `m-${at}` }))));
    expect(relay.received).toHaveLength(60);
    expect(relay.counts().connections).toBeLessThanOrEqual(5);
  });

  it('an SMTP connection speaks TLS from the first byte if `secure` is set', async () => {
    const relay = await start({ secure: true, cert: TEST_CERT, key: TEST_KEY });
    expect(await make(relay.port, {}, { secure: true }).send(relay.mail())).toMatchObject({ result: 'accepted' });
  });

  it('the certificate is checked against the configured host name, not the resolved address', async () => {
    const relay = await start();
    const resolver: HostResolver = async () => [{ address: '127.0.0.1', family: 4 }];
    const found = make(relay.port, { resolver }, { host: 'localhost' });
    expect(await found.send(relay.mail())).toMatchObject({ result: 'accepted' });
    const other = make(relay.port, { resolver }, { host: 'relay.test' });
    expect(await other.send(relay.mail())).toMatchObject({ result: 'credential', code: 'tls_failed' });
    expect(relay.received).toHaveLength(1);
  });

  it.each([
    ['550+5.1.1', { result: 'failed', code: '5.1.1', address: 'bounced' }],
    ['550+5.1.10', { result: 'failed', code: '5.1.10', address: 'bounced' }],
    ['550+5.2.1', { result: 'failed', code: '5.2.1', address: 'bounced' }],
    ['550', { result: 'failed', code: '550', address: 'bounced' }],
    ['551', { result: 'failed', code: '551', address: 'bounced' }],
    ['553', { result: 'failed', code: '553', address: 'bounced' }],
    ['554', { result: 'failed', code: '554' }],
    ['550+5.7.1', { result: 'failed', code: '5.7.1' }],
    ['552+5.2.2', { result: 'failed', code: '5.2.2', message: 'The mailbox of the recipient is full.' }],
    ['550+5.2.2', { result: 'failed', code: '5.2.2', message: 'The mailbox of the recipient is full.' }],
    ['data-552+5.2.2', { result: 'failed', code: '5.2.2', message: 'The mailbox of the recipient is full.' }],
    ['552', { result: 'failed', code: '552', message: 'The server does not take a mail of this size.' }],
    ['550+5.1.8', { result: 'failed', code: 'sender_rejected' }],
    ['550+5.2.3', { result: 'failed', code: '5.2.3', message: 'The server does not take a mail of this size.' }],
    ['550+5.4.1', { result: 'failed', code: '5.4.1' }],
    ['450+4.2.2', { result: 'retry', code: '4.2.2', processed: 'no' }],
    ['451', { result: 'retry', code: '451', processed: 'no' }],
    ['421', { result: 'retry', processed: 'no', isDown: true }],
    ['503', { result: 'retry', code: '503', processed: 'no' }],
    ['530+5.7.0', { result: 'credential', code: 'auth_failed' }],
    ['data-554+5.6.0', { result: 'failed', code: '5.6.0' }],
    ['data-550+5.1.1', { result: 'failed', code: '5.1.1' }],
    ['data-552+5.3.4', { result: 'failed', code: '5.3.4' }],
    ['data-451+4.3.0', { result: 'retry', code: '4.3.0', processed: 'no' }],
  ])('makes its outcome of %s to the recipient', async (local, expected) => {
    const relay = await start();
    const outcome = await make(relay.port).send(relay.to(local));
    expect(outcome).toMatchObject(expected);
    expect('address' in outcome).toBe('address' in expected);
    expect(relay.received).toEqual([]);
  });

  it.each([
    ['550+5.7.1', { result: 'failed', code: 'sender_rejected' }],
    ['553', { result: 'failed', code: 'sender_rejected' }],
    ['552+5.3.4', { result: 'failed', code: '5.3.4' }],
    ['451+4.1.8', { result: 'retry', code: '4.1.8', processed: 'no' }],
    ['530', { result: 'credential', code: 'auth_failed' }],
  ])('makes its outcome of %s to the sender, and keeps the address', async (local, expected) => {
    const relay = await start();
    const envelope = { from: `${local}@shop.test`, to: 'ann@private-domain.test' };
    const outcome = await make(relay.port).send(relay.mail({ envelope }));
    expect(outcome).toMatchObject(expected);
    expect(outcome).not.toHaveProperty('address');
  });

  it.each([{}, { hidePIPELINING: true }])('an SMTP connection stays open after a refusal (%o)', async (options) => {
    const relay = await start(options);
    const { send } = make(relay.port);
    const results = [];
    for (const local of ['550+5.1.1', 'accept', '451', 'accept', 'data-554', 'accept'])
      results.push((await send(relay.to(local))).result);
    expect(results).toEqual(['failed', 'accepted', 'retry', 'accepted', 'failed', 'accepted']);
    expect(relay.counts().connections).toBeLessThanOrEqual(2);
  });

  it('a dropped connection reports whether a byte of the mail was sent', async () => {
    const relay = await start();
    const { send } = make(relay.port);
    expect(await send(relay.to('reset-early'))).toMatchObject({ result: 'retry', processed: 'no' });
    expect(await send(relay.to('drop'))).toMatchObject({ result: 'retry', processed: 'unknown' });
    expect(await send(relay.to('reset-midway'))).toMatchObject({ result: 'retry', processed: 'unknown' });
    expect(relay.received).toEqual([]);
  });

  it('a mail whose DATA has no reply has an unknown outcome', async () => {
    const relay = await start();
    const { send } = make(relay.port, { limitMs: 200 });
    expect(await send(relay.to('hang'))).toMatchObject({ result: 'retry', code: 'timeout', processed: 'unknown' });
    await expect.poll(() => relay.connections?.()).toBe(0);
  });

  it('a connection that the server ended while idle is replaced without failing a mail', async () => {
    const relay = await start();
    const { send } = make(relay.port);
    await send(relay.mail());
    relay.dropIdle();
    expect(await send(relay.mail({ messageId: 'm-2' }))).toMatchObject({ result: 'accepted' });
    expect(relay.received).toHaveLength(2);
  });

  const CRLF = '\r\n';
  it.each([
    [`u@r.test${CRLF}RCPT TO:<e@e.e>`],
    [`"x" <u@r.test${CRLF}RCPT TO:<e@e.e>>`],
    ['u@r.test>, <e@e.e'],
    ['u@r.test, e@e.e'],
    ['u@r.test,e@e.e'],
    ['u,v@r.test'],
    ['"u,v"@r.test'],
    ['u@r.test,v'],
    ['u@r.test\u0000'],
    ['u@r.test\u2028x'],
    ['u r@r.test'],
    ['u@e.e@r.test'],
    ['<u@r.test>'],
    ['Group: u@r.test;'],
    [''],
  ])('sends nothing to the address %j, nor from it', async (address) => {
    const relay = await start();
    const { send } = make(relay.port);
    const box = { email: address, name: null };
    const good = 'ann@private-domain.test';
    for (const fields of [
      { envelope: { from: 'news@shop.test', to: address } },
      { envelope: { from: address, to: good } },
      { to: box },
      { from: box },
      { replyTo: box },
    ])
      expect(await send(relay.mail(fields))).toMatchObject({ result: 'failed', code: 'invalid_message' });
    expect([relay.received, relay.senders, relay.counts().connections]).toEqual([[], [], 0]);
  });

  it.each([
    { subject: `Hello${CRLF}Bcc: e@e.e` },
    { from: { email: 'news@shop.test', name: `Shop${CRLF}Bcc: e@e.e` } },
    { headers: { 'X-Thing': `a${CRLF}Bcc: e@e.e` } },
    { headers: { 'X-Thing: a\r\nBcc': 'e@e.e' } },
    { headers: { 'Message-ID': `<a@b.test>${CRLF}Bcc: e@e.e` } },
    { headers: { 'Bcc: e@e.e (': ')' } },
    { headers: { 'X-Thing': 'a\tb' } },
    { to: { email: 'ann@private-domain.test', name: 'a\tb' } },
    { attachments: [{ filename: 'a\tb', contentType: 'text/plain', content: 'aGk=', cid: null }] },
    { attachments: [{ filename: 'a.eml', contentType: 'Message/rfc822', content: 'aGk=', cid: null }] },
  ])('sends no mail in which a field ends its line: %j', async (fields) => {
    const relay = await start();
    expect(await make(relay.port).send(relay.mail(fields))).toMatchObject({
      result: 'failed',
      code: 'invalid_message',
    });
    expect(relay.counts().connections).toBe(0);
  });

  it('no name or body can become an address or a header', async () => {
    const relay = await start();
    const text = `${CRLF}.${CRLF}MAIL FROM:<e@e.e>${CRLF}RCPT TO:<e@e.e>${CRLF}DATA${CRLF}x${CRLF}.${CRLF}`;
    const name = 'x" <e@e.e>, "y';
    await make(relay.port).send(relay.to('ann', { to: { email: 'ann@private-domain.test', name }, text, html: text }));
    expect(relay.received.map(({ to }) => to)).toEqual([['ann@private-domain.test']]);
    expect(relay.received[0]?.headers.get('to')).toContain('<ann@private-domain.test>');
    expect(relay.senders).toEqual(['news@shop.test']);
  });

  it('a mail cannot make the transport read a file or fetch a URL', async () => {
    const relay = await start();
    const trap = await scripted('');
    const html = `<img src="http://127.0.0.1:${trap.port}/a.png"><img src="file:///etc/hostname">`;
    expect(await make(relay.port).send(relay.mail({ html }))).toMatchObject({ result: 'accepted' });
    expect(trap.hits()).toBe(0);
    expect(relay.received[0]?.raw.includes('file:///etc/hostname')).toBe(true);
  });
});
