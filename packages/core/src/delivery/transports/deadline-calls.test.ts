import { describe, expect, it } from 'vitest';
import { boundedCalls } from './deadline-calls.ts';
import type { SendOutcome } from './port.ts';

const accepted: SendOutcome = { result: 'accepted', providerId: null };
const never = new AbortController().signal;
describe('boundedCalls', () => {
  it('the wait for a permit counts as time of the call, and no call begins after the limit', async () => {
    let begun = 0;
    const full = boundedCalls({ maxInFlight: 1, limitMs: 30 });
    const stays = full.run(never, () => new Promise((resolve) => setTimeout(() => resolve(accepted), 60)));
    const late = await full.run(never, async () => {
      begun += 1;
      return accepted;
    });
    expect(late).toMatchObject({ result: 'retry', code: 'timeout', processed: 'no' });
    expect(await stays).toEqual(accepted);
    expect(begun).toBe(0);
  });

  it('work that throws releases its permit, and the defect reaches the caller', async () => {
    const calls = boundedCalls({ maxInFlight: 1, limitMs: 1_000 });
    await expect(calls.run(never, () => Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
    expect(await calls.run(never, async () => accepted)).toEqual(accepted);
  });

  it('drain waits for calls under way and for queued calls, and refuses later ones', async () => {
    const calls = boundedCalls({ maxInFlight: 1, limitMs: 1_000 });
    const ended: string[] = [];
    const work = (name: string) => async (): Promise<SendOutcome> => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(name);
      return accepted;
    };
    const sending = [calls.run(never, work('a')), calls.run(never, work('b'))];
    await calls.drain();
    expect(ended).toEqual(['a', 'b']);
    expect(await calls.run(never, work('c'))).toMatchObject({ result: 'retry', code: 'closed', processed: 'no' });
    expect(await Promise.all(sending)).toEqual([accepted, accepted]);
    expect(ended).toEqual(['a', 'b']);
  });
});
