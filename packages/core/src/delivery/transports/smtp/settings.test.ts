import { describe, expect, it } from 'vitest';
import { guardOf } from '../outbound/guarded-agent.ts';
import { checkSmtp, type SmtpSettings } from './settings.ts';

const GOOD: SmtpSettings = {
  host: 'smtp.relay.test',
  port: 587,
  secure: false,
  user: 'first',
  password: 'secret-word',
};
const PUBLIC = guardOf({});

describe('checkSmtp', () => {
  const fields = (...args: Parameters<typeof checkSmtp>) => checkSmtp(...args).map(({ field }) => field);

  it('a relay by name or public address, with or without login, is accepted', () => {
    expect(checkSmtp(GOOD, {}, PUBLIC)).toEqual([]);
    expect(checkSmtp({ host: '192.0.1.1', port: 25, secure: false }, {}, PUBLIC)).toEqual([]);
    expect(checkSmtp({ ...GOOD, from: 'news@shop.test', name: 'Shöp, Ltd.' }, {}, PUBLIC)).toEqual([]);
  });

  it("only the operator's ports and hosts are accepted", () => {
    expect(fields({ ...GOOD, port: 26 }, {}, PUBLIC)).toEqual(['port']);
    expect(fields({ ...GOOD, port: 26 }, { allowedPorts: [26] }, PUBLIC)).toEqual([]);
    expect(fields(GOOD, { allowedPorts: [26] }, PUBLIC)).toEqual(['port']);
    expect(fields(GOOD, { allowedHosts: ['*.relay.test'] }, PUBLIC)).toEqual([]);
    expect(fields(GOOD, { allowedHosts: ['relay.test'] }, PUBLIC)).toEqual(['host']);
  });

  it('a literal private address is refused unless the operator allows it', () => {
    for (const host of ['10.0.0.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1', '127.1', 'localhost', 'a..b'])
      expect(fields({ ...GOOD, host }, {}, PUBLIC)).toEqual(['host']);
    expect(fields({ ...GOOD, host: '10.0.0.1' }, {}, guardOf({ allowCidrs: ['10.0.0.0/8'] }))).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'smtp.relay.test:25',
    'smtp://relay.test',
    'rélay.test',
    'a\r\nb',
    '[::1]',
    '-relay.test',
    'a'.repeat(254),
  ])('refuses "%s" as a host', (host) => {
    expect(fields({ ...GOOD, host }, {}, PUBLIC)).toEqual(['host']);
  });

  it('mail without TLS needs an allowed host, and a user needs this machine', () => {
    const clear = { ...GOOD, tls: 'none', user: undefined, password: undefined } as const;
    const check = (settings: SmtpSettings, ...allowCidrs: string[]) =>
      fields(settings, { allowCidrs }, guardOf({ allowCidrs }));
    expect(check({ ...clear, host: '192.0.1.1' })).toEqual(['host']);
    expect(check({ ...clear, host: '192.0.1.1' }, '10.0.0.0/8')).toEqual(['host']);
    expect(check({ ...clear, host: '127.0.0.1' })).toEqual(['host']);
    expect(check({ ...clear, host: '10.0.0.1' }, '10.0.0.0/8')).toEqual([]);
    expect(check({ ...clear, host: 'localhost' }, '127.0.0.0/8')).toEqual([]);
    expect(check({ ...clear, host: '::ffff:127.0.0.1' }, '127.0.0.0/8')).toEqual([]);
    const login = { user: 'first', password: 'secret-word' };
    expect(check({ ...clear, ...login, host: '10.0.0.1' }, '10.0.0.0/8')).toEqual(['host']);
    expect(check({ ...clear, ...login, host: '127.0.0.1' }, '127.0.0.0/8')).toEqual([]);
    expect(check({ ...clear, ...login, host: '::1' }, '::1')).toEqual([]);
    expect(check({ ...clear, host: '127.0.0.1', secure: true }, '127.0.0.0/8')).toEqual(['tls']);
  });

  it("Mailpit's port is accepted only without TLS, and other ports only if the operator allows them", () => {
    const clear = {
      ...GOOD,
      host: 'mailpit.test',
      port: 1025,
      tls: 'none',
      user: undefined,
      password: undefined,
    } as const;
    expect(fields(clear, {}, PUBLIC)).toEqual([]);
    expect(fields({ ...clear, tls: 'required' }, {}, PUBLIC)).toEqual(['port']);
    expect(fields(clear, { allowedPorts: [25] }, PUBLIC)).toEqual(['port']);
  });

  it('a name that does not fit a header line is refused', () => {
    expect(fields({ ...GOOD, name: 'n'.repeat(128) }, {}, PUBLIC)).toEqual([]);
    expect(fields({ ...GOOD, name: 'n'.repeat(129) }, {}, PUBLIC)).toEqual(['name']);
  });

  it('user and password must come together, each on one line', () => {
    expect(fields({ ...GOOD, user: undefined }, {}, PUBLIC)).toEqual(['user']);
    expect(fields({ ...GOOD, password: undefined }, {}, PUBLIC)).toEqual(['password']);
    expect(fields({ ...GOOD, user: 'a\u0000b' }, {}, PUBLIC)).toEqual(['user']);
    expect(fields({ ...GOOD, password: 'secret-word\n' }, {}, PUBLIC)).toEqual(['password']);
    expect(fields({ ...GOOD, user: '', password: '' }, {}, PUBLIC)).toEqual(['user', 'password']);
  });

  it('no settings problem repeats a value', () => {
    const bad = { host: 'secret host', port: 4711, secure: false, user: '', password: 'secret-word\n', from: 'secret' };
    const told = JSON.stringify(checkSmtp(bad, {}, PUBLIC));
    expect(told).not.toMatch(/secret|4711/);
  });
});
