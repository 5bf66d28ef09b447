import { describe, expect, it } from 'vitest';
import { remoteClock } from './remote-clock.ts';

describe('the clock of another machine', () => {
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

  it('is never ahead, and behind by the time that the answer took to arrive', () => {
    const host = machine();
    const clock = remoteClock(host.reading(3, 8), host.monotonicMs);
    expect(host.behindMs(clock.now())).toBe(8);
    host.pass(60_000);
    expect(host.behindMs(clock.now())).toBe(8);
  });

  it('takes the faster of two answers, whichever came first', () => {
    const host = machine();
    const clock = remoteClock(host.reading(3, 80), host.monotonicMs);
    clock.read(host.reading(3, 2));
    expect(host.behindMs(clock.now())).toBe(2);
    clock.read(host.reading(200, 900));
    expect(host.behindMs(clock.now())).toBe(2);
  });

  it('follows the other machine when its clock is set, forward and back', () => {
    const host = machine();
    const clock = remoteClock(host.reading(1, 1), host.monotonicMs);
    for (const byMs of [7_200_000, -7_200_000]) {
      host.setRemote(byMs);
      clock.read(host.reading(1, 1));
      expect(host.behindMs(clock.now())).toBe(1);
    }
  });
});
