import { count } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { rowId } from '../../../test/support/row-ids.ts';
import { testScope, testScopes } from '../../../test/support/scopes.ts';
import type { Channel } from '../../foundation/channel.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { Scope } from '../../foundation/scope.ts';
import { openKeyring } from '../../platform/tenancy/keyring.ts';
import { messageFinder } from '../sends/track/find-messages.ts';
import type { CallbackInput } from './api.ts';
import { callbacksEngine } from './callbacks.ts';
import { CALLBACK_START_BYTES, textsNamed } from './claimed-ids.ts';
import { callbackEraser } from './erase.ts';
import { pathTokens } from './path-token.ts';
import type { CallbackReader, ProviderEvent } from './reader.ts';
import type { CallbackSource } from './source.ts';
import { MARK_TAG } from './source.ts';

const ANN = testScope({ orgId: 'callbacks-a', projectId: 'app', environment: 'prod' });
const BOB = testScope({ orgId: 'callbacks-b', projectId: 'app', environment: 'prod' });
const [M1, M2, M3] = [rowId('m1'), rowId('m2'), rowId('m3')];
const DAY_MS = 86_400_000;

type Posted = { readonly id: string; readonly about: string; readonly name?: string };

const bodyOf = (text: Uint8Array): readonly Posted[] | null => {
  try {
    return JSON.parse(Buffer.from(text).toString());
  } catch {
    return null;
  }
};

/** A provider whose signature is the secret itself. */
const reader: CallbackReader = {
  provider: 'paper',
  headers: ['x-signature'],
  claimedIds: ({ rawBody }) => textsNamed(rawBody, 'about'),
  verify: async ({ headers }, secrets) => {
    const signature = headers.get('x-signature');
    if (signature === null) return 'unsigned';
    return secrets.includes(signature) ? null : 'bad_signature';
  },
  parse: ({ rawBody }) => {
    const posted = bodyOf(rawBody);
    if (posted === null) return null;
    const at = new Date('2026-03-01T12:00:00.000Z');
    const events = posted.map(
      ({ id, about }): ProviderEvent => ({ ids: [id], providerIds: [about], messageId: null, at, type: 'delivered' }),
    );
    return { events };
  },
};

