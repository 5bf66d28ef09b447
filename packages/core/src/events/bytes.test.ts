import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testScope } from '../../test/scopes.ts';
import { virtualClock } from '../primitives/clock.ts';
import { uuidV7Ids } from '../primitives/ids.ts';
import { profilesEngine } from '../profiles/profiles.ts';
import { openDatabase } from '../storage/open.ts';
import { tablesOf } from '../tables.ts';
import { dedupe } from './dedupe.ts';
import { eventsEngine } from './events.ts';
import { eventHot } from './hot.ts';
import { bindReaction } from './pipeline.ts';
import { storeEvents } from './store-events.ts';

/** Events, and people that they are of. */
const EVENTS = 20_000;
const PEOPLE = 2_000;
/** Source: the goals of storage; every index of the event and of its message id among them. */
const MAX_BYTES = 600;
const GROUP = 50;
const BODY_BYTES = 420;
const START = '2026-03-01T10:00:00.000Z';
const START_MS = Date.parse(START);

/** A number from 0 (inclusive) to 1, the same in each run. */
const random = (() => {
  let state = 1;
  return (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
})();
/** Few people do most of what happens. */
const zipf = (): number => Math.floor(PEOPLE ** random()) - 1;

/** As the load of the benchmarks, 420 bytes as JSON. */
const bodyOf = (at: number) => {
  const properties = {
    orderId: `order-${String(at).padStart(8, '0')}`,
    amount: 10 + (at % 9_000) / 100,
    currency: 'EUR',
    items: 1 + (at % 7),
    category: `category-${at % 20}`,
    isFirst: at % 11 === 0,
    platform: at % 2 === 0 ? 'ios' : 'android',
    appVersion: '4.12.0',
    note: '',
  };
  const body = {
    module: 'shop',
    eventType: `shop.event_${String(at % 20).padStart(2, '0')}`,
    userId: `user-${String(zipf()).padStart(6, '0')}`,
    messageId: randomUUID(),
    timestamp: new Date(START_MS + at).toISOString(),
    context: { locale: 'en-GB', timezone: 'Europe/London' },
    properties,
  };
  properties.note = 'x'.repeat(Math.max(0, BODY_BYTES - JSON.stringify(body).length));
  return body;
};

it('keeps an event with all its indexes in 600 bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-bytes-'));
  try {
    const file = join(folder, 'beckon.db');
    const database = await openDatabase({ url: `sqlite:${file}`, durability: 'process' });
    await database.migrate();
    const { storage } = database;
    const tables = tablesOf('sqlite');
    const clock = virtualClock(START);
    const hot = eventHot(tables);
    const profiles = profilesEngine({ storage, tables });
    const events = eventsEngine({
      storage,
      tables,
      clock,
      ids: uuidV7Ids(clock),
      reactions: [bindReaction(dedupe(storage, hot)), bindReaction(profiles.reaction), bindReaction(storeEvents(hot))],
    });
    const scope = testScope({ orgId: 'o', projectId: 'p', environment: 'prod' });
    let sent = 0;
    for (let from = 0; from < EVENTS; from += GROUP) {
      clock.advance(5);
      await Promise.all(
        Array.from({ length: GROUP }, (_, at) => {
          const body = bodyOf(from + at);
          sent += JSON.stringify(body).length;
          return events.accept(scope, body);
        }),
      );
    }
    await events.close();
    await storage.close();
    const stored = statSync(file).size / EVENTS;
    process.stdout.write(`bytes on disk per event: ${Math.round(stored)}, of a body of ${Math.round(sent / EVENTS)}\n`);
    expect(stored).toBeLessThanOrEqual(MAX_BYTES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
