import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  addresses,
  draftTo,
  hand,
  numbered,
  openWorld,
  PROD,
  type World,
} from '../../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';
import { nextTurn } from '../../../foundation/contained.ts';
import { LEASE_MS } from '../../../jobs/registration.ts';
import { queue, worker } from '../../../jobs/worker.ts';

const ACCEPTED: SendOutcome = { result: 'accepted', providerId: null };
/** Concurrent calls of the provider under test, and messages per claim. */
const CALLS = 4;
const MESSAGES = 40;
/** Ends only a test that hangs. */
const NEVER_MS = 600_000;

const CHANNELS = {
  email: { provider: 'smtp', to: numbered(MESSAGES), content: {} },
  sms: {
    provider: 'twilio',
    to: Array.from({ length: MESSAGES }, (_, at) => `+141555501${10 + at}`),
    content: { body: 'Hello' },
  },
  push: {
    provider: 'fcm',
    to: Array.from({ length: MESSAGES }, (_, at) => `token-${at}`),
    content: { title: 't', body: 'b' },
  },
} as const;

describe('stopping a message worker', () => {
  let world: World;
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  beforeEach(async () => {
    vi.clearAllMocks();
    world = await openWorld();
  });
  afterEach(() => world.close());

  const rows = () => world.storage.db.select().from(world.tables.messages);
  const counted = async () =>
    Object.fromEntries(
      Object.entries(Object.groupBy(await rows(), ({ status, attempt }) => `${status} ${attempt}`)).map(
        ([name, list]) => [name, list?.length],
      ),
    );
  /** A provider whose calls hang until the test answers them, and a worker at its maximum of messages in hand. */
  const hanging = async (channel: keyof typeof CHANNELS) => {
    const { provider, to, content } = CHANNELS[channel];
    const answer = Promise.withResolvers<SendOutcome>();
    let hangs = true;
    const key = { ...PROD, channel } as const;
    world.credentials.configure(key, () => (hangs ? answer.promise : ACCEPTED), {
      provider,
      maxInFlight: CALLS,
      limitMs: NEVER_MS,
    });
    const { id } = await world.accept(PROD, { ...draftTo(addresses(...to), content), channel });
    const { messages } = world.sending.registrations;
    const first = worker([queue({ storage: world.storage, log, pollMs: NEVER_MS }, messages)]);
    first.start();
    await vi.waitFor(() => expect(world.credentials.handed).toHaveLength(CALLS));
    const heal = (): void => {
      hangs = false;
    };
    const second = hand(world.database, world.engine().registrations.messages);
    return { id, first, second, heal, answer: answer.resolve };
  };
  const handedIds = () => world.credentials.handed.map(({ messageId }) => messageId);

  describe.each(['email', 'sms', 'push'] as const)('with a hanging %s provider', (channel) => {
    it('a stopping worker returns messages that have not begun, finishes the others and sends nothing twice', async () => {
      const { first, second, heal, answer } = await hanging(channel);
      expect(await second.claim()).toEqual([]);
      const ended = vi.fn();
      const stopped = first.stop({ timeoutMs: NEVER_MS }).then(ended);
      // The clock stands still, so another worker does not wait for leases.
      await vi.waitFor(async () => expect(await world.storage.nextDueInMs(second.work.claim)).toBe(0));
      heal();
      expect(await second.turn()).toBe(MESSAGES - CALLS);
      expect(ended).not.toHaveBeenCalled();
      answer(ACCEPTED);
      await stopped;
      expect(await counted()).toEqual({ 'sent 1': MESSAGES });
      expect([handedIds().length, new Set(handedIds()).size]).toEqual([MESSAGES, MESSAGES]);
      expect(log.info.mock.calls).toEqual([
        [{ work: 'messages', rows: MESSAGES - CALLS }, 'work that had not begun was given back'],
      ]);
      expect([log.warn.mock.calls, log.error.mock.calls]).toEqual([[], []]);
    });

    it('a stopping worker keeps the leases of calls that it cuts off and logs their number', async () => {
      const { first, second, heal } = await hanging(channel);
      await first.stop({ timeoutMs: 1 });
      expect(log.warn.mock.calls).toEqual([
        [{ work: 'messages', rows: CALLS }, expect.stringContaining('cut off at the time limit')],
      ]);
      heal();
      expect(await second.turn()).toBe(MESSAGES - CALLS);
      expect(await counted()).toEqual({ 'sending 1': CALLS, 'sent 1': MESSAGES - CALLS });
      world.clock.advance(LEASE_MS - 1);
      expect(await second.turn()).toBe(0);
      world.clock.advance(1);
      expect(await second.turn()).toBe(CALLS);
      // Whether the provider accepted them is unknown, so a text message is not sent again.
      const isSms = channel === 'sms';
      expect(await counted()).toEqual({
        'sent 1': MESSAGES - CALLS,
        ...(isSms ? { 'failed 1': CALLS } : { 'sent 2': CALLS }),
      });
      expect(new Set(handedIds()).size).toBe(MESSAGES);
      expect(handedIds()).toHaveLength(isSms ? MESSAGES : MESSAGES + CALLS);
    });
  });

  it('a stopping worker returns messages handed over ahead of their call unchanged', async () => {
    const gate = Promise.withResolvers<void>();
    let hangs = false;
    world.credentials.configure(
      { ...PROD, channel: 'email' },
      async () => {
        if (hangs) await gate.promise;
        // Fast answers let the limiter prepare messages before there is capacity.
        else if (world.credentials.handed.length % 8 === 0) world.clock.advance(1);
        return ACCEPTED;
      },
      { maxInFlight: CALLS, limitMs: NEVER_MS },
    );
    const accept = (count: number) => world.accept(PROD, draftTo(addresses(...numbered(count))));
    await accept(40);
    const { messages } = world.sending.registrations;
    const first = worker([queue({ storage: world.storage, log, pollMs: NEVER_MS }, messages)]);
    await first.drain();
    hangs = true;
    const { id } = await accept(100);
    const view = () => world.sending.sends.get(PROD, 'email', id);
    first.start();
    while (world.credentials.handed.length < 40 + CALLS) await nextTurn();
    await vi.waitFor(async () => expect(await counted()).toEqual({ 'sent 1': 40, 'sending 1': 68, 'queued 0': 32 }));
    const stopped = first.stop({ timeoutMs: NEVER_MS });
    await vi.waitFor(async () => expect(await counted()).toEqual({ 'sent 1': 40, 'sending 1': 4, 'queued 0': 96 }));
    const second = hand(world.database, world.engine().registrations.messages);
    let claimed = 0;
    await vi.waitFor(async () => {
      claimed += (await second.claim()).length;
      expect(claimed).toBe(96);
    });
    gate.resolve();
    await stopped;
    expect(world.credentials.handed).toHaveLength(40 + CALLS);
    expect(await view()).toMatchObject({ status: 'sending', counts: { queued: 96, sent: CALLS } });
  });
});
