import { describe, expect, it } from 'vitest';
import { messageRow, readyMessage } from '../../../../test/support/sends/message.ts';
import { profileOf, TEST } from '../../../../test/support/sends/world.ts';
import type { MessageOf } from '../../../delivery/transports/port.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { personKey } from '../../../people/profiles/view.ts';
import { viewOf } from '../../settings/view.ts';
import type { ChannelPort, Channels } from '../channel.ts';
import { sendKey } from '../finalize/counters.ts';
import { ANY_SENDER } from '../senders.ts';
import { factsLoader } from './facts.ts';

const nobody = { addressesOf: () => [], addressKey: (address: string) => address };
const NOW = new Date('2026-03-01T12:00:00.000Z');
type Deps = Parameters<typeof factsLoader>[0];

const loaderOf = (channels: Partial<Channels>, more: Partial<Deps> = {}) =>
  factsLoader({
    clock: { now: () => NOW },
    // Safe: the test uses messages of these channels only.
    channels: channels as Channels,
    loadProfiles: async () => new Map(),
    loadSettings: async () => () => viewOf([]),
    loadSenders: async () => () => ANY_SENDER,
    loadTests: async () => () => null,
    readContents: async (refs) =>
      new Map(
        refs.map((ref) => [
          sendKey(ref, ref.sendId),
          { content: {}, variables: {}, class: 'marketing', category: null, abTestId: null, step: null },
        ]),
      ),
    statusCallback: () => null,
    ...more,
  });

describe('the time zone of a message', () => {
  /** The zone of a message, from the zones of the device, the user and the project. */
  const zone = async (channel: Channel, device: string | null, person: string | null, project: string | null) => {
    const state = { unusable: null, timezone: device, locale: null };
    const port: ChannelPort<never> = {
      ...nobody,
      states: async (messages) => new Map(messages.map(({ id }) => [id, state])),
      render: () => ({ verdict: 'suppressed', reason: 'empty_body' }),
    };
    const profile = { ...profileOf(TEST, 'ann'), timezone: person };
    const load = loaderOf(
      { [channel]: port },
      {
        loadProfiles: async () => new Map([[personKey(profile), profile]]),
        loadSettings: async () => () => ({ ...viewOf([]), orgDefaultTimezone: project }),
      },
    );
    const [message] = await load([readyMessage({ ...TEST, channel, person: 'u:ann' })]);
    return message?.timezone;
  };
  const [BERLIN, TOKYO, LIMA] = ['Europe/Berlin', 'Asia/Tokyo', 'America/Lima'];

  it('a push uses the zone of the device, emails and text messages that of the user', async () => {
    expect(await zone('push', BERLIN, TOKYO, LIMA)).toBe(BERLIN);
    for (const channel of ['email', 'sms'] as const) expect(await zone(channel, null, TOKYO, LIMA)).toBe(TOKYO);
  });

  it("without one the project's zone is used; a push does not use the user's zone", async () => {
    expect(await zone('push', null, TOKYO, LIMA)).toBe(LIMA);
    expect(await zone('push', null, TOKYO, null)).toBeNull();
    for (const channel of ['email', 'sms'] as const) expect(await zone(channel, null, null, LIMA)).toBe(LIMA);
  });

  it('an unknown stored zone counts as none', async () => {
    expect(await zone('push', 'Mars/Olympus', null, LIMA)).toBe(LIMA);
    expect(await zone('email', null, 'Mars/Olympus', LIMA)).toBe(LIMA);
    expect(await zone('email', null, 'Mars/Olympus', 'Mars/Tharsis')).toBeNull();
  });
});

describe('the facts of large emails', () => {
  it('rendering large emails yields to timers and sockets', async () => {
    let ticks = 0;
    const seen: number[] = [];
    const email: ChannelPort<MessageOf['email']> = {
      ...nobody,
      render: () => {
        seen.push(ticks);
        const began = performance.now();
        while (performance.now() - began < 12);
        return { verdict: 'suppressed', reason: 'empty_body' };
      },
    };
    const load = loaderOf({ email });
    const ticking = setInterval(() => undefined, 1);
    const tick = (): NodeJS.Immediate =>
      setImmediate(() => {
        ticks += 1;
        if (seen.length < 3) tick();
      });
    tick();
    await load(['a', 'b', 'c'].map((id) => readyMessage({ ...messageRow(), id })));
    clearInterval(ticking);
    expect(new Set(seen).size).toBe(3);
  });

  it('emails in quiet hours are not rendered', async () => {
    let renderings = 0;
    const email: ChannelPort<MessageOf['email']> = {
      ...nobody,
      render: () => {
        renderings += 1;
        return { verdict: 'suppressed', reason: 'empty_body' };
      },
    };
    let night = '22:00';
    const load = loaderOf(
      { email },
      {
        loadSettings: async () => () =>
          viewOf([
            { name: 'orgDefaultTimezone', value: 'UTC' },
            { name: 'email.quietHours', value: { enabled: true, start: night, end: '13:00' } },
          ]),
      },
    );
    await load([readyMessage()]);
    expect(renderings).toBe(0);
    night = '12:30';
    await load([readyMessage()]);
    expect(renderings).toBe(1);
  });
});
