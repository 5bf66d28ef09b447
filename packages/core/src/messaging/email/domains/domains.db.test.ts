import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import {
  chunked,
  type DnsServer,
  startDnsServer,
  type Zone,
} from '../../../../test/support/email/domains/dns-server.ts';
import type { Beckon } from '../../../app/api.ts';
import { createBeckon } from '../../../app/create.ts';
import type { BeckonOptions } from '../../../app/options.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { type VirtualClock, virtualClock } from '../../../foundation/clock.ts';
import type { Scope } from '../../../foundation/scope.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';

const ACCEPTED: SendOutcome = { result: 'accepted', providerId: 'x' };

describe('sending domains', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  let zone: Zone;
  let dns: DnsServer;
  let beckon: Beckon;
  let prod: Scope;
  let test: Scope;
  let other: Scope;
  let sent: string[];

  const open = async (email: BeckonOptions['email'] = {}): Promise<void> => {
    beckon = await createBeckon({
      db: database.url,
      masterKey: newMasterKey(),
      clock,
      email: { dnsServers: [dns.address], ...email },
      transports: {
        email: {
          name: 'courier',
          from: { email: 'news@shop.test', name: null },
          make: () => ({
            name: 'courier',
            maxInFlight: 5,
            send: async (message) => {
              sent.push(message.from.email);
              return ACCEPTED;
            },
            close: async () => undefined,
          }),
        },
      },
    });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const scopeOf = async (environment: 'prod' | 'test') => {
      const project = await beckon.tenancy.createProject({ orgId: org.id, name: `App ${environment}` });
      return beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment });
    };
    [prod, test, other] = [await scopeOf('prod'), await scopeOf('test'), await scopeOf('prod')];
  };
  const mail = (from?: string) =>
    beckon.email.send(prod, { to: 'ann@example.com', subject: 's', text: 't', ...(from ? { from } : {}) });
  const publish = (records: readonly { readonly name: string; readonly value: string }[]): void => {
    for (const { name, value } of records) zone[name] = [chunked(value)];
  };

  beforeEach(async () => {
    database = await openTestDatabase();
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    zone = {};
    dns = await startDnsServer(zone);
    sent = [];
  });
  afterEach(async () => {
    await beckon.close();
    await dns.stop();
    await database.close();
  });

  it('a project without domains may send from any, one with a domain from verified ones only', async () => {
    await open();
    await mail();
    const { id, records, status } = await beckon.emailDomains.create(prod, { domain: 'Shop.test' });
    expect(status).toBe('pending');
    const refused = { code: 'PROVIDER_NOT_CONFIGURED', details: { channel: 'email', missing: ['shop.test'] } };
    await expect(mail()).rejects.toMatchObject(refused);
    publish(records);
    expect(await beckon.emailDomains.verify(prod, id)).toMatchObject({ status: 'verified', verifiedAt: clock.now() });
    await mail();
    await mail('ceo@mail.shop.test');
    await expect(mail('a@elsewhere.test')).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { missing: ['elsewhere.test'] },
    });
    // Another project, and `test`, have no domains.
    await beckon.email.send(other, { to: 'ann@example.com', subject: 's', text: 't' });
    await beckon.emailDomains.create(test, { domain: 'shop.test' });
    await beckon.email.send(test, { to: 'ann@example.com', subject: 's', text: 't', from: 'a@elsewhere.test' });
    await beckon.worker.drain();
    expect(sent).toHaveLength(4);
    await beckon.emailDomains.delete(prod, id);
    await mail('a@elsewhere.test');
  });

  it('with requireVerifiedDomains a project without domains cannot send', async () => {
    await open({ requireVerifiedDomains: true });
    await expect(mail()).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { missing: ['shop.test'] },
    });
    expect((await beckon.sends.list(prod, 'email')).data).toEqual([]);
  });

  it('accepted email is stopped if its domain is no longer verified', async () => {
    await open();
    const { id, records } = await beckon.emailDomains.create(prod, { domain: 'shop.test' });
    publish(records);
    await beckon.emailDomains.verify(prod, id);
    await mail();
    zone['_beckon.shop.test'] = 'nxdomain';
    await beckon.emailDomains.verify(prod, id);
    await beckon.worker.drain();
    expect(sent).toEqual([]);
    const [send] = (await beckon.sends.list(prod, 'email')).data;
    expect(send).toMatchObject({ status: 'failed', errorCode: 'domain_not_verified' });
  });

  it('verification reads chunked records, keeps the status on DNS failures, and revokes it for missing names', async () => {
    await open();
    const { id, records } = await beckon.emailDomains.create(prod, { domain: 'shop.test', dkim: true });
    const dkim = records.find(({ purpose }) => purpose === 'dkim');
    expect(dkim?.value.length).toBeGreaterThan(300);
    const verify = async () => {
      const { status, dkimFound, checks } = await beckon.emailDomains.verify(prod, id);
      return [status, dkimFound, ...checks.map(({ name, state }) => `${name} ${state}`)];
    };
    expect(await verify()).toEqual([
      'pending',
      false,
      'ownership missing',
      'dkim missing',
      'spf missing',
      'dmarc missing',
    ]);
    publish(records);
    zone['shop.test'] = [['v=spf1 ', '-all']];
    zone['_dmarc.shop.test'] = [['v=DMARC1; p=reject']];
    expect(await verify()).toEqual(['verified', true, 'ownership found', 'dkim found', 'spf found', 'dmarc found']);
    zone['_beckon.shop.test'] = 'servfail';
    zone[dkim?.name ?? ''] = 'servfail';
    expect((await verify()).slice(0, 4)).toEqual(['verified', true, 'ownership unknown', 'dkim unknown']);
    // A name without TXT records.
    zone['_beckon.shop.test'] = [];
    expect((await verify()).slice(0, 3)).toEqual(['pending', true, 'ownership missing']);
  });

  it('domains are listed in creation order, exist once, and are invisible to other projects', async () => {
    await open();
    const one = await beckon.emailDomains.create(prod, { domain: 'one.test' });
    const two = await beckon.emailDomains.create(prod, { domain: 'two.test' });
    await expect(beckon.emailDomains.create(prod, { domain: 'ONE.test' })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'exists' },
    });
    const first = await beckon.emailDomains.list(prod, { limit: 1 });
    expect(first.data).toEqual([one]);
    const next = await beckon.emailDomains.list(prod, { cursor: first.pagination.nextCursor ?? '' });
    expect(next.data).toEqual([two]);
    expect(await beckon.emailDomains.get(prod, two.id)).toEqual(two);
    await expect(beckon.emailDomains.get(other, two.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beckon.emailDomains.verify(other, two.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beckon.emailDomains.delete(other, two.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
