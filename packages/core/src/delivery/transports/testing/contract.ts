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
 * What every transport promises, whatever provider stands behind it.
 *
 * @param subject `start` gives a stand-in, `make` the transport that talks to it; both anew for each test. Of the cases
 * in TRANSPORT_CASES each is run, or shown as skipped with the reason in `without`.
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
    it('hands an accepted message over once, under the id of its row', async () => {
      const { standIn, send } = await open();
      const outcome = await send('accept');
      expect(outcome.result).toBe('accepted');
      if (outcome.result === 'accepted') expect([null, expect.any(String)]).toContainEqual(outcome.providerId);
      expect(standIn.arrived().map(({ messageId }) => messageId)).toEqual(['m-1']);
    });

    it('tells an address that takes nothing more from a message that is refused', async () => {
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

    it('asks for another attempt when the provider is busy', async () => {
      const { send } = await open();
      expect(await send('throttle')).toMatchObject({ result: 'retry', processed: 'no' });
    });

    it('does not know what became of a message when the connection drops', async () => {
      const { send } = await open();
      expect(await send('drop')).toMatchObject({ result: 'retry', processed: 'unknown' });
    });

    it('answers within 100 ms of an abort', async () => {
      const { send } = await open();
      const controller = new AbortController();
      const sending = send('hang', 'm-1', controller.signal);
      await new Promise((resolve) => setTimeout(resolve, 20));
      controller.abort();
      expect(await turnsUntil(sending)).toBeLessThan(GRACE_MS);
      expect(await sending).toMatchObject({ result: 'retry' });
    });

    it('sends nothing when it was aborted before it began', async () => {
      const { standIn, send } = await open();
      expect(await send('accept', 'm-1', AbortSignal.abort())).toMatchObject({ result: 'retry', processed: 'no' });
      expect(standIn.arrived()).toEqual([]);
    });

    it(`keeps ${many} sends within its cap, loses none and doubles none`, async () => {
      // How long all of them take is up to the machine: where it has no time to connect, another attempt follows, as in the
      // work layer.
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

    it('gives back the capacity of calls that were aborted', async () => {
      const { transport, send } = await open();
      const controller = new AbortController();
      const hanging = Array.from({ length: transport.maxInFlight + 10 }, (_, at) =>
        send('hang', `h-${at}`, controller.signal),
      );
      controller.abort();
      await Promise.all(hanging);
      expect(await send('accept', 'after')).toMatchObject({ result: 'accepted' });
    });

    it('resolves every send when it is closed among them, and refuses later ones', async () => {
      const { standIn, transport, send } = await open();
      const sending = Array.from({ length: Math.min(many, CLOSED_AMONG) }, (_, at) => send('accept', `m-${at}`));
      await transport.close();
      const results = (await Promise.all(sending)).map(({ result }) => result);
      expect(results.filter((result) => result === 'accepted')).toHaveLength(standIn.arrived().length);
      const before = standIn.arrived().length;
      expect(await send('accept', 'late')).toMatchObject({ result: 'retry', processed: 'no' });
      expect(standIn.arrived()).toHaveLength(before);
    });

    // Of a host's own transport there are none, and so nothing to check.
    if (settings !== undefined)
      it('finds no fault in good settings', async () => {
        const { transport } = await open();
        expect(part(transport.check, 'check').call(transport, settings)).toEqual([]);
      });

    it('names neither address nor text in an outcome', async () => {
      const { standIn, transport } = await open();
      for (const behaviour of ['bounce', 'refuse', 'throttle', 'drop'] as const) {
        const message = standIn.message('m-1', behaviour, 'the text of the mail');
        const outcome = await transport.send(message, { signal: new AbortController().signal, attempt: 1 });
        const told = JSON.stringify(outcome);
        for (const word of ['the text of the mail', ...standIn.secrets]) expect(told).not.toContain(word);
      }
    });

    it('brings every character over unchanged', async () => {
      const { standIn, transport } = await open();
      const message = standIn.message('m-1', 'accept', UNICODE);
      await transport.send(message, { signal: new AbortController().signal, attempt: 1 });
      expect(standIn.arrived()[0]?.text).toContain(UNICODE);
    });

    for (const key of TRANSPORT_CASES) {
      if (key === 'brokenSettings' && settings === undefined) continue;
      const reason = without[key];
      // skip: the subject says why the case has no meaning for its provider.
      if (reason) it.skip(`${cases[key].title} (${reason})`, () => undefined);
      else it(cases[key].title, async () => cases[key].run(await world()));
    }
  });
};
