import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { recordReads } from '../../../test/support/outside-reads.ts';
import { nameOfScope, scopeLike, testScope, testScopes } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Storage } from '../../database/storage.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import { newMasterKey, parseMasterKeys } from '../../foundation/secrets.ts';
import { openKeyring } from '../../platform/tenancy/keyring.ts';
import { credentialsEngine } from './credentials.ts';
import { providerDefinitions } from './definitions.ts';
import type { OutboundOptions } from './outbound.ts';

const PROD = testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' });
const PASSWORD = 'canary-password-7f3c';
const smtp = { host: 'relay.example.com', port: 587, user: 'mailer', password: PASSWORD, from: 'news@acme.test' };
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const apns = { keyId: 'ABCDE12345', teamId: 'TEAM123456', key: String(key), topic: 'com.acme.app' };
const log = silentLog;

describe('credentials of providers', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  const masterKeys = parseMasterKeys(newMasterKey());
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const process = async (storage: Storage = database.storage, outbound: OutboundOptions = {}) => {
    const { tables } = database;
    const secrets = await openKeyring({ storage, tables, clock, masterKeys });
    const definitions = providerDefinitions({
      clock,
      random: () => 0.5,
      log,
      hasSeveralOrgs: async () => false,
      outbound,
    });
    return credentialsEngine({ storage, tables, clock, keyring: secrets, definitions, scopes: testScopes, log });
  };
  const MAIL = { ...PROD, channel: 'email' } as const;

  it('credentials are written and never read back', async () => {
    const { settings } = await process();
    const others = Object.fromEntries(
      ['ses', 'sendgrid', 'postmark', 'mailgun', 'resend'].map((provider) => [
        provider,
        { provider, configured: false, lastFour: null, verifiedAt: null, updatedAt: null, version: null },
      ]),
    );
    expect(await settings.get(PROD, 'email')).toEqual({
      ...others,
      smtp: { provider: 'smtp', configured: false, lastFour: null, verifiedAt: null, updatedAt: null, version: null },
    });
    const written = await settings.put(PROD, 'email', { smtp });
    expect(written).toEqual({
      ...others,
      smtp: {
        provider: 'smtp',
        configured: true,
        lastFour: 'iler',
        verifiedAt: null,
        updatedAt: clock.now(),
        version: 1,
      },
    });
    expect(await settings.get(PROD, 'email')).toEqual(written);
    expect(JSON.stringify(written)).not.toContain(PASSWORD);
    const rows = await database.storage.db.select().from(database.tables.credentials);
    expect(JSON.stringify(rows)).not.toContain(PASSWORD);
  });

  it('a change of credentials is merged by provider, and null removes one', async () => {
    const { settings, source } = await process();
    await settings.put(PROD, 'push', { apns });
    const of = async () => (await source.load([{ ...PROD, channel: 'push' }]))({ ...PROD, channel: 'push' });
    expect(await of()).toEqual([{ provider: 'apns', version: 1 }]);
    await settings.put(PROD, 'push', {});
    expect(await of()).toEqual([{ provider: 'apns', version: 1 }]);
    await settings.put(PROD, 'push', { apns: null });
    expect(await of()).toEqual([]);
    expect(await settings.put(PROD, 'push', { apns })).toMatchObject({ apns: { configured: true, version: 3 } });
  });

  it('one wrong provider refuses the whole change, and no message repeats a value', async () => {
    const { settings } = await process();
    const fields = async (channel: 'push' | 'email' | 'sms', body: unknown): Promise<string[]> => {
      const error = await settings.put(PROD, channel, unchecked(body)).catch((thrown: unknown) => thrown);
      expect(JSON.stringify(error)).not.toContain('canary');
      // Proof of the cast: a refused body is a VALIDATION_ERROR with fieldErrors.
      return Object.keys((error as { details: { fieldErrors: object } }).details.fieldErrors);
    };
    expect(await fields('email', { smtp: { ...smtp, port: 'canary' } })).toEqual(['smtp.port']);
    expect(await fields('email', { smtp: { ...smtp, colour: 'canary' } })).toEqual(['smtp.colour']);
    expect(await fields('email', { sendmail: {} })).toEqual(['sendmail']);
    expect(await fields('email', { smtp: { ...smtp, host: '127.0.0.1' } })).toEqual(['smtp.host']);
    expect(
      await fields('push', { apns, webpush: { publicKey: 'canary', privateKey: 'canary', subject: 'x' } }),
    ).toEqual(['webpush.publicKey', 'webpush.privateKey', 'webpush.subject']);
    expect(await fields('sms', { twilio: { accountSid: 'AC', authToken: 'canary' } })).toEqual(['twilio.accountSid']);
    expect(await fields('email', null)).toEqual(['body']);
    expect(await database.storage.db.select().from(database.tables.credentials)).toEqual([]);
  });

  it('SMTP without TLS is accepted only for an allowed host, and a login only on this machine', async () => {
    const put = async (allowCidrs: readonly string[], fields: object): Promise<unknown> => {
      const { settings } = await process(database.storage, { allowCidrs });
      const clear = { host: '127.0.0.1', port: 1025, tls: 'none', from: 'news@acme.test' };
      return settings.put(PROD, 'email', { smtp: { ...clear, ...fields } });
    };
    const login = { user: 'mailer', password: PASSWORD };
    const isRefused = { code: 'VALIDATION_ERROR', details: { fieldErrors: { 'smtp.host': expect.anything() } } };
    await expect(put([], {})).rejects.toMatchObject(isRefused);
    await expect(put(['127.0.0.0/8'], { host: '192.0.1.1' })).rejects.toMatchObject(isRefused);
    await expect(put(['10.0.0.0/8'], { host: '10.0.0.1', ...login })).rejects.toMatchObject(isRefused);
    for (const fields of [{}, login, { host: 'localhost' }])
      expect(await put(['127.0.0.0/8'], fields)).toMatchObject({ smtp: { configured: true } });
    expect(await put(['10.0.0.0/8'], { host: '10.0.0.1' })).toMatchObject({ smtp: { configured: true } });
  });

  it('credentials belong to one environment of one project', async () => {
    const { settings, source } = await process();
    await settings.put(PROD, 'email', { smtp });
    for (const scope of [
      scopeLike(PROD, { orgId: 'b' }),
      scopeLike(PROD, { projectId: 'b' }),
      scopeLike(PROD, { environment: 'test' }),
    ]) {
      expect((await settings.get(scope, 'email'))['smtp']).toMatchObject({ configured: false });
      expect((await source.load([{ ...scope, channel: 'email' }]))({ ...scope, channel: 'email' })).toEqual([]);
    }
  });

  it('sealed credentials do not open in another row', async () => {
    const { settings, source } = await process();
    await settings.put(PROD, 'email', { smtp });
    const { db } = database.storage;
    const thief = scopeLike(PROD, { projectId: 'thief' });
    const [row] = await db.select().from(database.tables.credentials);
    if (row) await db.insert(database.tables.credentials).values({ ...row, scopeId: thief.scopeId });
    const { transport } = await source.open({ ...thief, channel: 'email' }, { provider: 'smtp', version: 1 });
    const signal = new AbortController().signal;
    // Proof of the cast: this transport refuses every message.
    expect(await transport.send({} as never, { signal, attempt: 1 })).toMatchObject({
      result: 'credential',
      code: 'credential_unreadable',
    });
  });

  it('changed credentials are seen at once in this process and within ten seconds in another', async () => {
    const one = await process();
    const other = await process();
    const version = async ({ source }: typeof one) => (await source.load([MAIL]))(MAIL)[0]?.version;
    await one.settings.put(PROD, 'email', { smtp });
    expect([await version(one), await version(other)]).toEqual([1, 1]);
    // The signal is lost.
    other.close();
    const changed: string[] = [];
    one.onChange((scope, channel) => changed.push(`${nameOfScope(scope)}/${channel}`));
    await one.settings.put(PROD, 'email', { smtp: { ...smtp, port: 465, secure: true } });
    expect(changed).toEqual(['org-a/app/prod/email']);
    expect(await version(one)).toBe(2);
    clock.advance(10_000);
    expect(await version(other)).toBe(2);
    one.close();
  });

  it('credentials are read again after a write whose answer was lost', async () => {
    const { storage } = database;
    const { settings, source } = await process({
      ...storage,
      transaction: async (work) => {
        await storage.transaction(work);
        throw new Error('the connection is gone');
      },
    });
    expect((await source.load([MAIL]))(MAIL)).toEqual([]);
    await expect(settings.put(PROD, 'email', { smtp })).rejects.toThrow('the connection is gone');
    expect((await source.load([MAIL]))(MAIL)).toEqual([{ provider: 'smtp', version: 1 }]);
  });

  it('one statement reads the credentials of any number of channels, and the result is cached', async () => {
    let reads = 0;
    const observed = await openTestDatabase({
      clock,
      observer: {
        statement: (id) => {
          if (id === 'credentials.configured') reads += 1;
        },
      },
    });
    const { storage, tables } = observed;
    const secrets = await openKeyring({ storage, tables, clock, masterKeys });
    const definitions = providerDefinitions({ clock, random: () => 0.5, log, hasSeveralOrgs: async () => false });
    const { source, close } = credentialsEngine({
      storage,
      tables,
      clock,
      keyring: secrets,
      definitions,
      scopes: testScopes,
      log,
    });
    const keys = Array.from({ length: 50 }, (_, at) => ({
      ...scopeLike(PROD, { projectId: `p${at}` }),
      channel: 'email' as const,
    }));
    await source.load(keys);
    await source.load(keys);
    expect(reads).toBe(1);
    await source.load(keys, ({ scopeId }) => scopeId === keys[7]?.scopeId);
    expect(reads).toBe(2);
    close();
    await observed.close();
  });

  it("credentials are read outside the host's transaction, because all calls of a process share the cache", async () => {
    const { storage, calls } = recordReads(database.storage);
    const { source, close } = await process(storage);
    await source.load([MAIL]);
    expect(calls).toEqual(['outside', 'read']);
    close();
  });

  it('circuit state and proof are stored only for their own version of the credentials', async () => {
    const { settings, source } = await process();
    await settings.put(PROD, 'email', { smtp });
    const one = { provider: 'smtp', version: 1 } as const;
    const until = new Date(clock.now().getTime() + 60_000);
    await source.noteCircuit(MAIL, one, { until, code: 'auth' });
    await source.noteProven(MAIL, one);
    expect(await source.circuits(MAIL)).toEqual([{ provider: 'smtp', until, code: 'auth' }]);
    expect((await settings.get(PROD, 'email'))['smtp']).toMatchObject({ verifiedAt: clock.now() });
    await settings.put(PROD, 'email', { smtp });
    expect(await source.circuits(MAIL)).toEqual([]);
    await source.noteCircuit(MAIL, one, { until, code: 'late' });
    await source.noteProven(MAIL, one);
    expect(await source.circuits(MAIL)).toEqual([]);
    expect((await settings.get(PROD, 'email'))['smtp']).toMatchObject({ verifiedAt: null, version: 2 });
  });

  it('a test in the environment test is proven by the sandbox, and one without credentials names what is missing', async () => {
    const { settings } = await process();
    expect(await settings.test(scopeLike(PROD, { environment: 'test' }), 'push')).toEqual({
      results: [{ provider: 'sandbox', ok: true, code: null, message: null }],
    });
    await expect(settings.test(PROD, 'push')).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      details: { channel: 'push', missing: ['apns', 'fcm', 'webpush'] },
    });
  });

  it('a browser gets the VAPID public key and nothing else', async () => {
    const credentials = await process();
    expect(await credentials.vapidPublicKey(PROD)).toBeNull();
    const { generateVapidKeys } = await import('../transports/web-push/settings.ts');
    const keys = await generateVapidKeys();
    await credentials.settings.put(PROD, 'push', { webpush: { ...keys, subject: 'mailto:ops@acme.test' } });
    expect(await credentials.vapidPublicKey(PROD)).toBe(keys.publicKey);
  });

  it('required settings are listed by provider', async () => {
    const { source } = await process();
    expect(source.required('apns')).toEqual(['keyId', 'teamId', 'key', 'topic']);
    expect(source.required('smtp')).toEqual(['host', 'port', 'from']);
    expect(source.required('twilio')).toEqual(['accountSid', 'authToken']);
  });
});

