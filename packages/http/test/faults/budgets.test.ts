import { createBeckon, newMasterKey } from '@beckon/core';
import pg from 'pg';
import { expect, it } from 'vitest';
import { newPostgresDatabase } from '../../../core/test/support/database.ts';
import { createHandler } from '../../src/index.ts';

/** How long the events table is locked: longer than an event may take. Source: semantics, Deadlines. */
const LOCKED_MS = 6_000;
const CLIENTS = 20;

it('events that wait for a locked table are answered in time, and nothing of them is written once it is free', async () => {
  const database = await newPostgresDatabase();
  const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey() });
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  const count = async (): Promise<unknown> =>
    (await holder.query('select count(*)::int as stored from events')).rows[0]?.stored;
  try {
    const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
    const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
    const key = { kind: 'secret', environment: 'test', grants: [{ orgId, projectId }] } as const;
    const headers = { 'x-api-key': (await beckon.tenancy.createKey(key)).secret, 'content-type': 'application/json' };
    const handler = createHandler(beckon);
    const send = async (name: string) => {
      const body = JSON.stringify({ module: 'm', eventType: 'm.e', userId: name, messageId: name });
      const start = performance.now();
      const answer = await handler.fetch(new Request('http://x/api/v1/events', { method: 'POST', headers, body }));
      const { error } = (await answer.json()) as { error?: { code: string } };
      const { status } = answer;
      return { status, code: error?.code, retry: answer.headers.get('retry-after'), ms: performance.now() - start };
    };
    await send('before');

    await holder.query('begin; lock table events in access exclusive mode');
    const unlocked = new Promise((resolve) => setTimeout(resolve, LOCKED_MS));
    // Not all at once: later ones wait for the flush of earlier ones.
    const sent = Array.from({ length: CLIENTS }, async (_, at) => {
      await new Promise((resolve) => setTimeout(resolve, at * 40));
      return send(`late${at}`);
    });
    const answers = await Promise.all(sent);
    await unlocked;
    await holder.query('commit');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const codes = Object.groupBy(answers, ({ status, code }) => `${status} ${code}`);
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    const late = Number(await count()) - 1;
    const again = (await send('late0')).status;
    const counts = Object.entries(codes).map(([code, of]) => `${code}: ${of?.length}`);
    console.log(
      `fault budgets postgres: locked ${LOCKED_MS} ms, ${counts.join(', ')}; slowest ${Math.round(slowest)} ms, late rows ${late}`,
    );
    expect(answers.filter(({ status, retry }) => status !== 503 || retry === null)).toEqual([]);
    expect(slowest).toBeLessThan(5_300);
    // The database waits for a lock for nine tenths of the remaining time.
    expect(answers[0]?.ms).toBeGreaterThan(4_000);
    expect(late).toBe(0);
    expect(again).toBe(200);
    expect(await count()).toBe(2);
  } finally {
    await holder.end();
    await beckon.close();
    await database.drop();
  }
});
