import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { chunked, startDnsServer, type Zone } from '../../../../test/support/email/domains/dns-server.ts';
import { recordReads } from '../../../../test/support/outside-reads.ts';
import { testScope, testScopes } from '../../../../test/support/scopes.ts';
import { relayForTest, settingsFor } from '../../../../test/support/transports/smtp-fixture.ts';
import { TEST_CA } from '../../../../test/support/transports/tls/fixtures.ts';
import { createBeckon } from '../../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../../foundation/clock.ts';
import { uuidV7Ids } from '../../../foundation/ids.ts';
import { newMasterKey } from '../../../foundation/secrets.ts';
import { emailDomainsEngine } from './domains.ts';
import type { TxtAnswer } from './look-up.ts';
import { senderDomainCache } from './sender-domains.ts';

const PROD = testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' });
const OTHER = testScope({ orgId: 'org-b', projectId: 'app', environment: 'prod' });
const DAY_MS = 86_400_000;

describe('background work of sending domains', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  let folder: string;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    folder = mkdtempSync(join(tmpdir(), 'beckon-domains-'));
    database = await openTestDatabase({ clock, url: `sqlite:${join(folder, 'beckon.db')}` });
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it('each domain is verified once a day by one of the workers', async () => {
    const { storage, tables } = database;
    const queries: string[] = [];
    let answer: TxtAnswer = { kind: 'absent' };
    const engine = () =>
      emailDomainsEngine({
        storage,
        tables,
        clock,
        ids: uuidV7Ids(clock),
        keyring: { seal: async (_, text) => `${text}`, openText: async (_, sealed) => sealed },
        scopes: testScopes,
        lookUp: async (name) => {
          queries.push(name);
          return answer;
        },
        isAlwaysRequired: false,
      });
    const [here, there] = [engine(), engine()];
    const one = await here.api.create(PROD, { domain: 'one.test' });
    await here.api.create(OTHER, { domain: 'two.test' });
    expect(await here.recheck()).toBe(false);
    clock.advance(DAY_MS);
    answer = { kind: 'records', records: [one.records[0]?.value ?? ''] };
    const found = await Promise.all([here.recheck(), there.recheck(), here.recheck(), there.recheck()]);
    while (await here.recheck()) found.push(true);
    expect(found.filter(Boolean)).toHaveLength(2);
    expect(queries.filter((name) => name.startsWith('_beckon.')).sort()).toEqual([
      '_beckon.one.test',
      '_beckon.two.test',
    ]);
    expect(await there.api.get(PROD, one.id)).toMatchObject({ status: 'verified', checkedAt: clock.now() });
    clock.advance(DAY_MS - 1);
    expect(await here.recheck()).toBe(false);
    here.close();
    there.close();
  });

  it("domains are read outside the host's transaction, because all calls share the cache", async () => {
    const { storage, calls } = recordReads(database.storage);
    const known = senderDomainCache({ storage, tables: database.tables, clock, isAlwaysRequired: false });
    await known.load([PROD]);
    expect(calls).toEqual(['outside', 'read']);
    known.close();
  });

  it('SMTP email is signed once the key record is published, also after a rotation of the master key', async () => {
    const zone: Zone = {};
    const dns = await startDnsServer(zone);
    const relay = await relayForTest();
    const [first, second] = [newMasterKey(), newMasterKey()];
    const open = (masterKey: string) =>
      createBeckon({
        db: database.url,
        masterKey,
        clock,
        email: { dnsServers: [dns.address] },
        outbound: { ca: TEST_CA, allowCidrs: ['127.0.0.0/8'], smtp: { allowedPorts: [relay.port] } },
      });
    let beckon = await open(first);
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    const scopeIn = () => beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
    const scope = await scopeIn();
    const signatures = async (): Promise<(string | undefined)[]> => {
      await beckon.email.send(await scopeIn(), { to: 'ann@example.com', subject: 's', text: 't' });
      await beckon.worker.drain();
      return relay.received.map(({ raw }) => /^DKIM-Signature:[\s\S]*?\bd=([^;]+);/m.exec(raw)?.[1]);
    };
    await beckon.settings.update(scope, 'email', { smtp: { ...settingsFor(relay.port), from: 'news@mail.shop.test' } });
    const { id, records } = await beckon.emailDomains.create(scope, { domain: 'shop.test', dkim: true });
    const publish = async (purpose: string): Promise<void> => {
      const record = records.find((one) => one.purpose === purpose);
      zone[record?.name ?? ''] = [chunked(record?.value ?? '')];
      await beckon.emailDomains.verify(scope, id);
    };
    await publish('ownership');
    expect(await signatures()).toEqual([undefined]);
    await publish('dkim');
    expect(await signatures()).toEqual([undefined, 'shop.test']);
    await beckon.close();
    beckon = await open(`${second},${first}`);
    expect(await beckon.secrets.rotateMasterKey()).toMatchObject({ left: 0, unreadable: 0 });
    await beckon.close();
    beckon = await open(second);
    expect(await signatures()).toEqual([undefined, 'shop.test', 'shop.test']);
    const [row] = await database.storage.db.select().from(database.tables.emailDomains);
    expect(JSON.stringify(row)).not.toContain('PRIVATE KEY');
    await beckon.close();
    await dns.stop();
  });
});
