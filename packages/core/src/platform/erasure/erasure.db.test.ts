import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { testScope } from '../../../test/support/scopes.ts';
import type { Storage } from '../../database/storage.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import { silentLog } from '../../foundation/log.ts';
import { queue, worker } from '../../jobs/worker.ts';
import type { Eraser } from './eraser.ts';
import { erasureEngine } from './erasure.ts';

const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'test' });

describe('erasure', () => {
  const clock = virtualClock('2026-03-01T10:00:00.000Z');
  let database: TestDatabase;
  beforeEach(async () => {
    database = await openTestDatabase({ clock });
  });
  afterEach(() => database.close());

  const open = (erasers: readonly Eraser[], storage: Storage = database.storage, names: readonly string[] = []) => {
    const engine = erasureEngine({
      storage,
      tables: database.tables,
      clock,
      ids: uuidV7Ids(clock),
      erasers,
      isKnown: async () => true,
      describe: async (of, userId) => ({ scope: of, userId, people: [`u:${userId}`, ...names], addresses: [] }),
    });
    const log = silentLog;
    return { ...engine, drain: () => worker([queue({ storage, log, pollMs: 1_000 }, engine.registration)]).drain() };
  };
  /** An eraser that finds this many rows each time it starts. */
  const finding = (name: string, found: number[], said: string[]): Eraser => ({
    name,
    begin: () => async () => {
      said.push(name);
      return { rows: found.shift() ?? 0, isMore: false };
    },
  });

  it('an erasure runs every eraser in order, and repeats all until none finds anything', async () => {
    const said: string[] = [];
    const { api, drain } = open([finding('a', [1], said), finding('b', [0, 3], said)]);
    await api.erase(scope, 'ann');
    await drain();
    expect(said).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('a stopping worker gives an erasure back between two slices, and another one finishes it at once', async () => {
    const said: string[] = [];
    let stopped: Promise<void> | undefined;
    const endless: Eraser = {
      name: 'endless',
      begin: () => async () => {
        said.push('slice');
        stopped ??= one.stop();
        return { rows: 1, isMore: said.length < 1_000 };
      },
    };
    const { api, registration } = open([endless]);
    const log = silentLog;
    const one = worker([queue({ storage: database.storage, log, pollMs: 1_000 }, registration)]);
    const { erasureId } = await api.erase(scope, 'ann');
    one.start();
    await vi.waitFor(() => expect(stopped).toBeDefined());
    await stopped;
    expect(said).toEqual(['slice']);
    const other = open([finding('a', [1], said)]);
    await other.drain();
    expect(said).toEqual(['slice', 'a', 'a']);
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });

  it('an eraser gets few profile keys at a time, however many a device created', async () => {
    const names = Array.from({ length: 1_200 }, (_, at) => `a:${at}`);
    const told: (readonly string[])[] = [];
    const eraser: Eraser = {
      name: 'names',
      begin: ({ people }) => {
        told.push(people);
        return async () => ({ rows: 0, isMore: false });
      },
    };
    const { api, drain } = open([eraser], database.storage, names);
    await api.erase(scope, 'ann');
    await drain();
    expect(told.flat()).toEqual(['u:ann', ...names]);
    expect(Math.max(...told.map(({ length }) => length))).toBeLessThanOrEqual(500);
  });

  it('an erasure calls one eraser for as long as it has more', async () => {
    let left = 3;
    const eraser: Eraser = {
      name: 'slices',
      begin: () => async () => {
        left -= 1;
        return { rows: 0, isMore: left > 0 };
      },
    };
    const { api, drain } = open([eraser]);
    await api.erase(scope, 'ann');
    await drain();
    expect(left).toBe(0);
  });

  it('an erasure ends although another client keeps writing about the user', async () => {
    const said: string[] = [];
    const { api, drain } = open([finding('a', Array(99).fill(1), said)]);
    const { erasureId } = await api.erase(scope, 'ann');
    await drain();
    expect(said).toHaveLength(10);
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });

  it('an erasure cleans the files after a worker that died before it', async () => {
    const said: string[] = [];
    let scrubs = 0;
    const { api, drain } = open([finding('a', [], said)], {
      ...database.storage,
      scrub: async () => {
        scrubs += 1;
        if (scrubs === 1) throw new Error('the worker dies');
      },
    });
    const { erasureId } = await api.erase(scope, 'ann');
    await drain();
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'pending' });
    clock.advance(31_000);
    await drain();
    expect([scrubs, said]).toEqual([2, ['a']]);
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });

  it('an erasure cleans the files once for all users of a batch', async () => {
    let scrubs = 0;
    const { api, drain } = open([finding('a', [], [])], {
      ...database.storage,
      scrub: async () => {
        scrubs += 1;
      },
    });
    const requested = await Promise.all(['ann', 'ben', 'cat'].map((userId) => api.erase(scope, userId)));
    await drain();
    expect(scrubs).toBe(1);
    for (const { erasureId } of requested)
      expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });

  it('a failed erasure is tried again an hour later', async () => {
    let isBroken = true;
    const broken: Eraser = {
      name: 'broken',
      begin: () => async () => {
        if (isBroken) throw new Error('this engine is broken');
        return { rows: 0, isMore: false };
      },
    };
    const { api, drain, registration } = open([broken]);
    const { erasureId } = await api.erase(scope, 'ann');
    const [row] = await database.storage.claim(registration.claim, 1, 30_000);
    if (!row) throw new Error('nothing was claimed');
    await registration.deadLetter(row, 'threw');
    isBroken = false;
    clock.advance(3_599_000);
    await drain();
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'pending' });
    clock.advance(1_000);
    await drain();
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });

  it('an erasure is tried again however often it was claimed', async () => {
    const { api, drain } = open([finding('a', [], [])]);
    const { erasureId } = await api.erase(scope, 'ann');
    await database.storage.db.update(database.tables.erasures).set({ fence: 1_000 });
    await drain();
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'pending' });
    clock.advance(3_600_000);
    await drain();
    expect(await api.erasure(scope, erasureId)).toMatchObject({ status: 'done' });
  });
});
