import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBeckon } from '@beckon/core';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type Deployment, deploy, killNine, urlOf } from '../kill/deployment.ts';
import { client, forAll } from '../kill/http.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { untilSettled } from './pause.ts';
import { until } from './wait.ts';

const KILLS = 4;
/** Identify requests per round, and clients. */
const CALLS = 300;
const CLIENTS = 16;
const WEBHOOKS = 2;
/** Response time of the receiver. Chosen: long enough that a kill finds open requests. */
const TAKES_MS = 30;
/** Maximum delay of the kill after the first requests of a round. */
const KILL_AFTER_MS = 400;
const LOOPBACK = '127.0.0.0/8';

const seed = killSeed();

type Row = { readonly id: string; readonly eventId: string; readonly webhookId: string; readonly status: string };

/** Releases the leases of the dead worker at once, instead of waiting 30 s. */
const endLeases = async ({ engine, url, query }: Deployment): Promise<void> => {
  const text = 'update webhook_deliveries set lease_until = null, due_at = created_at where lease_until is not null';
  if (engine === 'postgres') return void (await query(text));
  const connection = new Database(url.slice('sqlite:'.length), { fileMustExist: true, timeout: 5_000 });
  connection.exec(text);
  connection.close();
};

/** A slow receiver that counts the deliveries of each event by webhook. */
const openReceiver = async () => {
  const got = new Map<string, number>();
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    request.resume().on('end', () => {
      const key = `${request.url?.slice(1)}/${request.headers['webhook-id']}`;
      got.set(key, (got.get(key) ?? 0) + 1);
      setTimeout(() => response.end(), TAKES_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { got, open: () => open, urlFor: (name: string) => `http://127.0.0.1:${port}/${name}`, close };
};

describe('kill -9 of a server that delivers webhooks', () => {
  it.for(ENGINES)('each delivery is created once and posted at least once, on %s', async (engine) => {
    const deployment = await deploy(engine, []);
    const receiver = await openReceiver();
    try {
      const random = randomOf(`webhooks ${engine} ${seed}`);
      const { url: db, masterKey, project } = deployment;
      const beckon = await createBeckon({ db, masterKey, outbound: { allowCidrs: [LOOPBACK] } });
      const scope = await beckon.tenancy.scope({ ...project, environment: 'test' });
      const names = new Map<string, string>();
      for (let at = 0; at < WEBHOOKS; at += 1) {
        const url = receiver.urlFor(`w${at}`);
        const { id } = await beckon.webhooks.create(scope, { url, events: ['user.identified'] });
        names.set(id, `w${at}`);
      }
      await beckon.close();
      const serve = () => deployment.start(['serve', '--port', '0'], { BECKON_NET_ALLOW_CIDRS: LOOPBACK });

      const acked = new Set<string>();
      let unknown = 0;
      for (let round = 0; round < KILLS; round += 1) {
        const server = serve();
        const http = client(await urlOf(server), deployment.key, CLIENTS);
        const before = receiver.got.size;
        const users = Array.from({ length: CALLS }, (_, at) => `person-${round}-${at}`);
        const requested = forAll(users, CLIENTS, async (userId) => {
          const answer = await http.call('POST', '/api/v1/identify', { userId, traits: { round } }).catch(() => null);
          if (answer?.status === 200) acked.add(String(answer.data['id']));
          else unknown += 1;
        });
        await until('something is told', () => receiver.got.size > before);
        await sleep(random() * KILL_AFTER_MS);
        await killNine(server);
        await requested;
        http.close();
        await untilSettled(deployment);
        await endLeases(deployment);
        await until('the dead one is gone from its receiver', () => receiver.open() === 0);
      }
      const last = serve();
      const due = 'select cast(count(*) as integer) as due from webhook_deliveries where due_at is not null';
      await until('everything is told', async () => (await deployment.query<{ due: number }>(due))[0]?.due === 0);
      expect(await last.stop()).toBe(0);

      const events = await deployment.query<{ id: string }>(
        "select id from events where event_type = 'user.identified'",
      );
      const rows = await deployment.query<Row>(
        'select id, event_id as "eventId", webhook_id as "webhookId", status from webhook_deliveries',
      );
      const delivered = rows.map(
        ({ eventId, webhookId }) => receiver.got.get(`${names.get(webhookId)}/${eventId}`) ?? 0,
      );
      const pairs = new Set(rows.map(({ eventId, webhookId }) => `${eventId}/${webhookId}`));
      const stored = new Set(events.map(({ id }) => id));
      const figures = {
        kills: KILLS,
        acked: acked.size,
        unknown,
        events: events.length,
        deliveries: rows.length,
        missing: events.length * WEBHOOKS - pairs.size,
        madeTwice: rows.length - pairs.size,
        ofNoEvent: rows.filter(({ eventId }) => !stored.has(eventId)).length,
        ackedLost: [...acked].filter((id) => !stored.has(id)).length,
        neverTold: delivered.filter((times) => times === 0).length,
        toldAgain: delivered.reduce((sum, times) => sum + Math.max(0, times - 1), 0),
      };
      print('webhooks', engine, figures, seed);
      expect(figures).toMatchObject({ missing: 0, madeTwice: 0, ofNoEvent: 0, ackedLost: 0, neverTold: 0 });
      expect(figures.deliveries).toBe(figures.events * WEBHOOKS);
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered']));
    } finally {
      await receiver.close();
      await deployment.remove();
    }
  });
});
