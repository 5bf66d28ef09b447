import { describe, expect, it } from 'vitest';
import { growthOf, LINEAR } from '../../../../test/support/growth.ts';
import { providerIdOf } from './provider-id.ts';

describe('the id in the reply of a server', () => {
  it.each([
    ['Postfix', '250 2.0.0 Ok: queued as 4ABC123DEF', '4ABC123DEF'],
    ['SendGrid', '250 Ok: queued as Hv9X2_aTQo-1w', 'Hv9X2_aTQo-1w'],
    ['Mailjet', '250 OK queued as 3f1c2a8e-7b', '3f1c2a8e-7b'],
    ['Brevo', '250 2.0.0 OK: queued as <202601.12345@smtp-relay.mailin.fr>', '202601.12345@smtp-relay.mailin.fr'],
    ['MailHog', '250 Ok: queued as aBc=@mailhog.example', 'aBc=@mailhog.example'],
    ['Yandex', '250 2.0.0 Ok: queued on sas1-1.yandex.net as 1700000000-AbCd', '1700000000-AbCd'],
    ['Yandex today', '250 2.0.0 Ok: queued on main-1.vla.yp-c.yandex.net 1700000000-AbCd', '1700000000-AbCd'],
    ['Exim', '250 OK id=1rAbcd-000123-AB', '1rAbcd-000123-AB'],
    ['Stalwart', '250 2.0.0 Message queued with id 2c5a91b2.', '2c5a91b2'],
    [
      'Exchange',
      '250 2.6.0 <a1b2@EX1.corp.test> [InternalId=123456, Hostname=EX1.corp.test] Queued mail for delivery',
      'a1b2@EX1.corp.test',
    ],
    ['Outlook', '250 2.0.0 OK <DB7@DB7.eurprd01.prod.outlook.com> [Hostname=x]', 'DB7@DB7.eurprd01.prod.outlook.com'],
    ['Sendmail', '250 2.0.0 4A1B2c3D012345 Message accepted for delivery', '4A1B2c3D012345'],
    ['OpenSMTPD', '250 2.0.0 9f8e7d6c Message accepted for delivery', '9f8e7d6c'],
    [
      'Mimecast',
      '250 SmtpThread-12345-17000@uk-mta-1.mimecast.lan Received OK [x.uk1]',
      'SmtpThread-12345-17000@uk-mta-1.mimecast.lan',
    ],
    ['Gmail', '250 2.0.0 OK  1700000000 d9443c01a7336-1d9si12pld.12 - gsmtp', 'd9443c01a7336-1d9si12pld.12'],
    ['Haraka', '250 Message Queued (6E1B4A2C-42D0.1)', '6E1B4A2C-42D0.1'],
    ['Cisco', '250 ok:  Message 12345678 accepted', '12345678'],
    ['qmail', '250 ok 1180000000 qp 12345', '1180000000 qp 12345'],
    [
      'SES',
      '250 Ok 0100018b5c3c0a4f-11aa22bb-0000-4c4c-8d8d-000000000000-000000',
      '0100018b5c3c0a4f-11aa22bb-0000-4c4c-8d8d-000000000000-000000',
    ],
    ['SparkPost', '250 2.0.0 OK 59/D1-24576-ABC1', '59/D1-24576-ABC1'],
    ['several lines', '250-one\r\n250 2.0.0 Ok: queued as 4ABC', '4ABC'],
  ])('is read as %s writes it', (_, reply, id) => {
    expect(providerIdOf(reply)).toBe(id);
  });

  it.each([
    '250 OK',
    '250 2.0.0 Ok',
    '250 OK: message queued',
    '250 accepted',
    '250 Queued (0.016 seconds)',
    '250 2.6.0 Message received',
    '250 OK , completed',
    '250 2.0.0 OK: queued',
    '250 Great success',
    '',
    'queued as 1',
    `250 Ok: queued as ${'x'.repeat(256)}`,
    '250 Ok: queued as \u00e4\u0001',
  ])('is none in %.40j', (reply) => {
    expect(providerIdOf(reply)).toBeNull();
  });

  it('finding the id takes time linear in the length of the reply', () => {
    for (const part of ['queued ', 'queued as ', 'id ', 'OK ', 'a-', '<']) {
      const make = (times: number): string => `250 ${part.repeat(times)}`;
      expect(growthOf(make, providerIdOf, 5_000), part).toBeLessThan(LINEAR);
    }
  });
});
