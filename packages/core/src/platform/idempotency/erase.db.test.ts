import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { scopeLike } from '../../../test/support/scopes.ts';
import { TEST } from '../../../test/support/sends/world.ts';
import { createBeckon } from '../../app/create.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { ErasedPerson } from '../erasure/eraser.ts';
import { idempotencyEngine } from './idempotency.ts';

const clock = virtualClock('2026-03-01T12:00:00.000Z');
const OTHER = scopeLike(TEST, { environment: 'prod' });

describe('a stored response', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const engine = () =>
    idempotencyEngine({ storage: database.storage, tables: database.tables, clock, ids: uuidV7Ids(clock) });
  const keys = async () =>
    (await database.storage.db.select().from(database.tables.idempotencyKeys)).map(({ key }) => key).sort();
  /** Stores the response of a request with this key. */
  const kept = (key: string, answer: unknown, scope = TEST) =>
    engine().run(scope, { key, route: 'POST /email/send', bodyHash: 'a'.repeat(64) }, async () => answer);
  const erase = async (person: Partial<ErasedPerson>): Promise<number> => {
    const step = engine().eraser.begin({ scope: TEST, userId: 'ann-17', people: [], addresses: [], ...person });
    let rows = 0;
    for (let isMore = true; isMore; ) {
      const erased = await step();
      rows += erased.rows;
      ({ isMore } = erased);
    }
    return rows;
  };

  it('a stored response with the address of an erased user is deleted, in any case', async () => {
    await kept('answer', { to: 'ann@example.com' });
    await kept('within-a-text', { warnings: ['No mail for Ann@Example.com today.'] });
    await kept('in-an-object', { messages: [{ to: { email: 'ANN@EXAMPLE.COM', name: 'A' } }] });
    await kept('number', { to: '+14155550177' });
    await kept('other', { to: 'bob@example.com', number: '+14155550178' });
    await kept('nothing', null);
    expect(await erase({ addresses: ['Ann@example.com', '+14155550177'] })).toBe(4);
    expect(await keys()).toEqual(['nothing', 'other']);
  });

  it('a stored response whose key contains the address of an erased user is deleted, in any case', async () => {
    for (const key of ['ann@example.com', 'welcome:ANN@example.com:1', 'x+14155550177x', 'bob@example.com'])
      await kept(key, {});
    expect(await erase({ addresses: ['Ann@Example.com', '+14155550177'] })).toBe(3);
    expect(await keys()).toEqual(['bob@example.com']);
  });

  it('a stored response with the id of an erased user is deleted, but not one with a longer id', async () => {
    await kept('user', { userId: 'ann-17' });
    await kept('anonymous', { anonymousId: 'device-9' });
    await kept('longer', { userId: 'ann-170', text: 'ann-17 and others' });
    await kept('welcome:ann-17', {});
    await kept('welcome:ann-170', {});
    await kept('welcome:device-9/2', {});
    expect(await erase({ people: ['u:ann-17', 'a:device-9'] })).toBe(4);
    expect(await keys()).toEqual(['longer', 'welcome:ann-170']);
  });

  it('the mark of a running request whose key identifies an erased user is deleted', async () => {
    const { run } = engine();
    const request = { key: 'ann@example.com', route: 'POST /email/send', bodyHash: 'a'.repeat(64) };
    await run(TEST, request, async (once) => {
      expect(await erase({ addresses: ['ann@example.com'] })).toBe(1);
      const { ok } = await database.storage.commit({ writes: once.writes({ to: 'ann@example.com' }, clock.now()) });
      expect(ok).toBe(false);
    });
    expect(await keys()).toEqual([]);
  });

  it('a stored response in another environment is kept', async () => {
    await kept('prod', { to: 'ann@example.com' }, OTHER);
    await kept('here', { to: 'ann@example.com' });
    expect(await erase({ addresses: ['ann@example.com'] })).toBe(1);
    expect(await keys()).toEqual(['prod']);
  });

  it('a stored response of an erased user is found among thousands, also in escaped form', async () => {
    const { idempotencyKeys } = database.tables;
    const row = (at: number, answer: unknown) => ({
      ...{ scopeId: TEST.scopeId, route: `POST /${at % 3}`, key: `k-${String(at).padStart(4, '0')}` },
      ...{
        bodyHash: 'a',
        holder: 'h',
        expiresAt: new Date(clock.now().getTime() + 1_000),
        answer: JSON.stringify(answer),
      },
    });
    const odd = 'o"brien\\@example.com';
    const rows = Array.from({ length: 1_201 }, (_, at) => row(at, { to: at % 400 === 0 ? odd : 'bob@example.com' }));
    for (let from = 0; from < rows.length; from += 200)
      await database.storage.db.insert(idempotencyKeys).values(rows.slice(from, from + 200));
    expect(await erase({ addresses: [odd] })).toBe(4);
    expect(await keys()).toHaveLength(1_197);
    expect(await erase({ addresses: [odd] })).toBe(0);
  });
});

describe('a stored response of an erased user', () => {
  it('no stored response contains the address of an erased user, in any spelling', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'beckon-kept-'));
    const database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, clock });
    const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    try {
      const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
      const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
      const scope = await beckon.tenancy.scope({ orgId, projectId, environment: 'test' });
      await beckon.events.identify(scope, { userId: 'plain', traits: { email: 'Zebra7319@Bücher.example' } });
      const mail = { subject: 's', text: 't' };
      // A dry run returns what would be sent, including the address.
      const dry = { ...mail, dryRun: true };
      await beckon.email.send(scope, { ...dry, userIds: ['plain'] }, { idempotencyKey: 'order-1' });
      await beckon.email.send(scope, { ...dry, to: 'ZEBRA7319@bücher.example' }, { idempotencyKey: 'order-2' });
      await beckon.email.send(scope, { ...mail, userIds: ['plain'] }, { idempotencyKey: 'zebra7319@bücher.example' });
      await beckon.email.send(scope, { ...mail, to: 'bob@example.com' }, { idempotencyKey: 'order-3' });
      const rows = async () => database.storage.db.select().from(database.tables.idempotencyKeys);
      expect((await rows()).filter(({ answer }) => /zebra7319/i.test(answer ?? '')).length).toBeGreaterThan(0);
      await beckon.profiles.erase(scope, 'plain');
      await beckon.worker.drain();
      expect((await rows()).map(({ key }) => key)).toEqual(['order-3']);
    } finally {
      await beckon.close();
      await database.close();
      rmSync(folder, { recursive: true });
    }
  });
});
