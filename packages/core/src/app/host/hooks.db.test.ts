import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { HostTransaction } from '../../database/commit/commit-hook.ts';
import { virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';
import type { Beckon } from '../api.ts';
import { createBeckon } from '../create.ts';
import type { BeckonOptions } from '../options.ts';
import type { Hooks } from './hooks.ts';

const MAIL = { subject: 'Hello', text: 'There' };
const event = (userId: string, n = 1) => ({ module: 'shop', eventType: 'order.placed', userId, properties: { n } });

type Changing<T> = { -readonly [K in keyof T]: T[K] };

/** The same statement for both databases, which have different placeholders and result shapes. */
const insert = (tx: HostTransaction, name: string, value: string): void | Promise<void> => {
  const [one, two] = tx.dialect === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
  const done = tx.query(`insert into host_orders (name, value) values (${one}, ${two})`, [name, value]);
  return done instanceof Promise ? done.then(() => undefined) : undefined;
};
const eachOf = (tx: HostTransaction, rows: readonly (readonly [string, string])[]): void | Promise<void> => {
  if (tx.dialect === 'sqlite') for (const [name, value] of rows) void insert(tx, name, value);
  else return Promise.all(rows.map(([name, value]) => insert(tx, name, value))).then(() => undefined);
};

describe('host hooks', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  let beckon: Beckon;
  let scope: Scope;
  let hooks: { messages: Changing<NonNullable<Hooks['messages']>>; events: Changing<NonNullable<Hooks['events']>> };
  let lines: string[];
  let rows: () => Promise<readonly string[]>;

  beforeEach(async () => {
    database = await openTestDatabase();
    hooks = { messages: {}, events: {} };
    lines = [];
    const keep = (_: object, text: string): void => void lines.push(text);
    const calls: BeckonOptions['hooks'] = {
      messages: {
        during: (messages, tx) => hooks.messages.during?.(messages, tx),
        after: (messages) => hooks.messages.after?.(messages),
      },
      events: {
        during: (events, tx) => hooks.events.during?.(events, tx),
        after: (events) => hooks.events.after?.(events),
      },
    };
    const log = { info: keep, warn: keep, error: keep };
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock, log, hooks: calls });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    let found: readonly string[] = [];
    const once = async (work: (tx: HostTransaction) => void | Promise<void>): Promise<void> => {
      const { during } = hooks.events;
      hooks.events.during = (_, tx) => work(tx);
      await beckon.events.track(scope, event('nobody'));
      if (during) hooks.events.during = during;
      else delete hooks.events.during;
    };
    await once((tx) => {
      const made = tx.query('create table host_orders (name text primary key, value text not null)');
      return made instanceof Promise ? made.then(() => undefined) : undefined;
    });
    rows = async () => {
      await once((tx) => {
        const keepAll = (all: readonly Readonly<Record<string, unknown>>[]): void => {
          found = all.map(({ name, value }) => `${name}=${value}`);
        };
        const all = tx.query('select name, value from host_orders order by name');
        if (all instanceof Promise) return all.then(keepAll);
        keepAll(all);
      });
      return found;
    };
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
  });

  const statusesOf = async (id: string) =>
    (await beckon.sends.messages(scope, 'email', id)).data.map(({ status }) => status);

  it('a message hook writes in the transaction that finalizes the message', async () => {
    hooks.messages.during = (messages, tx) =>
      eachOf(
        tx,
        messages.map(({ sendId, status }) => [sendId, status]),
      );
    const send = await beckon.email.send(scope, { to: 'ann@example.com', ...MAIL });
    if ('dryRun' in send) throw new Error('this was a dry run');
    await beckon.worker.drain();
    expect(await rows()).toEqual([`${send.id}=sent`]);
  });

  it('a message hook is called once for each final message, with its user', async () => {
    const calls: unknown[] = [];
    hooks.messages.after = (messages) => void calls.push(...messages.map(({ scope: _, ...one }) => one));
    await beckon.events.identify(scope, { userId: 'ann', traits: { email: 'ann@example.com' } });
    await beckon.email.send(scope, { userIds: ['ann', 'bob'], ...MAIL });
    await beckon.worker.drain();
    await beckon.worker.drain();
    expect(calls).toHaveLength(2);
    expect(calls).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ userId: 'ann', anonymousId: null, status: 'sent', channel: 'email' }),
        expect.objectContaining({ userId: 'bob', status: 'suppressed', reason: 'no_address' }),
      ]),
    );
  });

  it('a message hook that throws leaves nothing behind, and only that message is retried', async () => {
    let throwsLeft = 2;
    const calls: (string | null)[] = [];
    hooks.messages.after = (messages) => void calls.push(...messages.map(({ userId }) => userId));
    hooks.messages.during = (messages, tx) => {
      const done = eachOf(
        tx,
        messages.map(({ userId, status }) => [userId ?? '', status]),
      );
      const isCulprit = messages.some(({ userId }) => userId === 'p3');
      if (!isCulprit || throwsLeft === 0) return done;
      if (messages.length === 1) throwsLeft -= 1;
      if (!done) throw new Error('the host is not ready');
      return done.then(() => Promise.reject(new Error('the host is not ready')));
    };
    const people = Array.from({ length: 6 }, (_, at) => `p${at}`);
    for (const userId of people)
      await beckon.events.identify(scope, { userId, traits: { email: `${userId}@example.com` } });
    await beckon.email.send(scope, { userIds: people, ...MAIL });
    await beckon.worker.drain();
    expect(await rows()).toEqual(people.map((userId) => `${userId}=sent`));
    expect((await beckon.outbox.list(scope)).data).toHaveLength(6);
    await beckon.close();
    expect(calls.toSorted()).toEqual(people);
  });

  it('a message hook that always throws neither keeps the message from its final status nor sends it again', async () => {
    hooks.messages.during = (messages, tx) => {
      if (messages.some(({ userId }) => userId === 'bad')) throw new Error('never');
      return eachOf(
        tx,
        messages.map(({ userId, status }) => [userId ?? '', status]),
      );
    };
    for (const userId of ['bad', 'good'])
      await beckon.events.identify(scope, { userId, traits: { email: `${userId}@example.com` } });
    const send = await beckon.email.send(scope, { userIds: ['bad', 'good', 'nobody'], ...MAIL });
    if ('dryRun' in send) throw new Error('this was a dry run');
    await beckon.worker.drain();
    expect((await statusesOf(send.id)).toSorted()).toEqual(['sent', 'sent', 'suppressed']);
    expect(await rows()).toEqual(['good=sent', 'nobody=suppressed']);
    expect((await beckon.outbox.list(scope)).data).toHaveLength(2);
    expect(lines).toContain('a hook threw: its message ends without it');
  });

  it('a message hook is not called for a message that will be retried', async () => {
    const calls: number[] = [];
    hooks.messages.during = (messages) => void calls.push(messages.length);
    hooks.messages.after = (messages) => void calls.push(messages.length);
    const send = await beckon.email.send(scope, { to: 'sandbox-retry@example.com', ...MAIL });
    if ('dryRun' in send) throw new Error('this was a dry run');
    await beckon.worker.drain();
    expect((await beckon.sends.messages(scope, 'email', send.id)).data).toMatchObject([
      { status: 'queued', errorCode: 'sandbox_retry' },
    ]);
    await beckon.close();
    expect(calls).toEqual([]);
  });

  it('a message hook that throws does not reject a send with immediately final messages', async () => {
    hooks.messages.during = () => {
      throw new Error('never');
    };
    const send = await beckon.email.send(scope, { userIds: ['nobody'], ...MAIL });
    expect(send).toMatchObject({ status: 'suppressed' });
  });

  it('an event hook writes in the transaction that accepts the event, and rejects events for which it throws', async () => {
    hooks.events.during = (events, tx) => {
      if (events.some(({ properties }) => properties['n'] === 13)) throw new Error('unlucky');
      return eachOf(
        tx,
        events.map(({ userId, eventType }) => [userId ?? '', eventType]),
      );
    };
    const accepted = ['a', 'b', 'c', 'd'].map((userId, at) =>
      beckon.events.track(scope, event(userId, at === 2 ? 13 : at)).then(
        () => 'kept',
        (error: Error) => error.message,
      ),
    );
    expect(await Promise.all(accepted)).toEqual(['kept', 'kept', 'a reaction of the host threw: unlucky.', 'kept']);
    expect(await rows()).toEqual(['a=order.placed', 'b=order.placed', 'd=order.placed']);
    await expect(beckon.profiles.events(scope, 'c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await beckon.profiles.events(scope, 'd')).data).toHaveLength(1);
  });

  it('an event hook is not called for a duplicate', async () => {
    const calls: string[] = [];
    hooks.events.after = (events) => void calls.push(...events.map(({ messageId }) => messageId ?? ''));
    const one = { ...event('ann'), messageId: 'm-1' };
    await beckon.events.track(scope, one);
    await expect(beckon.events.track(scope, one)).rejects.toMatchObject({ code: 'CONFLICT' });
    await beckon.close();
    expect(calls.filter((id) => id !== '')).toEqual(['m-1']);
  });

  it('an event hook is not called if a whole batch was duplicates', async () => {
    const one = { ...event('ann'), messageId: 'm-1' };
    await beckon.events.track(scope, one);
    const calls: number[] = [];
    hooks.events.during = (events) => void calls.push(events.length);
    await expect(beckon.events.track(scope, one)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(calls).toEqual([]);
  });

  it('an event hook is called for identify calls, with the user of an anonymous id', async () => {
    const calls: unknown[] = [];
    hooks.events.during = (events) =>
      void calls.push(...events.map(({ kind, userId, anonymousId }) => ({ kind, userId, anonymousId })));
    await beckon.events.identify(scope, { userId: 'ann', anonymousId: 'visitor', traits: {} });
    await beckon.events.track(scope, { module: 'shop', eventType: 'order.placed', anonymousId: 'visitor' });
    expect(calls).toEqual([
      { kind: 'identify', userId: 'ann', anonymousId: 'visitor' },
      { kind: 'event', userId: 'ann', anonymousId: 'visitor' },
    ]);
  });

  it.each(['messages', 'events'] as const)('close waits for hooks: %s', async (kind) => {
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    hooks[kind].after = async () => {
      started.resolve();
      await gate.promise;
      order.push('hook');
    };
    await beckon.events.track(scope, event('ann'));
    await beckon.email.send(scope, { to: 'ann@example.com', ...MAIL });
    await beckon.worker.drain();
    await started.promise;
    const closed = beckon.close().then(() => order.push('closed'));
    // A close that waits for nothing would be over by now; one that waits is not, however long this takes.
    await new Promise((resolve) => setTimeout(resolve, 100));
    gate.resolve();
    await closed;
    expect(order.at(0)).toBe('hook');
    expect(order.at(-1)).toBe('closed');
  });

  it('a failed statement in a hook fails the commit, even if the hook caught the error', async () => {
    hooks.events.during = (_, tx) => {
      const failed = (): unknown => tx.query('insert into no_such_table values (1)');
      if (tx.dialect === 'postgres') return Promise.resolve(failed()).then(undefined, () => undefined) as Promise<void>;
      try {
        failed();
      } catch {
        return;
      }
    };
    await expect(beckon.events.track(scope, event('ann'))).rejects.toMatchObject({ name: 'HostReactionError' });
    delete hooks.events.during;
    expect((await beckon.profiles.events(scope, 'ann').catch(() => ({ data: [] }))).data).toEqual([]);
  });

  it('a hook can neither begin nor end the transaction', async () => {
    for (const sql of ['commit', ' /* x */ ROLLBACK', '-- x\nbegin', 'savepoint mine', ';end']) {
      hooks.events.during = (_, tx) => {
        const done = tx.query(sql);
        return done instanceof Promise ? done.then(() => undefined) : undefined;
      };
      await expect(beckon.events.track(scope, event('ann'))).rejects.toMatchObject({
        reason: expect.objectContaining({ name: 'TypeError' }),
      });
    }
  });

  it("a hook's transaction is unusable after the hook returned", async () => {
    let kept: HostTransaction | undefined;
    hooks.events.during = (_, tx) => {
      kept = tx;
    };
    await beckon.events.track(scope, event('ann'));
    const late = async (): Promise<unknown> => kept?.query('select 1');
    await expect(late()).rejects.toThrow('is over');
  });

  it('an after hook may throw, which is logged and has no other effect', async () => {
    const calls: string[] = [];
    hooks.events.after = async (events) => {
      calls.push(...events.map(({ userId }) => userId ?? ''));
      throw new Error('too late');
    };
    await beckon.events.track(scope, event('ann'));
    await beckon.events.track(scope, event('bob'));
    await beckon.close();
    expect(calls.filter((userId) => userId !== 'nobody')).toEqual(['ann', 'bob']);
    expect(lines).toContain('a hook threw');
  });

  it('async hooks during a transaction are rejected on SQLite', async () => {
    hooks.events.during = async () => undefined;
    const accepted = beckon.events.track(scope, event('ann'));
    if (database.url.startsWith('sqlite')) await expect(accepted).rejects.toThrow('must not be async');
    else expect(await accepted).toMatchObject({ id: expect.any(String) });
  });
});
