import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBeckon } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { deploy, urlOf } from '../kill/deployment.ts';
import { client, forAll } from '../kill/http.ts';
import { ENGINES, print } from './figures.ts';
import { until } from './wait.ts';

const HEALTHY = 50;
/** Events in a row that every healthy receiver is told of, and the pause between two, in milliseconds. */
const EVENTS = 40;
const PAUSE_MS = 100;
/** What waits for the receiver that hangs before anybody else is told anything. */
const BACKLOG = 400;
/** Calls at once to one webhook. Source: reliability, Promises (P6). */
const MOST = 8;
/** What the healthy ones may wait longer beside it; ours: their noise on a busy machine, far below the 10 s of a call. */
const FACTOR = 3;
const EXTRA_MS = 500;
const CLIENTS = 8;
const LOOPBACK = '127.0.0.0/8';

const listen = async (answer: RequestListener) => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Safe: a TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/`, close };
};

const percentile = (values: readonly number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1] ?? 0);

describe('a receiver that hangs', () => {
  it.for(ENGINES)('holds up none of 50 healthy ones, on %s', async (engine) => {
    const deployment = await deploy(engine, []);
    const closing: (() => Promise<void>)[] = [deployment.remove];
    try {
      /** When a user's event was asked for, and how long each receiver then waited for it. */
      const asked = new Map<string, number>();
      let waits: number[] = [];
      const healthy = await Promise.all(
        Array.from({ length: HEALTHY }, () =>
          listen((request, response) => {
            let body = '';
            request
              .on('data', (chunk) => (body += chunk))
              .on('end', () => {
                const began = asked.get(JSON.parse(body).data.userId);
                if (began !== undefined) waits.push(performance.now() - began);
                response.end();
              });
          }),
        ),
      );
      let [open, most, begun] = [0, 0, 0];
      const hanging = await listen((_, response) => {
        open += 1;
        begun += 1;
        most = Math.max(most, open);
        response.on('close', () => {
          open -= 1;
        });
      });
      closing.push(hanging.close, ...healthy.map(({ close }) => close));

      const { url: db, masterKey, project } = deployment;
      const beckon = await createBeckon({ db, masterKey, outbound: { allowCidrs: [LOOPBACK] } });
      const scope = await beckon.tenancy.scope({ ...project, environment: 'test' });
      for (const { url } of healthy) await beckon.webhooks.create(scope, { url, events: ['user.identified'] });
      const hung = await beckon.webhooks.create(scope, {
        ...{ url: hanging.url, events: ['user.identified', 'geofence.entered'], isActive: false },
      });
      const fence = await beckon.geofences.create(scope, { name: 'Shop', lat: 51, lng: 3, radiusMeters: 200 });
      await beckon.close();

      const server = deployment.start(['serve', '--port', '0'], { BECKON_NET_ALLOW_CIDRS: LOOPBACK });
      const http = client(await urlOf(server), deployment.key, CLIENTS);
      closing.push(async () => http.close());
      const tell = async (phase: string): Promise<readonly number[]> => {
        waits = [];
        for (let at = 0; at < EVENTS; at += 1) {
          const userId = `${phase}-${at}`;
          asked.set(userId, performance.now());
          expect((await http.call('POST', '/api/v1/identify', { userId, traits: { at } })).status).toBe(200);
          await sleep(PAUSE_MS);
        }
        await until('all healthy ones were told', () => waits.length === EVENTS * HEALTHY);
        return waits;
      };
      await tell('warm');
      const alone = await tell('alone');

      // Over the service that tells, whose word on webhooks is its own at once.
      const base = await urlOf(server);
      const on = await fetch(`${base}/api/v1/webhooks/${hung.id}`, {
        method: 'PATCH',
        headers: { 'x-api-key': deployment.key, 'content-type': 'application/json' },
        body: '{"isActive":true}',
      });
      expect(on.status).toBe(200);
      const walkers = Array.from({ length: BACKLOG }, (_, at) => `walker-${at}`);
      await forAll(walkers, CLIENTS, async (userId) => {
        const report = { geofenceId: fence.id, transition: 'entered', userId };
        expect((await http.call('POST', '/api/v1/push/geofences/event', report)).status).toBe(200);
      });
      await until('it hangs', () => open === MOST);
      const beside = await tell('beside');
      await until('its first calls ran out of time', () => begun > 2 * MOST);
      const later = await tell('later');
      const figures = {
        healthy: HEALTHY,
        events: EVENTS,
        backlog: BACKLOG,
        hangingCalls: most,
        aloneP50Ms: percentile(alone, 0.5),
        aloneP99Ms: percentile(alone, 0.99),
        besideP50Ms: percentile(beside, 0.5),
        besideP99Ms: percentile(beside, 0.99),
        laterP50Ms: percentile(later, 0.5),
        laterP99Ms: percentile(later, 0.99),
      };
      print('receivers', engine, figures, 0);
      expect(most).toBe(MOST);
      for (const p99 of [figures.besideP99Ms, figures.laterP99Ms])
        expect(p99).toBeLessThan(figures.aloneP99Ms * FACTOR + EXTRA_MS);
      await hanging.close();
      expect(await server.stop()).toBe(0);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  });
});
