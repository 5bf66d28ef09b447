import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Place, place } from './beckon.ts';
import { withDatabases } from './database-of.ts';

/** Pause after each event of one of two writers. Chosen: 50 events per second leave CPU for the backup. */
const PAUSE_MS = 40;

const made: Place[] = [];
afterEach(async () => {
  for (const one of made.splice(0)) await one.remove();
});

describe('beckon backup beside beckon serve', () => {
  it.each(['sqlite', 'postgres'] as const)(
    'a backup beside a running server loses no acknowledged event, on %s',
    async (engine) => {
      const at = place();
      made.push(at);
      await withDatabases(at, engine, async (make) => {
        const [from, to] = [await make(), await make()];
        const init = await at.run(['init', '--db', from.url, '--json']);
        const keys: readonly { name: string; secret: string }[] = JSON.parse(init.out).data.keys;
        const key = keys.find(({ name }) => name === 'sk_test')?.secret ?? '';
        const server = at.start(['serve', '--port', '0', '--worker']);
        const [, url = ''] = await server.says(/listening on (http:\/\/127\.0\.0\.1:\d+)/);
        let [answered, isOver] = [0, false];
        const write = async (writer: number): Promise<void> => {
          for (let n = 0; !isOver; n += 1) {
            const { status } = await fetch(`${url}/api/v1/events`, {
              method: 'POST',
              headers: { 'x-api-key': key, 'content-type': 'application/json' },
              body: JSON.stringify({ module: 'shop', eventType: 'seen', userId: `${writer}-${n}` }),
            });
            if (status === 200) answered += 1;
            await sleep(PAUSE_MS);
          }
        };
        const writing = Promise.all([1, 2].map(write));
        try {
          while (answered < 20) await sleep(10);
          const before = answered;
          const backup = await at.run(['backup', 'one.backup', '--json']);
          expect([backup.code, JSON.parse(backup.out).data]).toMatchObject([0, { withSecrets: true, dialect: engine }]);
          const meanwhile = answered - before;
          const refused = await at.run(['restore', 'one.backup', '--force', '--json']);
          expect([refused.code, JSON.parse(refused.out).error.details]).toEqual([6, { reason: 'in_use' }]);
          isOver = true;
          await writing;
          const restored = await at.run(['restore', 'one.backup', '--db', to.url]);
          expect([restored.code, restored.err]).toEqual([0, expect.any(String)]);
          const [events, people] = ['events', 'profiles'].map((table) => `select count(*) from ${table}`);
          const [count, profiles] = [await to.query(events ?? ''), await to.query(people ?? '')].map((rows) =>
            Number(rows[0]?.[0]),
          );
          console.log(
            `backup on ${engine}: ${before} answered before it began, ${meanwhile} while it was made, ` +
              `${count} restored, lost ${Math.max(0, before - (count ?? 0))}`,
          );
          expect(count).toBeGreaterThanOrEqual(before);
          expect(count).toBeLessThanOrEqual(answered);
          // A consistent snapshot: each of these events has its own new user.
          expect(profiles).toBe(count);
          // The running server, whose database was not replaced, still works.
          expect((await fetch(`${url}/readyz`)).status).toBe(200);
        } finally {
          isOver = true;
          await writing.catch(() => undefined);
        }
        expect(await server.stop()).toBe(0);
      });
    },
  );
});
