import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import type { Beckon } from '../../app/api.ts';
import { createBeckon } from '../../app/create.ts';
import { type VirtualClock, virtualClock } from '../../foundation/clock.ts';
import type { Scope } from '../../foundation/scope.ts';
import { newMasterKey } from '../../foundation/secrets.ts';

const SENT = '2026-03-01T10:00:00.000Z';
const HOUR_MS = 3_600_000;

describe('conversions by events of one batch', () => {
  let folder: string;
  let database: TestDatabase;
  let beckon: Beckon;
  let clock: VirtualClock;
  let scope: Scope;
  let abTestId: string;

  beforeEach(async () => {
    clock = virtualClock(SENT);
    folder = mkdtempSync(join(tmpdir(), 'beckon-conversions-'));
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, clock });
    beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), clock });
    const org = await beckon.tenancy.createOrg({ name: 'Acme' });
    const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
    scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' });
    const metric = { type: 'event', eventType: 'paid', windowHours: 2 } as const;
    const variants = [{ key: 'a', weight: 100, body: 'A' }];
    ({ id: abTestId } = await beckon.abTests.create(scope, 'push', { name: 'T', variants, metric }));
    for (const userId of ['ann', 'bob']) {
      await beckon.tokens.register(scope, { token: `fcm:${userId}`, platform: 'android', userId });
      await beckon.push.send(scope, { userIds: [userId], title: 'T', body: 'B', abTestId });
    }
    await beckon.worker.drain();
  });
  afterEach(async () => {
    await beckon.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An event `ms` milliseconds after the message. */
  const event = (ms: number, more: object = {}) => ({
    module: 'shop',
    eventType: 'paid',
    userId: 'ann',
    timestamp: new Date(Date.parse(SENT) + ms).toISOString(),
    ...more,
  });
  /** When each user's message converted, in milliseconds after it was sent. */
  const converted = async (): Promise<Record<string, number | null>> => {
    const rows = await database.storage.db.select().from(database.tables.messages);
    return Object.fromEntries(
      rows.map(({ person, convertedAt }) => [person, convertedAt && convertedAt.getTime() - Date.parse(SENT)]),
    );
  };

  it('the earliest event within the window converts a message, in any order of arrival', async () => {
    clock.advance(4 * HOUR_MS);
    await beckon.events.batch(scope, {
      batch: [
        event(2 * HOUR_MS),
        event(1_000, { eventType: 'looked' }),
        event(500, { userId: 'bob', eventType: 'looked' }),
        event(-1),
        event(HOUR_MS),
        event(HOUR_MS + 1),
        event(2 * HOUR_MS + 1, { userId: 'bob' }),
      ],
    });
    expect(await converted()).toEqual({ 'u:ann': HOUR_MS, 'u:bob': null });
    // A later batch changes nothing, even with an earlier event.
    await beckon.events.batch(scope, { batch: [event(1), event(2 * HOUR_MS, { userId: 'bob' })] });
    expect(await converted()).toEqual({ 'u:ann': HOUR_MS, 'u:bob': 2 * HOUR_MS });
    expect((await beckon.abTests.stats(scope, 'push', abTestId)).variants).toMatchObject([{ key: 'a', converted: 2 }]);
  });

  it('an event at the very time of the message converts it', async () => {
    await beckon.events.batch(scope, { batch: [event(1), event(0), event(0, { userId: 'bob' })] });
    expect(await converted()).toEqual({ 'u:ann': 0, 'u:bob': 0 });
  });
});
