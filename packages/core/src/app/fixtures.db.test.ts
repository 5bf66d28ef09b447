import { count, getTableName, type Table } from 'drizzle-orm';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { newPlace, type Place } from '../../test/support/database/open-sample.ts';
import { execute, fixtureBytes, fixtureFacts, fixtureNames, loadFixture } from '../../test/support/fixtures/files.ts';
import { FIXTURE_MASTER_KEY, FIXTURE_NOW, FIXTURE_USER } from '../../test/support/fixtures/fill.ts';
import { changedMigrations, digestsOf } from '../../test/support/fixtures/frozen.ts';
import { openDatabase } from '../database/open.ts';
import { virtualClock } from '../foundation/clock.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create-beckon.ts';
import { tablesOf } from './tables.ts';

const FUTURE = "insert into beckon_migrations (name, checksum, applied_at, version) values ('9999_future', 'x', ";

describe('released migrations', () => {
  it('released migrations are unchanged', () => {
    expect(
      changedMigrations(),
      'A released migration has changed. Databases in use were made with it, so restore the file and write a new ' +
        'migration (CONTRIBUTING, "A table or a column").',
    ).toEqual([]);
    expect(Object.keys(digestsOf())).toEqual(expect.arrayContaining(['sqlite/0000_first', 'postgres/0000_first']));
  });

  it('the digest check reports changed and missing migrations', () => {
    const frozen = { 'sqlite/0000_first': 'a', 'sqlite/0001_more': 'b', 'sqlite/0002_rest': 'c' };
    const now = { 'sqlite/0000_first': 'a', 'sqlite/0001_more': 'changed', 'sqlite/0003_new': 'd' };
    expect(changedMigrations(now, frozen)).toEqual(['sqlite/0001_more', 'sqlite/0002_rest']);
  });
});

describe('the fixture databases', () => {
  it('the fixture databases take less than 300 KB', () => {
    expect(fixtureNames()).toContain('0000');
    expect(fixtureBytes()).toBeLessThan(300_000);
  });

  describe.each(fixtureNames())('of release %s', (name) => {
    const engine = inject('engine');
    const facts = fixtureFacts(name, engine);
    let place: Place | undefined;
    let beckon: Beckon | undefined;

    const load = async (): Promise<string> => {
      place = await newPlace();
      await loadFixture(name, engine, place.url);
      return place.url;
    };
    const serve = async (url: string): Promise<Beckon> => {
      const clock = virtualClock(FIXTURE_NOW);
      clock.advance(60_000);
      const email = { dnsServers: ['127.0.0.1:1'] };
      beckon = await createBeckon({ db: url, masterKey: FIXTURE_MASTER_KEY, clock, email });
      return beckon;
    };
    afterEach(async () => {
      await beckon?.close();
      await place?.remove();
      [beckon, place] = [undefined, undefined];
    });

    it('a migrated fixture has a row in every table of its release', async () => {
      const database = await openDatabase({ url: await load() });
      try {
        const before = await database.state();
        expect(await database.migrate()).toEqual(before.pending);
        expect(await database.state()).toMatchObject({ pending: [], isNewer: false });
        for (const table of Object.values<Table>(tablesOf(engine))) {
          const [row] = await database.storage.db.select({ rows: count() }).from(table);
          const of = getTableName(table);
          if (of in facts.rows) expect(row?.rows, of).toBe(facts.rows[of]);
        }
      } finally {
        await database.storage.close();
      }
    });

    it('a migrated fixture serves its profiles, events, sends, runs and webhooks', async () => {
      const { ids, profile, eventTypes } = facts;
      const service = await serve(await load());
      const scope = await service.tenancy.scope(facts.scope);
      expect(JSON.parse(JSON.stringify(await service.profiles.get(scope, FIXTURE_USER)))).toMatchObject(profile);
      expect(await service.profiles.get(scope, ids.secondUser)).toMatchObject({ userId: ids.secondUser });
      const events = (await service.profiles.events(scope, FIXTURE_USER)).data;
      expect(events.map(({ eventType }) => eventType).toSorted()).toEqual(eventTypes);
      expect(await service.sends.get(scope, 'push', ids.send)).toMatchObject({ id: ids.send, counts: { sent: 1 } });
      expect(await service.runs.get(scope, ids.run)).toMatchObject({ id: ids.run, status: 'waiting' });
      expect(await service.webhooks.get(scope, ids.webhook)).toMatchObject({ id: ids.webhook, isActive: true });
      expect(await service.audiences.get(scope, ids.audience)).toMatchObject({ memberCount: 1 });
    });

    it('a migrated fixture accepts events and sends a message', async () => {
      const service = await serve(await load());
      const scope = await service.tenancy.scope(facts.scope);
      const before = (await service.outbox.list(scope)).data.length;
      // The message id of this event was used before.
      const again = { module: 'shop', eventType: 'paid', userId: FIXTURE_USER, messageId: 'm-paid' };
      await expect(service.events.track(scope, again)).rejects.toMatchObject({ code: 'CONFLICT' });
      await service.events.track(scope, { module: 'shop', eventType: 'returned', userId: FIXTURE_USER });
      await service.email.send(scope, { userIds: [FIXTURE_USER], subject: 'Still here', text: 't' });
      await service.worker.drain();
      const outbox = (await service.outbox.list(scope)).data;
      expect(outbox).toHaveLength(before + 1);
      expect(outbox.map(({ content }) => content)).toContainEqual(expect.objectContaining({ subject: 'Still here' }));
      const events = (await service.profiles.events(scope, FIXTURE_USER)).data.map(({ eventType }) => eventType);
      expect(events.filter((type) => type === 'paid')).toHaveLength(1);
      expect(events).toContain('returned');
    });

    it('a program without the newest migration refuses the database', async () => {
      const url = await load();
      await execute(url, `${FUTURE}${engine === 'sqlite' ? '1' : 'now()'}, '9.0.0')`);
      await expect(serve(url)).rejects.toMatchObject({
        name: 'SchemaError',
        reason: 'newer',
        message: expect.stringMatching(/migrated by Beckon 9\.0\.0 \(9999_future\).*install Beckon 9\.0\.0 or newer/),
      });
    });
  });
});
