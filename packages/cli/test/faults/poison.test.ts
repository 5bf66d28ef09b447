import { createHandler } from '@beckon/http';
import { describe, expect, it } from 'vitest';
import { apnsToken } from '../../../core/test/support/transports/apns-peer.ts';
import { killSeed } from '../kill/random.ts';
import { ENGINES, print } from './figures.ts';
import { readLedger, repeats } from './ledger.ts';
import { corrupt, ODD, type Poison, REFUSED, TRAITS, UNSENDABLE } from './poison.ts';
import { shiftedClock } from './shifted-clock.ts';
import { onStage, type Stage } from './stage.ts';
import { until } from './wait.ts';

/** Normal pushes that one claim of 256 takes together with the failing message. */
const GOOD = { sends: 3, each: 80 };
/** Maximum age of other messages. Source: the fault matrix. */
const PROMPT_MS = 5_000;
const POLL_MS = 50;
/** Clock advance for each retry of a throwing row; the delays are 2, 4, 8 and 16 s. */
const SKIP_MS = 5_000;

const seed = killSeed();

describe('poison', () => {
  it.for(ENGINES)('invalid rows are rejected or fail with a reason and delay no other message, on %s', (engine) => {
    const logged: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_: unknown, message: string) => void logged.push(message),
      error: (_: unknown, message: string) => void logged.push(message),
    };
    const clock = shiftedClock();
    const play = async (stage: Stage): Promise<void> => {
      const { beckon, deployment, gateways, scope } = stage;
      const { fetch } = createHandler(beckon);
      const post = async ({ path, body }: Poison): Promise<{ status: number; sendId: string }> => {
        const headers = { 'x-api-key': deployment.prodKey, 'content-type': 'application/json' };
        const response = await fetch(new Request(`http://test/api/v1${path}`, { method: 'POST', headers, body }));
        // Proof of the cast: every response is an envelope; that of an accepted send contains its row.
        const { data } = (await response.json()) as { data?: { id?: string } };
        return { status: response.status, sendId: data?.id ?? '' };
      };
      const pushTo = (name: string, count: number) =>
        beckon.push.send(scope, {
          title: 'News',
          body: 'There is news.',
          tokens: Array.from({ length: count }, (_, at) => apnsToken('ok', `${name} ${at}`)),
        });
      const sendOf = async (id: string) => (await readLedger(stage)).filter(({ sendId }) => sendId === id);
      const isOpen = async (but: string): Promise<boolean> =>
        (
          await deployment.query(
            `select 1 as one from messages where finished_at is null and cast(send_id as text) <> '${but}'`,
          )
        ).length > 0;

      await beckon.events.identify(scope, { userId: 'ann', traits: TRAITS });
      await beckon.tokens.register(scope, { token: 'android:ann', platform: 'android', userId: 'ann' });
      // One row makes the sending of its whole batch throw.
      const thrower = await pushTo('thrower', 1);
      if ('dryRun' in thrower) throw new Error('it was a dry run');
      await corrupt(deployment, `update sends set content = '{"title": 7, "body": "x"}' where id = '${thrower.id}'`);
      for (let at = 0; at < GOOD.sends; at += 1) await pushTo(`good ${at}`, GOOD.each);
      const refused = await Promise.all(REFUSED.map(async (one) => [one.name, (await post(one)).status]));
      const unsendable = await Promise.all(UNSENDABLE.map(async (one) => ({ ...one, ...(await post(one)) })));
      const odd = await Promise.all(ODD.map(async (one) => ({ ...one, ...(await post(one)) })));

      const begun = performance.now();
      beckon.worker.start();
      await until('the others are done', async () => !(await isOpen(thrower.id)), { everyMs: 50 });
      const othersMs = performance.now() - begun;
      const isGivenUp = async (): Promise<boolean> => {
        clock.skip(SKIP_MS);
        return (await beckon.sends.get(scope, 'push', thrower.id)).status === 'failed';
      };
      await until('the row that throws is given up', isGivenUp, { everyMs: 200 });
      await pushTo('after', 1);
      await until('the worker works', async () => !(await isOpen('')));
      await beckon.worker.stop();

      const entries = await readLedger(stage);
      const [bad] = await sendOf(thrower.id);
      const ends = await Promise.all(
        unsendable.map(async ({ name, sendId }) => [name, (await sendOf(sendId))[0]?.errorCode]),
      );
      const oddEnds = await Promise.all(odd.map(async ({ name, sendId }) => [name, (await sendOf(sendId))[0]?.status]));
      const ios = entries.filter(
        ({ channel, sendId, address }) => channel === 'push' && sendId !== thrower.id && address !== 'android:ann',
      );
      const figures = {
        others: ios.filter(({ status, times }) => status === 'sent' && times === 1).length,
        othersMs: othersMs.toFixed(0),
        twice: repeats(entries),
        thrower: `${bad?.status} ${bad?.errorCode}`,
        throws: logged.filter((message) => message === 'work threw').length,
        handedOver: bad?.times ?? -1,
        refused: refused.length,
        unsendable: ends.length,
        odd: oddEnds.length,
      };
      print('poison', engine, figures, seed);
      expect(refused).toEqual(REFUSED.map(({ name, status }) => [name, status]));
      expect(ends).toEqual(UNSENDABLE.map(({ name, code }) => [name, code]));
      expect(oddEnds).toEqual(ODD.map(({ name }) => [name, 'sent']));
      expect(figures).toMatchObject({
        others: GOOD.sends * GOOD.each + 1,
        twice: 0,
        thrower: 'failed threw',
        handedOver: 0,
      });
      expect(othersMs).toBeLessThan(PROMPT_MS);
      const [first] = gateways.fcm.arrived().filter(({ message }) => message.data['k'] !== undefined);
      expect([first?.message.notification?.title, first?.message.data['k']]).toEqual([
        'a\ufffdb\ufffdc',
        '\ufffd\ufffd',
      ]);
      expect(gateways.relay.received.every(({ headers, to }) => !headers.has('bcc') && to.length === 1)).toBe(true);
    };
    return onStage(engine, play, { clock, pollMs: POLL_MS, log });
  });
});
