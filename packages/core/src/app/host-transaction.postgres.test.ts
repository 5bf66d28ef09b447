import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newPostgresDatabase } from '../../test/support/database.ts';
import type { PostgresClient } from '../database/postgres/host.ts';
import { virtualClock } from '../foundation/clock.ts';
import { isBeckonError } from '../foundation/errors.ts';
import type { Scope } from '../foundation/scope.ts';
import { newMasterKey } from '../foundation/secrets.ts';
import type { Beckon } from './api.ts';
import { createBeckon } from './create.ts';

const PRELOAD = fileURLToPath(new URL('../../../../scripts/source-preload.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../test/support/host-process.ts', import.meta.url));
const PLACED = { module: 'shop', eventType: 'order.placed', userId: 'ann' };
const MAIL = { to: 'ann@example.com', subject: 'Your order', text: 'We have it.' };

describe('host transaction', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  const masterKey = newMasterKey();
  let database: Awaited<ReturnType<typeof newPostgresDatabase>>;
  let pool: pg.Pool;
  let beckon: Beckon;
  let names: { orgId: string; projectId: string };
  let scope: Scope;
  const clients: pg.PoolClient[] = [];
  /** The database is emptied while connections of a closed pool are still disconnecting. */
  const hostPool = (options: pg.PoolConfig = {}): pg.Pool =>
    new pg.Pool({ connectionString: database.url, ...options }).on('error', () => undefined);
  beforeEach(async () => {
    database = await newPostgresDatabase();
    pool = hostPool();
    await pool.query('create table orders (id text primary key)');
    beckon = await createBeckon({ db: pool, masterKey, clock, pollMs: 60_000 });
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
    names = { orgId, projectId };
    scope = await beckon.tenancy.scope({ ...names, environment: 'test' });
  });
  afterEach(async () => {
    await beckon.close();
    for (const client of clients.splice(0)) client.release();
    await pool.end();
    await database.drop();
  });

  /** A connection with an open transaction. */
  const begin = async (mode = ''): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    clients.push(client);
    await client.query(`begin ${mode}`);
    return client;
  };
  const order = (client: PostgresClient, id: string) => client.query('insert into orders values ($1)', [id]);
  const orders = async () => (await pool.query('select id from orders order by id')).rows.map(({ id }) => id);
  const sends = async () => (await beckon.sends.list(scope, 'email')).data;
  const eventsOf = async (userId: string) =>
    beckon.profiles.events(scope, userId).then(
      ({ data }) => data.length,
      (error: unknown) => (isBeckonError(error, 'NOT_FOUND') ? 0 : Promise.reject(error)),
    );
  const traitsOf = async (userId: string) => (await beckon.profiles.get(scope, userId)).traits;

  it.each([
    ['commit', ['o1'], 1],
    ['rollback', [], 0],
  ])('a host transaction stores order, event and email together or not at all: %s', async (end, kept, count) => {
    const client = await begin();
    await order(client, 'o1');
    await beckon.events.track(scope, PLACED, { client });
    await beckon.email.send(scope, MAIL, { client });
    await beckon.sms.send(scope, { to: '+14155550199', body: 'b' }, { client });
    await beckon.push.send(scope, { tokens: ['fcm:1'], title: 't' }, { client });
    expect([await orders(), (await sends()).length, await eventsOf('ann')]).toEqual([[], 0, 0]);
    await client.query(end);
    expect([await orders(), (await sends()).length, await eventsOf('ann')]).toEqual([kept, count, count]);
    for (const channel of ['sms', 'push'] as const)
      expect((await beckon.sends.list(scope, channel)).data).toHaveLength(count);
  });

  it.each([
    ['before', [], 0],
    ['after', ['after'], 1],
  ])('a process killed %s its commit stores both or neither', async (stop, kept, count) => {
    const args = [PROGRAM, database.url, masterKey, JSON.stringify(scope), stop];
    const child = spawn(process.execPath, ['--import', PRELOAD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    expect(String((await once(child.stdout, 'data'))[0])).toContain('ready');
    child.kill('SIGKILL');
    await ended;
    await vi.waitFor(async () => {
      expect([await orders(), (await sends()).length, await eventsOf('ann')]).toEqual([kept, count, count]);
    });
  });

  it('the worker wakes after the commit of a host transaction, and not before', async () => {
    beckon.worker.start();
    const caught = async () => (await beckon.outbox.list(scope)).data.length;
    // The worker subscribes to notifications soon after its start.
    await vi.waitFor(async () => {
      await beckon.email.send(scope, MAIL);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await caught()).toBeGreaterThan(0);
    });
    await vi.waitFor(async () => expect(await caught()).toBe((await sends()).length));
    const before = await caught();
    const client = await begin();
    await beckon.email.send(scope, MAIL, { client });
    await new Promise((resolve) => setTimeout(resolve, 90));
    expect(await caught()).toBe(before);
    await client.query('commit');
    await vi.waitFor(async () => expect(await caught()).toBe(before + 1));
  });

  it('a host transaction sees its own writes', async () => {
    const client = await begin();
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } }, { client });
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } }, { client });
    const sent = await beckon.email.send(scope, { userIds: ['ann'], subject: 's', text: 't' }, { client });
    expect(sent).toMatchObject({ status: 'queued', tokenCount: 1 });
    await client.query('commit');
    expect(await traitsOf('ann')).toEqual({ email: 'ann@example.com', plan: 'pro' });
  });

  it('a rolled back host transaction leaves no cached data', async () => {
    const message = { ...PLACED, messageId: 'm1' };
    const client = await begin();
    await beckon.events.identify(scope, { userId: 'ann', anonymousId: 'a1', traits: { plan: 'pro' } }, { client });
    await beckon.events.track(scope, message, { client });
    await client.query('rollback');
    await expect(beckon.profiles.get(scope, 'ann')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await beckon.events.track(scope, message);
    await beckon.events.track(scope, { module: 'shop', eventType: 'seen', anonymousId: 'a1' });
    await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'free' } });
    expect(await traitsOf('ann')).toEqual({ plan: 'free' });
    expect(await eventsOf('ann')).toBe(2);
  });

  describe('cached profiles and host transactions', () => {
    const seen = (locale: string) => ({ module: 'shop', eventType: 'seen', userId: 'ann', context: { locale } });
    const localeOf = async (userId: string) => (await beckon.profiles.get(scope, userId)).locale;

    it('a rolled back profile is not cached', async () => {
      const client = await begin();
      // The first call creates the profile, the second reads it.
      await beckon.events.track(scope, PLACED, { client });
      await beckon.events.track(scope, PLACED, { client });
      await client.query('rollback');
      await beckon.events.track(scope, PLACED);
      expect(await eventsOf('ann')).toBe(1);
    });

    it('a rolled back change of a profile is not cached', async () => {
      await beckon.events.track(scope, seen('en'));
      await beckon.events.track(scope, seen('en'));
      const client = await begin();
      await beckon.events.track(scope, seen('fr'), { client });
      await client.query('rollback');
      await beckon.events.track(scope, seen('fr'));
      expect(await localeOf('ann')).toBe('fr');
    });

    it('a host transaction uses its own writes, not older cached data', async () => {
      await beckon.events.track(scope, seen('en'));
      await beckon.events.track(scope, seen('en'));
      const client = await begin();
      await beckon.events.track(scope, { ...seen('fr'), traits: { plan: 'pro' } }, { client });
      await beckon.events.track(scope, seen('en'), { client });
      await client.query('commit');
      expect(await localeOf('ann')).toBe('en');
    });
  });

  it('a host transaction continues after a rejected call', async () => {
    const message = { ...PLACED, messageId: 'm1' };
    const client = await begin();
    const { id } = await beckon.events.track(scope, message, { client });
    const duplicate = { code: 'CONFLICT', details: { reason: 'duplicate', id } };
    await expect(beckon.events.track(scope, message, { client })).rejects.toMatchObject(duplicate);
    const prod = await beckon.tenancy.scope({ ...names, environment: 'prod' });
    const refused = { code: 'PROVIDER_NOT_CONFIGURED' };
    await expect(beckon.email.send(prod, MAIL, { client })).rejects.toMatchObject(refused);
    await order(client, 'o1');
    await client.query('commit');
    expect([await orders(), await eventsOf('ann')]).toEqual([['o1'], 1]);
  });

  it('concurrent calls in one host transaction run one after the other', async () => {
    const client = await begin();
    await Promise.all([
      ...Array.from({ length: 5 }, (_, at) =>
        beckon.events.identify(scope, { userId: 'ann', traits: { [`n${at}`]: at } }, { client }),
      ),
      beckon.email.send(scope, MAIL, { client }),
      expect(beckon.sms.send(scope, { to: 'nobody', body: 'b' }, { client })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      }),
    ]);
    await client.query('commit');
    expect(Object.keys(await traitsOf('ann'))).toHaveLength(5);
    expect(await sends()).toHaveLength(1);
  });

  it('an idempotency key is stored only together with the rows it refers to', async () => {
    const key = { idempotencyKey: 'order-17' };
    const lost = await begin();
    await beckon.email.send(scope, MAIL, { client: lost, ...key });
    await lost.query('rollback');
    const client = await begin();
    const first = await beckon.email.send(scope, MAIL, { client, ...key });
    expect(await beckon.email.send(scope, MAIL, { client, ...key })).toEqual(first);
    await client.query('commit');
    expect(await beckon.email.send(scope, MAIL, key)).toEqual(first);
    expect(await sends()).toHaveLength(1);
  });

  it('a client without an open transaction is rejected with what to do', async () => {
    const client = await begin();
    await client.query('commit');
    await expect(beckon.email.send(scope, MAIL, { client })).rejects.toThrow(/^client must be a connection in a trans/);
    await expect(beckon.events.track(scope, PLACED, { client: pool })).rejects.toThrow(TypeError);
    const failed = await begin();
    await failed.query('nonsense').catch(() => undefined);
    await expect(beckon.email.send(scope, MAIL, { client: failed })).rejects.toThrow(/has failed already/);
    expect([(await sends()).length, await eventsOf('ann')]).toEqual([0, 0]);
  });

  it("close leaves the host's pool open, without its own listener", async () => {
    const other = await createBeckon({ db: pool, masterKey, clock });
    const before = pool.listenerCount('error');
    await other.close();
    expect(pool.listenerCount('error')).toBe(before - 1);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('a call in a host transaction needs no other connection, even if the pool is exhausted', async () => {
    const small = hostPool({ max: 2 });
    // With a public URL, sends also read the tracking setting.
    const other = await createBeckon({ db: small, masterKey, clock, publicUrl: 'https://b.example' });
    const own = await other.tenancy.scope(scope);
    const both = [await small.connect(), await small.connect()];
    await Promise.all(
      both.map(async (client, at) => {
        await client.query('begin');
        await other.events.track(own, { ...PLACED, userId: `u${at}` }, { client });
        await other.email.send(own, { ...MAIL, subject: `s${at}` }, { client, idempotencyKey: `k${at}` });
        await client.query('commit');
        client.release();
      }),
    );
    expect(await sends()).toHaveLength(2);
    await other.close();
    await small.end();
  });

  it('a pool whose type parsers return times as text is rejected', async () => {
    const own = { getTypeParser: () => (text: string) => text };
    const other = hostPool({ types: own });
    await expect(createBeckon({ db: other, masterKey })).rejects.toThrow(/parsers for timestamptz/);
    expect(other.listenerCount('error')).toBe(1);
    await other.end();
  });

  it('a pool needs two connections; the host sets its size', async () => {
    const small = hostPool({ max: 1 });
    await expect(createBeckon({ db: small, masterKey })).rejects.toThrow(TypeError);
    await expect(createBeckon({ db: pool, masterKey, poolSize: 5 })).rejects.toThrow(TypeError);
    await small.end();
  });

  describe('concurrent host transactions', () => {
    /** Repeats a transaction until it ends without a retryable conflict. */
    const untilDone = async (work: (client: pg.PoolClient) => Promise<void>): Promise<number> => {
      for (let tries = 1; ; tries += 1) {
        const client = await pool.connect();
        try {
          await client.query('begin');
          await work(client);
          await client.query('commit');
          return tries;
        } catch (error) {
          await client.query('rollback');
          if (!isBeckonError(error, 'CONFLICT') && !isBeckonError(error, 'OVERLOADED')) throw error;
        } finally {
          client.release();
        }
      }
    };

    const isTaken = () => true;
    /** A client's reaction to an error that asks for a retry. */
    const isShed = (error: unknown) => (isBeckonError(error, 'OVERLOADED') ? false : Promise.reject(error));

    it('concurrent host transactions on one user lose nothing and duplicate nothing', async () => {
      const ROUNDS = 12;
      const other = await createBeckon({ db: database.url, masterKey, clock });
      const say = (who: string, at: number) => ({
        ...PLACED,
        messageId: `${who}${at}`,
        traits: { [`${who}${at}`]: at },
      });
      const host = async (who: string, by: Beckon) => {
        const own = await by.tenancy.scope(scope);
        for (let at = 0; at < ROUNDS; at += 1)
          await untilDone(async (client) => {
            await order(client, `${who}${at}`);
            await by.events.track(own, say(who, at), { client });
            await by.email.send(own, { userIds: ['ann'], subject: `${who}${at}`, text: 't' }, { client });
          });
      };
      const ordinary = async () => {
        for (let at = 0; at < ROUNDS; at += 1)
          while (!(await beckon.events.track(scope, say('c', at)).then(isTaken, isShed)));
      };
      await Promise.all([host('a', beckon), host('b', other), ordinary()]);
      await other.close();
      expect(await orders()).toHaveLength(2 * ROUNDS);
      expect(await eventsOf('ann')).toBe(3 * ROUNDS);
      expect(Object.keys(await traitsOf('ann'))).toHaveLength(3 * ROUNDS);
      const subjects = (await sends()).map((send) => 'subject' in send && send.subject);
      expect(new Set(subjects).size).toBe(2 * ROUNDS);
      expect(subjects).toHaveLength(2 * ROUNDS);
    });

    it('a host transaction gets the deadlock error unchanged, and the other one continues', async () => {
      const seen = (userId: string) => ({ userId, traits: { at: 1 } });
      for (const userId of ['ann', 'bob']) await beckon.events.identify(scope, { userId, traits: { at: 0 } });
      const [first, second] = [await begin(), await begin()];
      await beckon.events.identify(scope, seen('ann'), { client: first });
      await beckon.events.identify(scope, seen('bob'), { client: second });
      const results = await Promise.allSettled([
        beckon.events.identify(scope, seen('bob'), { client: first }).finally(() => first.query('commit')),
        beckon.events.identify(scope, seen('ann'), { client: second }).catch(async (error: unknown) => {
          await order(second, 'still usable');
          await second.query('rollback');
          throw error;
        }),
      ]);
      const lost = results.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(1);
      expect(lost).toMatchObject([{ reason: { code: 'CONFLICT', details: { reason: 'transaction_conflict' } } }]);
      await second.query('rollback');
      expect([await traitsOf('ann'), await traitsOf('bob')]).toContainEqual({ at: 1 });
    });

    it('a host transaction is told to retry after five conflicts on its profile, and stays usable', async () => {
      await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'free' } });
      const client = await begin();
      let changes = 0;
      // Another transaction commits a change of the profile between each read and its write.
      const raced: PostgresClient = {
        query: async (text, values) => {
          const sql = typeof text === 'string' ? text : String(Reflect.get(text, 'text'));
          if (/^(with|update)\b[\s\S]*profiles/i.test(sql) && /update/i.test(sql)) {
            changes += 1;
            await pool.query('update profiles set version = version + 1');
          }
          return client.query(text, values);
        },
      };
      await order(client, 'o1');
      await expect(
        beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } }, { client: raced }),
      ).rejects.toMatchObject({ code: 'OVERLOADED' });
      expect(changes).toBe(5);
      await client.query('commit');
      expect([await orders(), await traitsOf('ann'), await eventsOf('ann')]).toEqual([['o1'], { plan: 'free' }, 1]);
    });

    it('a transaction of a stricter isolation level gets an error for a conflict that it cannot resolve', async () => {
      await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'free' } });
      const client = await begin('isolation level repeatable read');
      await client.query('select 1');
      await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } });
      const late = { userId: 'ann', traits: { plan: 'none' } };
      const told = { code: 'CONFLICT', details: { reason: 'transaction_conflict' } };
      await expect(beckon.events.identify(scope, late, { client })).rejects.toMatchObject(told);
      await order(client, 'o1');
      await client.query('commit');
      expect([await orders(), await traitsOf('ann')]).toEqual([['o1'], { plan: 'pro' }]);
    });

    it("the host's own statement timeout is reported", async () => {
      await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'free' } });
      const holder = await begin();
      await beckon.events.identify(scope, { userId: 'ann', traits: { plan: 'pro' } }, { client: holder });
      const client = await begin();
      await client.query("set local lock_timeout = '20ms'");
      const late = { userId: 'ann', traits: { plan: 'none' } };
      await expect(beckon.events.identify(scope, late, { client })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      await order(client, 'o1');
      await client.query('commit');
      await holder.query('commit');
      expect([await orders(), await traitsOf('ann')]).toEqual([['o1'], { plan: 'pro' }]);
    });
  });
});
