import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { listeningTo } from '../../../test/support/events/listening.ts';
import { scansOf } from '../../../test/support/explain.ts';
import { START, TEST } from '../../../test/support/push/world.ts';
import { scopeLike, testScopes } from '../../../test/support/scopes.ts';
import { messageChange } from '../../../test/support/sends/message.ts';
import { virtualClock } from '../../foundation/clock.ts';
import { uuidV7Ids } from '../../foundation/ids.ts';
import type { MessageChange } from '../sends/finalize/change.ts';
import { deadTokens } from './invalidate.ts';
import { pushTokenLookup } from './token-lookup.ts';
import { tokenTags } from './token-tags.ts';
import { tokensEngine } from './tokens.ts';

describe('push token statements', () => {
  const clock = virtualClock(START);
  const folder = mkdtempSync(join(tmpdir(), 'beckon-push-'));
  const texts = new Set<string>();
  let database: TestDatabase;

  beforeAll(async () => {
    const observer = { statement: (_: string, __: number, text: string) => texts.add(text) };
    database = await openTestDatabase({ url: `sqlite:${join(folder, 'push.db')}`, clock, observer });
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('every statement finds its rows by an index', async () => {
    const { storage, tables } = database;
    const nothing = async () => null;
    const ids = uuidV7Ids(clock);
    const tokens = tokensEngine({ storage, tables, clock, ids, userOf: nothing, vapidPublicKey: nothing });
    const { load, count, states } = pushTokenLookup({ storage, tables, scopes: testScopes });
    const body = { token: 'fcm:1', platform: 'android', userId: 'ann' } as const;
    const { id } = (await tokens.register(TEST, body)).token;
    await tokens.register(scopeLike(TEST, { projectId: 'shop' }), body);
    await tokens.register(TEST, body);
    await tokens.follow(TEST, 'a:a1', 'u:ann');
    await tokens.ofPerson(TEST, 'u:ann');
    await tokens.delete(TEST, id);
    const recipients = [
      { kind: 'user', userId: 'ann' },
      { kind: 'address', address: 'fcm:1', name: null },
    ] as const;
    const [ann] = recipients;
    await load(
      recipients.map((recipient) => ({ ...TEST, recipient })),
      { after: null, limit: 10 },
    );
    await load([{ ...TEST, recipient: ann }], { after: id, limit: 10 });
    await tokenTags(storage, tables)([{ ...TEST, person: 'u:ann' }]);
    await count(TEST, recipients, {});
    const message = { ...TEST, id: 'm', person: 'u:ann', address: 'fcm:1', facts: { tokenId: id } };
    await states([message]);
    const dead = deadTokens({
      storage,
      tables,
      emitter: listeningTo(tables),
      causes: async () => () => ({ depth: 0 }),
    });
    const other = (await tokens.register(TEST, { ...body, token: 'fcm:2' })).token;
    const about = messageChange({ ...TEST, channel: 'push' });
    const address = { address: 'fcm:1', facts: { tokenId: id } };
    const changes: MessageChange[] = [
      { ...about, feedback: { ...address, kind: 'apns_environment', apnsEnvironment: 'sandbox' } },
      { ...about, feedback: { ...address, facts: { tokenId: other.id }, kind: 'dead', deadSince: null } },
    ];
    await storage.commit(dead.plan(changes, await dead.load(changes), clock.now()));
    expect(texts.size).toBeGreaterThan(10);
    expect(await scansOf(database.url, [...texts])).toEqual([]);
  });

  it('the check detects a scan if there is no index', async () => {
    expect(await scansOf(database.url, ['select "id" from "push_tokens" where "locale" = \'fr\''])).toHaveLength(1);
  });
});
