import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DnsServer, startDnsServer, type Zone } from '../../../core/test/support/email/domains/dns-server.ts';
import { type RealCli, realCli } from '../../test/support/real.ts';

/** Maximum characters of one string of a TXT record. Source: RFC 1035, 3.3.14. */
const MAX_TEXT = 255;

describe('sending domains', () => {
  let cli: RealCli;
  let zone: Zone;
  let dns: DnsServer;
  beforeEach(async () => {
    zone = {};
    dns = await startDnsServer(zone);
    cli = await realCli({ BECKON_EMAIL_DNS_SERVERS: dns.address });
  });
  afterEach(async () => {
    await cli.close();
    await dns.stop();
  });

  const run = (...argv: string[]) => cli.run(['domains', ...argv]);

  it('`domains create` adds to prod by default and prints the DNS records', async () => {
    const { code, out, err } = await run('create', 'good.test', '--dkim');
    expect(code).toBe(0);
    expect(out).toMatch(/^TXT\t_beckon\.good\.test\t\S+\nTXT\t\S+\._domainkey\.good\.test\tv=DKIM1[^\n]+\n$/);
    expect(err).toContain('beckon domains verify good.test');
    expect((await run('create', 'try.test', '--env', 'test')).code).toBe(0);
    expect((await cli.beckon.emailDomains.list(cli.scope)).data).toMatchObject([{ domain: 'try.test' }]);
    expect((await run('list')).out).not.toContain('try.test');
  });

  it('`domains verify` takes a name or id and exits 1 while records are missing', async () => {
    const [name = '', value = ''] = (await run('create', 'good.test')).out.trimEnd().split('\t').slice(1);
    expect(value.length).toBeLessThan(MAX_TEXT);
    zone[name] = [[value]];
    const { id } = JSON.parse((await run('create', 'bad.test', '--json')).out).data;
    const verified = await run('verify', 'GOOD.test');
    expect([verified.code, verified.out]).toEqual([0, expect.stringMatching(/^ownership\tok\t/m)]);
    expect(verified.out).toMatch(/^spf\tmissing\t/m);
    expect((await run('verify', id)).code).toBe(1);
    const other = await run('verify', 'other.test');
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('No sending domain "other.test".')]);
  });

  it('domains are listed and removed', async () => {
    await run('create', 'good.test');
    expect((await run('list')).out).toContain('good.test\tpending\tno\t-\t-');
    expect((await run('delete', 'good.test')).out).toBe('Removed good.test.\n');
    expect((await run('list', '--json')).out).toContain('"data":[]');
  });
});
