import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { recordReads } from '../../../test/support/outside-reads.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import { orgZoneReader, settingsReader } from './reader.ts';
import { type OnOrgZone, settingsApi } from './settings.ts';
import { settingsStore } from './store.ts';

const PROD = testScope({ orgId: 'org-a', projectId: 'app', environment: 'prod' });
const OTHER = testScope({ orgId: 'org-b', projectId: 'app', environment: 'prod' });
const rule = { channel: 'all', max: 3, per: { n: 1, unit: 'day' } } as const;

describe('settings', () => {
  let database: TestDatabase;
  let clock: VirtualClock;
  beforeEach(async () => {
    clock = virtualClock('2026-03-01T12:00:00.000Z');
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  /** A process whose providers reject unknown keys. */
  const engine = (onOrgZone?: OnOrgZone) => {
    const { storage, tables } = database;
    const reader = settingsReader({ storage, tables, clock });
    const api = settingsApi({
      onOrgZone,
      storage,
      tables,
      clock,
      reader,
      providers: {
        get: async () => ({}) as never,
        put: async (_, __, body) => {
          if (Object.keys(body as object).length > 0) throw new Error(`unknown: ${JSON.stringify(body)}`);
          return {} as never;
        },
        test: async () => ({ results: [] }),
      },
    });
    return { api, load: reader.load, close: reader.close };
  };

  it('settings have defaults', async () => {
    const { api } = engine();
    expect(await api.get(PROD, 'email')).toEqual({
      orgDefaultTimezone: null,
      frequencyCap: { enabled: false, rules: [] },
      addressFromTraits: true,
      quietHours: {
        enabled: false,
        start: '22:00',
        end: '08:00',
        days: [],
        behavior: 'defer',
        maxDeferMinutes: 1440,
        exemptClasses: ['transactional'],
      },
      tracking: { opens: false, clicks: false },
      providers: [],
      bounceDomain: null,
    });
    expect(await api.get(PROD, 'sms')).not.toHaveProperty('tracking');
  });

  it('settings are merged by key, shared ones are shown by every channel, and tenants are separate', async () => {
    const { api } = engine();
    await api.update(PROD, 'push', { orgDefaultTimezone: 'Europe/Paris', quietHours: { enabled: true } });
    await api.update(PROD, 'sms', { frequencyCap: { enabled: true, rules: [rule] } });
    const shown = { orgDefaultTimezone: 'Europe/Paris', frequencyCap: { rules: [{ ...rule, class: 'marketing' }] } };
    expect(await api.get(PROD, 'push')).toMatchObject({ ...shown, quietHours: { enabled: true, start: '22:00' } });
    expect(await api.get(PROD, 'email')).toMatchObject({ ...shown, quietHours: { enabled: false } });
    await api.update(PROD, 'email', { orgDefaultTimezone: null });
    expect(await api.get(PROD, 'push')).toMatchObject({ orgDefaultTimezone: null, quietHours: { enabled: true } });
    expect(await api.get(OTHER, 'push')).toMatchObject({ frequencyCap: { rules: [] }, quietHours: { enabled: false } });
  });

  it.each([
    ['an unknown time zone', { orgDefaultTimezone: 'Mars/Base' }, 'orgDefaultTimezone'],
    ['an impossible time', { quietHours: { start: '24:00' } }, 'quietHours.start'],
    ['an unknown day', { quietHours: { days: ['friday'] } }, 'quietHours.days.0'],
    ['an unknown key', { quietHours: { from: '22:00' } }, 'quietHours.from'],
    [
      'a window of years',
      { frequencyCap: { rules: [{ ...rule, per: { n: 20, unit: 'week' } }] } },
      'frequencyCap.rules.0.per',
    ],
    ['a cap of none', { frequencyCap: { rules: [{ ...rule, max: 0 }] } }, 'frequencyCap.rules.0.max'],
  ])('%s is rejected by field name', async (_, body, field) => {
    const { api } = engine();
    await expect(api.update(PROD, 'push', body as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { [field]: expect.anything() } },
    });
  });

  it('the bounce domain is stored in canonical form, and an invalid one is rejected', async () => {
    const { api } = engine();
    await api.update(PROD, 'email', { bounceDomain: 'Bounces.Exämple.com' });
    expect(await api.get(PROD, 'email')).toMatchObject({ bounceDomain: 'bounces.xn--exmple-cua.com' });
    await expect(api.update(PROD, 'email', { bounceDomain: 'a@b.com' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await api.update(PROD, 'email', { bounceDomain: null });
    expect(await api.get(PROD, 'email')).toMatchObject({ bounceDomain: null });
  });

  it('a change without providers keeps their order', async () => {
    const { api } = engine();
    await api.update(PROD, 'email', { providers: ['ses', 'smtp'] });
    await api.update(PROD, 'sms', { providers: ['telnyx'] });
    await api.update(PROD, 'email', { tracking: { opens: true } });
    await api.update(PROD, 'sms', {});
    expect(await api.get(PROD, 'email')).toMatchObject({ providers: ['ses', 'smtp'], tracking: { opens: true } });
    expect(await api.get(PROD, 'sms')).toMatchObject({ providers: ['telnyx'] });
    await api.update(PROD, 'email', { providers: null });
    expect(await api.get(PROD, 'email')).toMatchObject({ providers: [] });
  });

  it('a body whose provider settings are rejected writes nothing', async () => {
    const { api } = engine();
    await expect(
      api.update(PROD, 'push', { orgDefaultTimezone: 'Europe/Paris', nobody: {} } as never),
    ).rejects.toThrow();
    expect(await api.get(PROD, 'push')).toMatchObject({ orgDefaultTimezone: null });
  });

  it('a new time zone calls its hook once in the transaction that stores it, and once after the commit', async () => {
    const { storage, tables } = database;
    const zoneNow = async (db = storage.db) => settingsStore({ db, tables }).get(PROD, 'orgDefaultTimezone');
    const seen: unknown[] = [];
    const { api } = engine(async (scope, db) => {
      seen.push([scope.scopeId, 'inside', await zoneNow(db)]);
      return () => seen.push('after');
    });
    const changes = [
      ...[{ orgDefaultTimezone: null }, { addressFromTraits: false }, { orgDefaultTimezone: 'Europe/Paris' }],
      ...[{ orgDefaultTimezone: 'Europe/Paris' }, { orgDefaultTimezone: undefined }, { orgDefaultTimezone: null }],
    ];
    for (const body of changes) await api.update(PROD, 'push', body);
    const { scopeId } = PROD;
    expect(seen).toEqual([[scopeId, 'inside', 'Europe/Paris'], 'after', [scopeId, 'inside', null], 'after']);
  });

  it('a time zone is not stored if its hook fails', async () => {
    const { api } = engine(async () => {
      throw new Error('no');
    });
    await expect(api.update(PROD, 'push', { orgDefaultTimezone: 'Europe/Paris' })).rejects.toThrow('no');
    expect(await api.get(PROD, 'push')).toMatchObject({ orgDefaultTimezone: null });
  });

  it('orgZoneReader reads stored zones without a cache', async () => {
    const { api } = engine();
    const zoneOf = orgZoneReader(database);
    await api.update(PROD, 'push', { orgDefaultTimezone: 'Europe/Paris' });
    const zones = await zoneOf([PROD, OTHER]);
    expect([zones(PROD), zones(OTHER)]).toEqual(['Europe/Paris', null]);
    await api.update(PROD, 'push', { orgDefaultTimezone: 'Asia/Tokyo' });
    expect((await zoneOf([PROD]))(PROD)).toBe('Asia/Tokyo');
  });

  it('a change applies at once in its process and within 10 s in others', async () => {
    const [here, there] = [engine(), engine()];
    expect((await there.load([PROD]))(PROD).orgDefaultTimezone).toBeNull();
    await here.load([PROD]);
    await here.api.update(PROD, 'push', { orgDefaultTimezone: 'Europe/Paris' });
    expect((await here.load([PROD]))(PROD).orgDefaultTimezone).toBe('Europe/Paris');
    clock.advance(10_000);
    expect((await there.load([PROD]))(PROD).orgDefaultTimezone).toBe('Europe/Paris');
  });

  it("settings are read outside the host's transaction, because all calls share the cache", async () => {
    const { storage, calls } = recordReads(database.storage);
    const reader = settingsReader({ storage, tables: database.tables, clock });
    await reader.load([PROD]);
    expect(calls).toEqual(['outside', 'read']);
    reader.close();
  });
});
