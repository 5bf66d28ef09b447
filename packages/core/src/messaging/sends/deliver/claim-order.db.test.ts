import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addresses, draftTo, numbered, openWorld, TEST, type World } from '../../../../test/support/sends/world.ts';
import { type DeliverySettings, viewOf } from '../../settings/view.ts';
import { MAX_INLINE } from '../schema.ts';

const MINUTE = 60_000;
const QUIET: DeliverySettings = viewOf([
  { name: 'email.quietHours', value: { enabled: true, start: '11:00', end: '14:00' } },
  { name: 'orgDefaultTimezone', value: 'Etc/UTC' },
]);
const MANY = 3 * MAX_INLINE;

describe('the claim order of messages', () => {
  let world: World;
  beforeEach(async () => {
    // At noon, quiet hours defer all marketing messages until two.
    world = await openWorld({ loadSettings: async () => () => QUIET });
  });
  afterEach(() => world.close());

  const accept = async (list: readonly string[], more: object = {}): Promise<string> =>
    (await world.accept(TEST, { ...draftTo(addresses(...list)), ...more })).id;
  const urgent = { class: 'transactional' } as const;
  /** Sends in the order in which their messages are claimed, `limit` at a time: the first of each claim. */
  const claimed = async (limit: number, claims: number): Promise<(readonly string[])[]> => {
    const taken: (readonly string[])[] = [];
    for (let at = 0; at < claims; at += 1)
      taken.push([...new Set((await world.messages.claim(limit)).map(({ sendId }) => sendId))]);
    return taken;
  };
  /** A bulk send whose messages were all deferred by quiet hours, one minute after their end. */
  const released = async (): Promise<string> => {
    const id = await accept(numbered(MANY));
    await world.drain();
    expect(await world.sending.sends.get(TEST, 'email', id)).toMatchObject({ counts: { deferred: MANY, sent: 0 } });
    world.clock.advance(121 * MINUTE);
    return id;
  };

  it('messages of small sends come before a bulk send released by quiet hours', async () => {
    const many = await released();
    const code = await accept(['ann@example.com'], urgent);
    const news = await accept(numbered(5));
    const [first, second] = await claimed(6, 2);
    expect([new Set(first), second]).toEqual([new Set([code, news]), [many]]);
  });

  it('a bulk send goes first after waiting ten minutes longer', async () => {
    const many = await released();
    world.clock.advance(10 * MINUTE);
    const code = await accept(['ann@example.com'], urgent);
    expect(await claimed(MANY, 2)).toEqual([[many], [code]]);
  });

  it('without due messages of small sends bulk messages are claimed', async () => {
    const many = await accept(numbered(MANY), urgent);
    await world.sends.turn();
    expect(await world.storage.nextDueInMs(world.sending.registrations.messages.claim)).toBe(0);
    expect(await claimed(MANY, 2)).toEqual([[many], []]);
  });

  it('a small scheduled send has the same priority as an immediate one', async () => {
    const many = await released();
    const later = await accept(['ann@example.com'], {
      ...urgent,
      scheduledFor: new Date(world.clock.now().getTime() + 1),
    });
    world.clock.advance(1);
    await world.sends.turn();
    expect((await claimed(1, 2)).map(([id]) => id)).toEqual([later, many]);
  });
});
