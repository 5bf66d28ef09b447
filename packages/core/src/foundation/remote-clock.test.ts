import { describe, expect, it } from 'vitest';
import { remoteClock } from './remote-clock.ts';

describe('remoteClock', () => {
  const REMOTE_MS = Date.UTC(2026, 2, 1, 12);
  const machine = () => {
    let monotonic = 5_000;
    let remoteAhead = REMOTE_MS;
    const reading = (outMs: number, backMs: number) => {
      const requestedMs = monotonic;
      monotonic += outMs;
      const at = new Date(monotonic + remoteAhead);
      monotonic += backMs;
      return { at, requestedMs, receivedMs: monotonic };
    };
    return {
      monotonicMs: () => monotonic,
      reading,
      pass: (ms: number) => {
        monotonic += ms;
      },
      setRemote: (byMs: number) => {
        remoteAhead += byMs;
      },
      behindMs: (now: Date) => monotonic + remoteAhead - now.getTime(),
    };
  };

  it('a remote clock is never ahead, and is behind by the time the response took to arrive', () => {
    const host = machine();
    const clock = remoteClock(host.reading(3, 8), host.monotonicMs);
    expect(host.behindMs(clock.now())).toBe(8);
    host.pass(60_000);
    expect(host.behindMs(clock.now())).toBe(8);
  });

  it('a remote clock uses the faster of two responses, in either order', () => {
    const host = machine();
    const clock = remoteClock(host.reading(3, 80), host.monotonicMs);
    clock.addReading(host.reading(3, 2));
    expect(host.behindMs(clock.now())).toBe(2);
    clock.addReading(host.reading(200, 900));
    expect(host.behindMs(clock.now())).toBe(2);
  });

  it("a remote clock follows a step of the other machine's clock, forward and back", () => {
    const host = machine();
    const clock = remoteClock(host.reading(1, 1), host.monotonicMs);
    for (const byMs of [7_200_000, -7_200_000]) {
      host.setRemote(byMs);
      clock.addReading(host.reading(1, 1));
      expect(host.behindMs(clock.now())).toBe(1);
    }
  });
});
