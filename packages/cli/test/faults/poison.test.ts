import Database from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Deployment } from '../kill/deployment.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { readLedger, repeats } from './ledger.ts';
import { mail } from './sends.ts';
import { onStage } from './stage.ts';
import { until } from './wait.ts';

/** Beside the poison; all of them fit into one claim of 256. */
const GOOD = 250;
/** Age of others' messages. Source: the fault matrix. */
const OTHERS_WITHIN_MS = 5_000;
/** A row that throws is tried again after 2, 4, 8 and 16 s before it is given up. Source: core, work/registration.ts. */
const GIVEN_UP_WITHIN_MS = 60_000;

const seed = killSeed();

/** Writes what no version of this program writes: a defect of the future, or a hand in the database. */
const corrupt = async ({ engine, url }: Deployment, statement: string): Promise<void> => {
  if (engine === 'sqlite') {
    const connection = new Database(url.slice('sqlite:'.length), { fileMustExist: true });
    connection.exec(statement);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

/** Sound requests for messages that cannot be sent, each with the reason with which they end. */
const UNSENDABLE = [
  { title: 'x'.repeat(4_000), body: '日'.repeat(1_000), code: 'payload_too_large' },
  { title: 'News', body: '{{trait.long}}{{trait.long}}', code: 'payload_too_large' },
];
/** What a provider takes, odd as it is. */
const ODD = {
  title: 'a\0b\ud800c',
  body: '{{constructor.constructor}}{{trait.__proto__.x}}{{{{}}}}',
  data: { k: '\udfff\0' },
};

describe.concurrent('a poison message', () => {
  it.for(ENGINES)('ends with its reason, and nobody waits for it, on %s', { timeout: 180_000 }, (engine) =>
    onStage(engine, async (stage) => {
      const { beckon, deployment, scope } = stage;
      await beckon.events.identify(scope, { userId: 'ann', traits: { long: 'x'.repeat(40_000) } });
      await beckon.tokens.register(scope, { token: 'android:ann', platform: 'android', userId: 'ann' });

      // One row among 250 makes whatever handles it throw.
      await mail(stage, 'poison', 1);
      const [poison] = await deployment.query<{ id: string }>('select id from sends');
      await corrupt(deployment, `update sends set content = '{"subject": 7, "text": "x"}' where id = '${poison?.id}'`);
      await mail(stage, 'good', GOOD);
      const codes: string[] = [];
      for (const { code, ...push } of UNSENDABLE) {
        await beckon.push.send(scope, { ...push, userIds: ['ann'] });
        codes.push(code);
      }
      await beckon.push.send(scope, { ...ODD, tokens: ['android:odd'] });

      const begun = performance.now();
      beckon.worker.start();
      const left = async (): Promise<number> =>
        (
          await deployment.query(
            `select 1 as one from messages where finished_at is null and send_id <> '${poison?.id}'`,
          )
        ).length;
      await until('the others are done', async () => (await left()) === 0, { everyMs: 50 });
      const othersMs = performance.now() - begun;
      await until(
        'the poison is given up',
        async () => (await beckon.sends.get(scope, 'email', poison?.id ?? '')).status === 'failed',
        {
          withinMs: GIVEN_UP_WITHIN_MS,
          everyMs: 250,
        },
      );
      const givenUpMs = performance.now() - begun;
      await mail(stage, 'after', 1);
      await until('the worker still works', async () => (await left()) === 0);
      await beckon.worker.stop();

      const entries = await readLedger(stage);
      const bad = entries.find(({ sendId }) => sendId === poison?.id);
      const pushes = entries.filter(({ channel }) => channel === 'push');
      const figures = {
        others: entries.filter(({ channel, status }) => channel === 'email' && status === 'sent').length,
        othersMs: othersMs.toFixed(0),
        twice: repeats(entries),
        poison: `${bad?.status} ${bad?.errorCode}`,
        poisonTimes: bad?.times ?? -1,
        givenUpSeconds: (givenUpMs / 1_000).toFixed(0),
        unsendable: pushes.filter(({ status }) => status === 'failed').length,
      };
      print('poison', engine, figures, seed);
      expect(figures).toMatchObject({ others: GOOD + 1, twice: 0, poison: 'failed threw', poisonTimes: 0 });
      expect(othersMs).toBeLessThan(OTHERS_WITHIN_MS);
      expect(
        pushes
          .filter(({ status }) => status === 'failed')
          .map(({ errorCode }) => errorCode)
          .sort(),
      ).toEqual(codes.sort());
      expect(pushes.filter(({ status }) => status === 'sent').map(({ address }) => address)).toEqual(['android:odd']);
    }),
  );
});