describe('the provider token that workers share', () => {
  it('the shared provider token is sealed, and two workers that create one at once use the same', async () => {
    const clock = virtualClock('2026-03-01T12:00:00.000Z');
    const database = await openTestDatabase({ clock });
    const { storage, tables } = database;
    const secrets = await openKeyring({ storage, tables, clock, masterKeys: parseMasterKeys(newMasterKey()) });
    const { credentialStore } = await import('./store.ts');
    const { sealedProviderToken } = await import('./shared-token.ts');
    const store = credentialStore({ db: storage.db, tables });
    const own = { ...PROD, channel: 'push', provider: 'apns' } as const;
    await store.put(own, { sealed: 'x', lastFour: null, updatedAt: clock.now() });
    const place = { ...PROD, table: 'credentials', column: 'sharedToken', rowId: 'push/apns' };
    const slots = [1, 2].map(() => sealedProviderToken({ store, secrets, key: own, version: 1, place }));
    const made = await Promise.all(
      slots.map((sharedToken, at) => sharedToken.replace(null, { jwt: `canary-${at}`, issuedAtSeconds: 1_000 + at })),
    );
    expect(made[0]).toEqual(made[1]);
    expect(await slots[1]?.read()).toEqual(made[0]);
    expect(JSON.stringify(await storage.db.select().from(tables.credentials))).not.toContain('canary');
    const was = made[0]?.issuedAtSeconds ?? 0;
    expect(await slots[0]?.replace(was, { jwt: 'next', issuedAtSeconds: 9_000 })).toEqual({
      jwt: 'next',
      issuedAtSeconds: 9_000,
    });
    expect(await slots[1]?.replace(was, { jwt: 'late', issuedAtSeconds: 9_001 })).toMatchObject({ jwt: 'next' });
    await database.close();
  });
});
