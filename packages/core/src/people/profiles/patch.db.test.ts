import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import { unchecked } from '../../../test/support/unchecked.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { write } from '../../database/commit/write-set.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import { profilesEngine } from './profiles.ts';

const start = '2026-03-01T10:00:00.000Z';

describe('updating a profile', () => {
  const clock = virtualClock(start);
  const statements: string[] = [];
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let prod: Scope;
  beforeAll(async () => {
    database = await openTestDatabase();
    beckon = await createBeckon(
      { db: database.url, masterKey: newMasterKey(), clock },
      { observer: { statement: (id) => statements.push(id) } },
    );
  });
  beforeEach(async () => {
    clock.set(start);
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
    prod = await beckon.tenancy.scope({ orgId, projectId, environment: 'prod' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'free', city: 'Ghent' } });
  });
  afterAll(async () => {
    await beckon.close();
    await database.close();
  });
  const patch = (input: unknown, userId = 'ann') => beckon.profiles.update(scope, userId, unchecked(input));
  const ann = () => beckon.profiles.get(scope, 'ann');
  const opened = (context: Readonly<Record<string, unknown>>) =>
    beckon.events.track(scope, { module: 'app', eventType: 'opened', userId: 'ann', context });

  it('an update is stored and the updated profile is returned', async () => {
    const said = { email: 'Ann@EXAMPLE.com', phone: '+14155550100', locale: 'nl-BE', timezone: 'Europe/Brussels' };
    const answer = await patch({ ...said, traits: { plan: 'pro', city: null, age: 3 } });
    expect(answer).toMatchObject({ ...said, email: 'Ann@example.com', userId: 'ann', traits: { plan: 'pro', age: 3 } });
    const { tokens, audiences: _, ...read } = await ann();
    expect(tokens).toEqual([]);
    expect(answer).toEqual(read);
  });

  it('omitted fields keep their values and null removes a value', async () => {
    await patch({ email: 'ann@example.com', phone: '+14155550100', locale: 'nl', timezone: 'Europe/Brussels' });
    expect(await patch({ phone: null, locale: null })).toMatchObject({
      ...{ email: 'ann@example.com', phone: null, locale: null, timezone: 'Europe/Brussels' },
      traits: { plan: 'free', city: 'Ghent' },
    });
    expect(await patch({})).toMatchObject({ email: 'ann@example.com' });
  });

  it('locale and time zone of an update override later events until removed', async () => {
    await opened({ locale: 'en', timezone: 'Europe/London' });
    expect(await patch({ locale: 'nl', timezone: 'Europe/Brussels' })).toMatchObject({ locale: 'nl' });
    await opened({ locale: 'fr', timezone: 'Europe/Paris' });
    expect(await ann()).toMatchObject({ locale: 'nl', timezone: 'Europe/Brussels' });
    expect(await patch({ locale: null, timezone: null })).toMatchObject({ locale: 'fr', timezone: 'Europe/Paris' });
  });

  it('email and phone of an update are used for delivery and templates before traits', async () => {
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'trait@example.com' } });
    await patch({ email: 'ann@example.com', locale: 'nl', timezone: 'Europe/Brussels' });
    const text = '{{user.email}} {{user.locale}} {{user.timezone}}';
    await beckon.email.send(scope, { userIds: ['ann'], subject: 's', text });
    await beckon.worker.drain();
    const [mail] = (await beckon.outbox.list(scope, { channel: 'email' })).data;
    expect(mail).toMatchObject({ address: 'ann@example.com' });
    expect(JSON.stringify(mail)).toContain('ann@example.com nl Europe/Brussels');
  });

  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ email: 'A <a@example.com>' }, 'email'],
    [{ email: '' }, 'email'],
    [{ phone: '0470 12 34 56' }, 'phone'],
    [{ locale: '' }, 'locale'],
    [{ locale: 'x'.repeat(65) }, 'locale'],
    [{ locale: 'a\0b' }, 'locale'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ traits: [] }, 'traits'],
    [{ traits: null }, 'traits'],
    [{ traits: { '': 1 } }, 'traits'],
    [{ traits: { ['x'.repeat(129)]: 1 } }, 'traits'],
    [{ traits: { ['a\0']: 1 } }, 'traits.a\ufffd'],
    [{ userId: 'bob' }, 'userId'],
    [[], 'body'],
    [null, 'body'],
  ])('an invalid update is rejected: %j', async (input, field) => {
    await expect(patch(input)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { fieldErrors: { [field]: [expect.any(String)] } },
    });
    expect((await ann()).traits).toEqual({ plan: 'free', city: 'Ghent' });
  });

  it('concurrent updates are applied one after the other', async () => {
    const answers = await Promise.all(
      [{ a: 1 }, { a: 2, b: 1 }, { b: null }].map((traits) => beckon.profiles.update(scope, 'ann', { traits })),
    );
    const before = { plan: 'free', city: 'Ghent' };
    expect(answers.map(({ traits }) => traits)).toEqual([
      { ...before, a: 1 },
      { ...before, a: 2, b: 1 },
      { ...before, a: 2 },
    ]);
    expect((await ann()).traits).toEqual({ ...before, a: 2 });
  });

  it('an update without changes writes nothing', async () => {
    await patch({ locale: 'nl', traits: { plan: 'pro' } });
    statements.splice(0);
    await patch({ locale: 'nl', traits: { plan: 'pro', missing: null } });
    expect(statements).not.toContain('profiles.patch');
    await patch({ locale: 'fr' });
    expect(statements).toContain('profiles.patch');
  });

  it('an update of a user unknown in this environment is NOT_FOUND', async () => {
    for (const [where, userId] of [
      [scope, 'nobody'],
      [prod, 'ann'],
    ] as const)
      await expect(beckon.profiles.update(where, userId, { locale: 'nl' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('profile of this userId'),
      });
  });

  it('traits of an update that exceed the bounds mark the profile as truncated', async () => {
    const long = 'x'.repeat(60_000);
    expect(await patch({ traits: { long } })).not.toHaveProperty('_truncated');
    expect(await patch({ traits: { longer: long, last: 1 } })).toMatchObject({
      ...{ _truncated: true, traits: { plan: 'free', long, last: 1 } },
    });
    expect((await ann()).traits).not.toHaveProperty('longer');
    expect(await patch({ traits: { last: 2 } })).toMatchObject({ _truncated: true });
  });

  it('an update normalizes text and ignores the truncation mark', async () => {
    expect((await patch({ traits: { a: 'x\0y\ud800', _truncated: true } })).traits).toEqual({
      ...{ plan: 'free', city: 'Ghent', a: 'x\ufffdy\ufffd' },
    });
  });

  it('an update is planned again when another process changed the user meanwhile', async () => {
    // A database without tenancy, so its scope numbers differ from those of a test.
    const own = await openTestDatabase();
    const { storage, tables } = own;
    const here = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });
    const rest = { isTruncated: false, locale: null, timezone: null, version: 1, createdAt: clock.now() };
    const { hot } = profilesEngine({ storage, tables });
    const row = { scopeId: here.scopeId, person: 'u:ann', traits: { plan: 'free' }, ...rest, lastSeenAt: clock.now() };
    await storage.commit({ writes: [write(hot.insert, row)] });
    const over = (one: Storage) =>
      profilesEngine({ storage: one, tables }).writes({
        ...{ clock, downstream: [], addresses: { email: () => null, phone: () => null } },
      });
    let isFirst = true;
    const commit: Storage['commit'] = async (plan) => {
      if (isFirst) {
        isFirst = false;
        await over(storage).update(here, 'ann', { traits: { plan: 'pro' } });
      }
      return storage.commit(plan);
    };
    const { traits } = await over({ ...storage, commit }).update(here, 'ann', { traits: { age: 3 } });
    expect(traits).toEqual({ plan: 'pro', age: 3 });
    await own.close();
  });

  it('concurrent updates and events lose no change', async () => {
    const calls = Array.from({ length: 12 }, (_, at) => [
      beckon.events.identify(scope, { userId: 'ann', traits: { [`i${at}`]: at } }),
      beckon.profiles.update(scope, 'ann', { traits: { [`p${at}`]: at } }),
    ]);
    await Promise.all(calls.flat());
    expect(Object.keys((await ann()).traits)).toHaveLength(2 + 24);
  });
});
