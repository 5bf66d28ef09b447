import { describe, expect, it, onTestFinished } from 'vitest';
import type { SendOutcome } from '../port.ts';
import { CLOSED_AMONG, cases, GRACE_MS, part } from './contract-cases.ts';
import { type Behaviour, type Changes, TRANSPORT_CASES, type TransportSubject } from './stand-in.ts';
import { turnsUntil } from './turns.ts';

export type { Behaviour, Changes, Oddity, StandIn, TransportCase, TransportSubject } from './stand-in.ts';

const UNICODE = 'Grüße, 日本語, \u{1F600}, e\u0301, \u202eabc';
/** Source: transports, Contract suite. */
const MANY = 500;

/**
 * Promises of every transport, for any provider.
 *
 * @param subject `start` creates a stand-in, `make` a transport that talks to it; both are new for each test. Each case
 * of TRANSPORT_CASES runs, or is shown as skipped with the reason in `without`.
 */
export const transportContract = <M, S = undefined>(name: string, subject: TransportSubject<M, S>): void => {
  const { start, settings, without = {}, many = MANY } = subject;
  const world = async () => {
    const standIn = await start();
    const made: { close(): Promise<void> }[] = [];
    onTestFinished(async () => {
      await Promise.all(made.map((one) => one.close()));
      await standIn.stop();
    });
    const make = (changes?: Changes) => {
      const transport = subject.make(standIn, changes);
      made.push(transport);
      return transport;
    };
    return { standIn, subject, make };
  };
  const open = async (changes?: Changes) => {
    const { standIn, make } = await world();
    const transport = make(changes);
    const send = (behaviour: Behaviour, id = 'm-1', signal = new AbortController().signal): Promise<SendOutcome> =>
      transport.send(standIn.message(id, behaviour), { signal, attempt: 1 });
    return { standIn, transport, send };
  };

  describe(`the ${name} transport`, () => {
    it('an accepted message is handed over once, under the id of its row', async () => {
      const { standIn, send } = await open();
      const outcome = await send('accept');
      expect(outcome.result).toBe('accepted');
      if (outcome.result === 'accepted') expect([null, expect.any(String)]).toContainEqual(outcome.providerId);
      expect(standIn.arrived().map(({ messageId }) => messageId)).toEqual(['m-1']);
    });

    it('a dead address and a refused message have different outcomes', async () => {
      const { standIn, send } = await open();
      expect(await send('bounce')).toMatchObject({
        result: 'failed',
        address: expect.stringMatching(/dead|bounced|opted_out/),
      });
      const refused = await send('refuse');
      expect(refused).toMatchObject({ result: 'failed', code: expect.any(String) });
      expect(refused).not.toHaveProperty('address');
      expect(standIn.arrived()).toEqual([]);
    });

    it('a busy provider gives a retry', async () => {
      const { send } = await open();
      expect(await send('throttle')).toMatchObject({ result: 'retry', processed: 'no' });
    });

    it('a dropped connection leaves open what happened to the message', async () => {
      const { send } = await open();
      expect(await send('drop')).toMatchObject({ result: 'retry', processed: 'unknown' });
    });

    it('an abort gives an outcome within 100 ms', async () => {
      const { send } = await open();
      const controller = new AbortController();
      const sending = send('hang', 'm-1', controller.signal);
      await new Promise((resolve) => setTimeout(resolve, 20));
      controller.abort();
      expect(await turnsUntil(sending)).toBeLessThan(GRACE_MS);
      expect(await sending).toMatchObject({ result: 'retry' });
    });

    it('a send that was aborted before it began sends nothing', async () => {
      const { standIn, send } = await open();
      expect(await send('accept', 'm-1', AbortSignal.abort())).toMatchObject({ result: 'retry', processed: 'no' });
      expect(standIn.arrived()).toEqual([]);
    });

    it(`keeps ${many} sends within its cap, loses none and doubles none`, async () => {
      // The total time depends on the machine: if it has no time to connect, another attempt follows, as in the work
      // layer.
      const { standIn, transport, send } = await open({ limitMs: 540_000 });
      const ids = Array.from({ length: many }, (_, at) => `m-${at}`);
      const sendSurely = async (id: string, attempts = 10): Promise<SendOutcome> => {
        const outcome = await send('accept', id);
        const isUnsent = outcome.result === 'retry' && outcome.processed === 'no';
        return isUnsent && attempts > 1 ? sendSurely(id, attempts - 1) : outcome;
      };
      const outcomes = await Promise.all(ids.map((id) => sendSurely(id)));
      expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['accepted']));
      const arrived = standIn.arrived().map(({ messageId }) => messageId);
      expect(arrived.sort()).toEqual(ids.sort());
      expect(standIn.peak()).toBeLessThanOrEqual(transport.maxInFlight);
    });

    it('aborted calls release their capacity', async () => {
      const { transport, send } = await open();
      const controller = new AbortController();
      const hanging = Array.from({ length: transport.maxInFlight + 10 }, (_, at) =>
        send('hang', `h-${at}`, controller.signal),
      );
      controller.abort();
      await Promise.all(hanging);
      expect(await send('accept', 'after')).toMatchObject({ result: 'accepted' });
    });

    it('closing resolves every send under way and refuses later ones', async () => {
      const { standIn, transport, send } = await open();
      const sending = Array.from({ length: Math.min(many, CLOSED_AMONG) }, (_, at) => send('accept', `m-${at}`));
      await transport.close();
      const results = (await Promise.all(sending)).map(({ result }) => result);
      expect(results.filter((result) => result === 'accepted')).toHaveLength(standIn.arrived().length);
      const before = standIn.arrived().length;
      expect(await send('accept', 'late')).toMatchObject({ result: 'retry', processed: 'no' });
      expect(standIn.arrived()).toHaveLength(before);
    });

    // A host's own transport has no settings to check.
    if (settings !== undefined)
      it('valid settings have no problems', async () => {
        const { transport } = await open();
        expect(part(transport.check, 'check').call(transport, settings)).toEqual([]);
      });

    it('an outcome contains neither address nor text', async () => {
      const { standIn, transport } = await open();
      for (const behaviour of ['bounce', 'refuse', 'throttle', 'drop'] as const) {
        const message = standIn.message('m-1', behaviour, 'the text of the mail');
        const outcome = await transport.send(message, { signal: new AbortController().signal, attempt: 1 });
        const told = JSON.stringify(outcome);
        for (const word of ['the text of the mail', ...standIn.secrets]) expect(told).not.toContain(word);
      }
    });

    it('every character arrives unchanged', async () => {
      const { standIn, transport } = await open();
      const message = standIn.message('m-1', 'accept', UNICODE);
      await transport.send(message, { signal: new AbortController().signal, attempt: 1 });
      expect(standIn.arrived()[0]?.text).toContain(UNICODE);
    });

    for (const key of TRANSPORT_CASES) {
      if (key === 'brokenSettings' && settings === undefined) continue;
      const reason = without[key];
      // skip: the subject states why the case does not apply to its provider.
      if (reason) it.skip(`${cases[key].title} (${reason})`, () => undefined);
      else it(cases[key].title, async () => cases[key].run(await world()));
    }
  });
};
