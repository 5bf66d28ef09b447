import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { killNine } from '../kill/deployment.ts';
import { untilDrained } from '../kill/drained.ts';
import { killSeed, randomOf } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { untilSettled } from './pause.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';

const CAP = 3;
const KILLS = 2;
/** Per round: users with two devices each, and more sends to all of them than the cap allows. */
const PEOPLE = 40;
const SENDS = 6;
const TAKES_MS = 300;
/** Minimum pushes in flight at a kill. Chosen: a large part of the pushes of a round. */
const LEAST = 20;
/** Maximum delay of the kill after that. */
const KILL_AFTER_MS = 60;

const seed = killSeed();

type Row = { readonly id: string; readonly sendId: string; readonly person: string; readonly status: string };

/** Releases the leases of the dead worker at once, instead of waiting 30 s. */
const endLeases = async ({ engine, deployment }: Stage): Promise<void> => {
  const text = 'update messages set lease_until = created_at where lease_until is not null';
  if (engine === 'postgres') return void (await deployment.query(text));
  const connection = new Database(deployment.url.slice('sqlite:'.length), { fileMustExist: true, timeout: 5_000 });
  connection.exec(text);
  connection.close();
};

const register = async ({ beckon, scope }: Stage, userId: string): Promise<void> => {
  for (const device of ['phone', 'tablet'])
    await beckon.tokens.register(scope, { token: apnsToken('ok', `${userId} ${device}`), platform: 'ios', userId });
};

describe.concurrent('kill -9 of a worker beside a frequency cap', () => {
  it.for(ENGINES)('after kill -9 every user gets exactly as many messages as the cap allows, on %s', (engine) =>
    onStage(engine, async (stage) => {
      const { beckon, scope, deployment, gateways, work } = stage;
      const random = randomOf(`capped ${engine} ${seed}`);
      const rules = [{ channel: 'all', max: CAP, per: { n: 1, unit: 'day' } }] as const;
      await beckon.settings.update(scope, 'push', { frequencyCap: { enabled: true, rules } });
      gateways.pace.apns = TAKES_MS;
      for (let round = 0; round < KILLS; round += 1) {
        const userIds = Array.from({ length: PEOPLE }, (_, at) => `person-${round}-${at}`);
        for (const userId of userIds) await register(stage, userId);
        for (let at = 0; at < SENDS; at += 1) await beckon.push.send(scope, { title: 'News', body: `${at}`, userIds });
        const worker = await work();
        await until('enough is under way', () => gateways.apns.open() >= LEAST);
        await sleep(random() * KILL_AFTER_MS);
        await killNine(worker);
        await untilSettled(deployment);
        await endLeases(stage);
        await until('the dead one is gone from its provider', () => gateways.apns.open() === 0);
      }
      gateways.pace.apns = 0;
      const last = await work();
      await untilDrained(deployment, last);
      const exit = await last.stop();
      const rows = await deployment.query<Row>('select id, send_id as "sendId", person, status from messages');
      const sent = rows.filter(({ id }) => gateways.apns.read.has(id));
      const people = Map.groupBy(sent, ({ person }) => person);
      const sendsOf = [...people.values()].map((own) => new Set(own.map(({ sendId }) => sendId)).size);
      const twice = sent.reduce((sum, { id }) => sum + (gateways.apns.read.get(id) ?? 0) - 1, 0);
      const figures = {
        kills: KILLS,
        people: KILLS * PEOPLE,
        messages: rows.length,
        sent: rows.filter(({ status }) => status === 'sent').length,
        suppressed: rows.filter(({ status }) => status === 'suppressed').length,
        handedOverTwice: twice,
        over: sendsOf.filter((count) => count > CAP).length,
        under: KILLS * PEOPLE - sendsOf.filter((count) => count >= CAP).length,
      };
      print('capped', engine, figures, seed);
      expect(exit).toBe(0);
      const through = KILLS * PEOPLE * CAP * 2;
      expect(figures).toMatchObject({ over: 0, under: 0, sent: through });
      expect(figures.suppressed).toBe(KILLS * PEOPLE * SENDS * 2 - through);
    }),
  );
});
