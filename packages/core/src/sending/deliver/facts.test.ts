import { describe, expect, it } from 'vitest';
import { viewOf } from '../../settings/view.ts';
import type { MessageOf } from '../../transports/port.ts';
import type { ChannelPort, Channels } from '../channel.ts';
import { sendKey } from '../settle/counters.ts';
import { messageRow, readyMessage } from '../testing/message.ts';
import { factsLoader } from './facts.ts';

const nobody = { addressesOf: () => [], addressKey: (address: string) => address };

describe('the facts of large mails', () => {
  it('are rendered with turns for timers and sockets in between', async () => {
    let turns = 0;
    const seen: number[] = [];
    const email: ChannelPort<MessageOf['email']> = {
      ...nobody,
      render: () => {
        seen.push(turns);
        const began = performance.now();
        while (performance.now() - began < 12);
        return { verdict: 'suppressed', reason: 'empty_body' };
      },
    };
    // Safe: nothing but mails is asked for.
    const channels = { email } as unknown as Channels;
    const load = factsLoader({
      clock: { now: () => new Date('2026-03-01T12:00:00.000Z') },
      channels,
      loadProfiles: async () => new Map(),
      loadTests: async () => () => null,
      loadSettings: async () => () => viewOf([]),
      readContents: async (refs) =>
        new Map(
          refs.map((ref) => [
            sendKey(ref, ref.sendId),
            { content: {}, variables: {}, class: 'marketing', category: null, abTestId: null, step: null },
          ]),
        ),
      statusCallback: () => null,
    });
    const ticking = setInterval(() => undefined, 1);
    const tick = (): NodeJS.Immediate =>
      setImmediate(() => {
        turns += 1;
        if (seen.length < 3) tick();
      });
    tick();
    await load(['a', 'b', 'c'].map((id) => readyMessage({ ...messageRow(), id })));
    clearInterval(ticking);
    expect(new Set(seen).size).toBe(3);
  });
});
