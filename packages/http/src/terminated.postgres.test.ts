import { createBeckon, newMasterKey } from '@beckon/core';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { newPostgresDatabase } from '../../core/test/support/database.ts';
import { createHandler } from './index.ts';

/** Terminations of all sessions, and requests that are in progress at any time. */
const ENDS = 80;
const CLIENTS = 16;

describe('database sessions terminated under load', () => {
  it('terminated sessions cause 503 with Retry-After, never 500, and nothing is lost or duplicated', async () => {
    const database = await newPostgresDatabase();
    // High limits, because this test is not about rate limits.
    const limits = { callsPerMinute: 1_000_000, ingestPerSecond: 1_000_000, ingestBurst: 1_000_000 };
    const beckon = await createBeckon({ db: database.url, masterKey: newMasterKey(), limits });
    const admin = new pg.Client({ connectionString: database.url, application_name: 'admin' });
    await admin.connect();
    try {
      const { tenancy } = beckon;
      const { id: orgId } = await tenancy.createOrg({ name: 'Acme' });
      const { id: projectId } = await tenancy.createProject({ orgId, name: 'App' });
      const key = { kind: 'secret', environment: 'test', grants: [{ orgId, projectId }] } as const;
      const headers = { 'x-api-key': (await tenancy.createKey(key)).secret, 'content-type': 'application/json' };
      const stacks: unknown[] = [];
      const quiet = (): void => undefined;
      const error = ({ stack }: Readonly<Record<string, unknown>>): void => void stacks.push(stack);
      const handler = createHandler(beckon, { log: { info: quiet, warn: quiet, error } });
      const statuses = new Map<number, number>();
      const bare: string[] = [];
      let isOver = false;

      const ask = async (path: string, body?: unknown): Promise<number> => {
        const init = { method: body ? 'POST' : 'GET', headers, ...(body ? { body: JSON.stringify(body) } : {}) };
        const answer = await handler.fetch(new Request(`http://x/api/v1${path}`, init));
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 503 && answer.headers.get('retry-after') === null) bare.push(path);
        return answer.status;
      };
      const acknowledged = new Set<string>();
      const client = async (name: string): Promise<void> => {
        for (let at = 0; !isOver; at += 1) {
          const messageId = `${name}-${at}`;
          const event = { module: 'm', eventType: 'm.e', userId: messageId, messageId };
          // Retries like a client after Retry-After.
          while ((await ask('/events', event)) !== 200);
          acknowledged.add(messageId);
          await ask(`/profiles/${messageId}`);
        }
      };
      const clients = Array.from({ length: CLIENTS }, (_, at) => client(`client${at}`));
      for (let end = 0; end < ENDS; end += 1) {
        await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      isOver = true;
      await Promise.all(clients);

      const { rows } = await admin.query('select message_id as id, count(*)::int as stored from events group by 1');
      const stored = new Map(rows.map(({ id, stored: count }) => [id, count]));
      const lost = [...acknowledged].filter((id) => !stored.has(id));
      const twice = rows.filter(({ stored: count }) => count > 1);
      console.log(
        `terminated: ${ENDS} times, acknowledged ${acknowledged.size}, lost ${lost.length}, twice ${twice.length}, ` +
          `answers ${JSON.stringify(Object.fromEntries(statuses))}`,
      );
      expect(lost).toEqual([]);
      expect(twice).toEqual([]);
      expect(stacks).toEqual([]);
      expect([...statuses.keys()].filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
      expect(statuses.get(503)).toBeGreaterThan(0);
      expect(bare).toEqual([]);
    } finally {
      await admin.end();
      await beckon.close();
      await database.drop();
    }
  });
});