describe('callbacks', () => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  let database: TestDatabase;
  let done: string[];
  let secrets: Map<Scope, string[]>;
  const tokens = pathTokens([Buffer.alloc(32, 7)]);

  beforeEach(async () => {
    database = await openTestDatabase({ clock });
    done = [];
    secrets = new Map([
      [ANN, ['ann-1']],
      [BOB, ['bob-1']],
    ]);
    await message(ANN, M1, 'p1', 'u:ann');
    await message(ANN, M2, 'p2', null);
    await message(BOB, M3, 'p3', 'u:bob');
  });
  afterEach(() => database.close());

  const message = async (scope: Scope, id: string, providerId: string, person: string | null) => {
    const common = { sendId: rowId('s'), channel: 'email', role: 'to', status: 'sent', facts: {}, attempt: 1 } as const;
    await database.storage.db.insert(database.tables.messages).values({
      ...common,
      scopeId: scope.scopeId,
      id,
      providerId,
      person,
      address: `${id.slice(0, 4)}@example.com`,
      createdAt: clock.now(),
      priority: 0,
      fence: 1,
    });
  };
  const engine = async () => {
    const { storage, tables } = database;
    const source: CallbackSource = {
      channel: 'email',
      reader,
      secrets: async (scope) => secrets.get(scope) ?? [],
      apply: async (_, { message: about, mark }) => {
        if (about === null) return 'unknown';
        const committed = await storage.commit({ writes: mark() });
        if (!committed.ok) return committed.failed.has(MARK_TAG) ? 'duplicate' : 'unknown';
        done.push(about.id);
        return 'applied';
      },
    };
    return callbacksEngine({
      storage,
      tables,
      clock,
      ids: uuidV7Ids(clock),
      scopes: testScopes,
      keyring: await openKeyring({ storage, tables, clock, masterKeys: [Buffer.alloc(32, 'k1')] }),
      tokens,
      find: messageFinder({ storage, tables }),
      sources: [source],
      publicUrl: 'https://push.example',
      log: { warn: () => undefined },
    });
  };
  const posted = (
    events: readonly Posted[],
    { signature = 'ann-1', query = '', body = JSON.stringify(events), channel = 'email' as Channel } = {},
  ): CallbackInput => ({
    channel,
    provider: 'paper',
    method: 'POST',
    path: '/api/v1/email/webhooks/paper',
    query,
    header: (name) => (name === 'x-signature' && signature !== '' ? signature : undefined),
    body: Buffer.from(body),
  });
  const rows = async () => {
    const { callbacks, callbackEvents } = database.tables;
    const [kept] = await database.storage.db.select({ rows: count() }).from(callbacks);
    const [marks] = await database.storage.db.select({ rows: count() }).from(callbackEvents);
    return [Number(kept?.rows), Number(marks?.rows)];
  };
  const refusal = (error: unknown) =>
    isBeckonError(error, 'UNAUTHORIZED') ? error.details?.['reason'] : String(error);

  it('a repeated callback is applied once and stored each time', async () => {
    const { api } = await engine();
    const counts = { events: 2, unknown: 0, isAccepted: true, reply: null };
    const two = posted([
      { id: 'e1', about: 'p1' },
      { id: 'e2', about: 'p2' },
    ]);
    expect(await api.receive(two)).toEqual({ ...counts, applied: 2, duplicates: 0 });
    expect(await api.receive(two)).toEqual({ ...counts, applied: 0, duplicates: 2 });
    expect(done.sort()).toEqual([M1, M2]);
    expect(await rows()).toEqual([2, 2]);
    const listed = (await api.list(ANN)).data;
    expect(listed.map(({ applied, duplicates }) => [applied, duplicates])).toEqual([
      [0, 2],
      [2, 0],
    ]);
    expect((await api.list(BOB)).data).toEqual([]);
  });

  it('concurrent copies of a callback are applied once', async () => {
    const { api } = await engine();
    const one = posted([{ id: 'e1', about: 'p1' }]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.receive(one)));
    expect(answers.filter(({ applied }) => applied === 1)).toHaveLength(1);
    expect(done).toEqual([M1]);
  });

  it('callbacks about unknown messages do and store nothing', async () => {
    const { api } = await engine();
    expect(await api.receive(posted([{ id: 'e1', about: 'px' }]))).toMatchObject({
      events: 0,
      applied: 0,
      isAccepted: false,
    });
    expect(await rows()).toEqual([0, 0]);
  });

  it("a callback without the secret of the message's project is rejected", async () => {
    const { api } = await engine();
    const cases: [CallbackInput, string][] = [
      [posted([{ id: 'e1', about: 'p1' }], { signature: 'bob-1' }), 'bad_signature'],
      [posted([{ id: 'e1', about: 'p1' }], { signature: '' }), 'unsigned'],
      [posted([{ id: 'e1', about: 'p3' }], { query: `k=${tokens.sign(ANN)}`, signature: 'other' }), 'bad_signature'],
    ];
    for (const [input, reason] of cases) expect(await api.receive(input).catch(refusal)).toBe(reason);
    secrets.clear();
    expect(await api.receive(posted([{ id: 'e1', about: 'p1' }])).catch(refusal)).toBe('no_secret');
    expect(done).toEqual([]);
    expect(await rows()).toEqual([0, 0]);
  });

  it('a callback signed by one project changes no message of another', async () => {
    const { api } = await engine();
    const both = posted([
      { id: 'e1', about: 'p1' },
      { id: 'e2', about: 'p3' },
    ]);
    expect(await api.receive(both)).toMatchObject({ events: 2, applied: 1, unknown: 1 });
    const named = posted([{ id: 'e3', about: 'p3' }], { query: `k=${tokens.sign(ANN)}` });
    expect(await api.receive(named)).toMatchObject({ events: 1, applied: 0, unknown: 1 });
    expect(done).toEqual([M1]);
  });

  it('a callback of an account shared by two projects reaches both', async () => {
    secrets.set(BOB, ['ann-1']);
    const { api } = await engine();
    const both = posted([
      { id: 'e1', about: 'p1' },
      { id: 'e2', about: 'p3' },
    ]);
    expect(await api.receive(both)).toMatchObject({ events: 2, applied: 2, unknown: 0 });
    expect(done.sort()).toEqual([M1, M3]);
  });

  it('a callback without message ids belongs to the project in its URL', async () => {
    const { api } = await engine();
    const [url] = (await api.urls(ANN)).data;
    const { pathname, searchParams } = new URL(url?.url ?? '');
    expect(pathname).toBe('/api/v1/email/webhooks/paper');
    const query = `k=${searchParams.get('k')}`;
    expect(await api.receive(posted([{ id: 'e1', about: 'px' }], { query }))).toMatchObject({ events: 1, unknown: 1 });
    expect(await api.receive(posted([], { query, signature: 'x' })).catch(refusal)).toBe('bad_signature');
    expect(await api.receive(posted([], { query: 'k=forged', signature: 'x' }))).toMatchObject({ events: 0 });
  });

  it('a signed callback with an invalid body is rejected with a reason', async () => {
    const { api } = await engine();
    const input = posted([], { body: 'no json', query: `k=${tokens.sign(ANN)}` });
    await expect(api.receive(input)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(api.receive({ ...input, provider: 'stone' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(api.receive(posted([], { channel: 'sms' }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  describe('the owner comes first', () => {
    /** A body that counts how far it was read. */
    const staged = (text: string) => {
      const bytes = Buffer.from(text);
      const read: string[] = [];
      const body = {
        start: async () => {
          read.push('start');
          return bytes.subarray(0, CALLBACK_START_BYTES);
        },
        whole: async () => {
          read.push('whole');
          return bytes;
        },
      };
      return { body, read };
    };
    const padding = (bytes: number) => ({ id: 'x'.repeat(bytes), about: 'nobody' });
    const many = (count: number, from = 0) =>
      Array.from({ length: count }, (_, at): Posted => ({ id: `n${from + at}`, about: `other ${from + at}` }));

    it('a body is read beyond its first 64 KB only if these or the URL name a project', async () => {
      const { api } = await engine();
      const large = { id: 'e1', about: 'p1' };
      const cases = [
        [[large, padding(100_000)], '', { events: 2, isAccepted: true }, ['start', 'whole']],
        [[padding(100_000), large], '', { events: 0, isAccepted: false }, ['start']],
        [[padding(100_000), large], `k=${tokens.sign(ANN)}`, { events: 2, isAccepted: true }, ['start', 'whole']],
        [[padding(100_000), large], 'k=forged', { events: 0, isAccepted: false }, ['start']],
      ] as const;
      for (const [events, query, answer, steps] of cases) {
        const { body, read } = staged(JSON.stringify(events));
        expect(await api.receive({ ...posted([], { query }), body })).toMatchObject(answer);
        expect(read).toEqual(steps);
      }
    });

    it('the remaining body is not read without secrets or a signature header', async () => {
      const { api } = await engine();
      const text = JSON.stringify([{ id: 'e1', about: 'p1' }, padding(100_000)]);
      const unsigned = staged(text);
      const input = { ...posted([], { signature: '' }), body: unsigned.body };
      expect(await api.receive(input).catch(refusal)).toBe('unsigned');
      secrets.clear();
      const unset = staged(text);
      expect(await api.receive({ ...posted([]), body: unset.body }).catch(refusal)).toBe('no_secret');
      expect([unsigned.read, unset.read]).toEqual([['start'], ['start']]);
    });

    it('an unsigned callback from a suspect network is rejected unread', async () => {
      const { api } = await engine();
      const { body, read } = staged(JSON.stringify([{ id: 'e1', about: 'p1' }]));
      const unsigned = { ...posted([], { signature: '' }), body, isSuspect: true };
      expect(await api.receive(unsigned).catch(refusal)).toBe('unsigned');
      expect(read).toEqual([]);
      expect(await api.receive({ ...posted([]), body, isSuspect: true })).toMatchObject({ applied: 1 });
    });

    it('the first 20 ids name a project, later ones do not', async () => {
      const { api } = await engine();
      const last = { id: 'e1', about: 'p1' };
      expect(await api.receive(posted([...many(19), last]))).toMatchObject({ events: 20, applied: 1 });
      expect(await api.receive(posted([...many(20), last]))).toMatchObject({ events: 0, isAccepted: false });
      const query = `k=${tokens.sign(ANN)}`;
      expect(await api.receive(posted([...many(20), last], { query }))).toMatchObject({ events: 21, duplicates: 1 });
    });

    it('a project that shares the account gets its events at any position of a verified batch', async () => {
      secrets.set(BOB, ['ann-1']);
      const { api } = await engine();
      const batch = [{ id: 'e1', about: 'p1' }, ...many(300), { id: 'e2', about: 'p3' }];
      expect(await api.receive(posted(batch))).toMatchObject({ events: 302, applied: 2, unknown: 300 });
      expect(done.sort()).toEqual([M1, M3]);
      secrets.set(BOB, ['bob-1']);
      done = [];
      const again = [{ id: 'e3', about: 'p1' }, ...many(300), { id: 'e4', about: 'p3' }];
      expect(await api.receive(posted(again))).toMatchObject({ applied: 1, unknown: 301 });
      expect(done).toEqual([M1]);
    });

    it('ids that no database can store name no project', async () => {
      const { api } = await engine();
      for (const about of ['\0', 'a\ud800', '\\', '"', 'x'.repeat(70_000)])
        expect(await api.receive(posted([{ id: 'e1', about }]))).toMatchObject({ events: 0, isAccepted: false });
    });
  });

  it('a replay applies the events that were not applied before', async () => {
    const { api } = await engine();
    await api.receive(
      posted([
        { id: 'e1', about: 'p1' },
        { id: 'e2', about: 'late' },
      ]),
    );
    await message(ANN, rowId('m4'), 'late', null);
    // The secret may have changed by then.
    secrets.set(ANN, ['ann-2']);
    const [kept] = (await api.list(ANN)).data;
    const id = kept?.id ?? '';
    expect(await api.replay(ANN, id)).toMatchObject({ id, events: 2, applied: 1, duplicates: 1, unknown: 0 });
    expect(done).toEqual([M1, rowId('m4')]);
    await expect(api.replay(BOB, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('callbacks are deleted after 7 days', async () => {
    const { api, sweep } = await engine();
    await api.receive(posted([{ id: 'e1', about: 'p1' }]));
    clock.advance(7 * DAY_MS - 1);
    await sweep();
    expect(await rows()).toEqual([1, 1]);
    clock.advance(2);
    expect(await sweep()).toBe(false);
    expect(await rows()).toEqual([0, 0]);
  });

  it('callbacks are encrypted and erased with the users they are about', async () => {
    const { api } = await engine();
    const { storage, tables } = database;
    await api.receive(posted([{ id: 'e1', about: 'p1' }]));
    await api.receive(posted([{ id: 'e2', about: 'p2' }]));
    const [row] = await storage.db.select().from(tables.callbacks);
    expect(row?.sealed).not.toContain(Buffer.from('"p1"').toString('base64').slice(0, 4));
    expect(row?.sealed).toMatch(/^v1\./);
    const { begin } = callbackEraser({ storage, tables });
    const erased = { scope: ANN, userId: 'ann', people: ['u:ann'], addresses: [] };
    expect(await begin({ ...erased, people: [] })()).toEqual({ rows: 0, isMore: false });
    expect(await begin({ ...erased, scope: BOB })()).toEqual({ rows: 0, isMore: false });
    expect(await rows()).toEqual([2, 2]);
    expect(await begin(erased)()).toEqual({ rows: 1, isMore: true });
    expect(await rows()).toEqual([1, 1]);
    await begin({ ...erased, people: [], addresses: [`${M2.slice(0, 4)}@example.com`] })();
    expect(await rows()).toEqual([0, 0]);
  });
});
