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

  it('has nothing against a relay by name or by public address, with a login or without', () => {
    expect(checkSmtp(GOOD, {}, PUBLIC)).toEqual([]);
    expect(checkSmtp({ host: '192.0.1.1', port: 25, secure: false }, {}, PUBLIC)).toEqual([]);
    expect(checkSmtp({ ...GOOD, from: 'news@shop.test', name: 'Shöp, Ltd.' }, {}, PUBLIC)).toEqual([]);
  });

  it('goes by the ports and hosts of the operator', () => {
    expect(fields({ ...GOOD, port: 26 }, {}, PUBLIC)).toEqual(['port']);
    expect(fields({ ...GOOD, port: 26 }, { allowedPorts: [26] }, PUBLIC)).toEqual([]);
    expect(fields(GOOD, { allowedPorts: [26] }, PUBLIC)).toEqual(['port']);
    expect(fields(GOOD, { allowedHosts: ['*.relay.test'] }, PUBLIC)).toEqual([]);
    expect(fields(GOOD, { allowedHosts: ['relay.test'] }, PUBLIC)).toEqual(['host']);
  });

  it('refuses a private address that is written out, unless the operator allows it', () => {
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

  it('wants user and password together, each of one line', () => {
    expect(fields({ ...GOOD, user: undefined }, {}, PUBLIC)).toEqual(['user']);
    expect(fields({ ...GOOD, password: undefined }, {}, PUBLIC)).toEqual(['password']);
    expect(fields({ ...GOOD, user: 'a\u0000b' }, {}, PUBLIC)).toEqual(['user']);
    expect(fields({ ...GOOD, password: 'secret-word\n' }, {}, PUBLIC)).toEqual(['password']);
    expect(fields({ ...GOOD, user: '', password: '' }, {}, PUBLIC)).toEqual(['user', 'password']);
  });

  it('repeats no value', () => {
    const bad = { host: 'secret host', port: 4711, secure: false, user: '', password: 'secret-word\n', from: 'secret' };
    const told = JSON.stringify(checkSmtp(bad, {}, PUBLIC));
    expect(told).not.toMatch(/secret|4711/);
  });
});
