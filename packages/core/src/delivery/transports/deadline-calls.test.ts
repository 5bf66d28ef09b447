import { describe, expect, it } from 'vitest';
import { boundedCalls } from './deadline-calls.ts';
import type { SendOutcome } from './port.ts';

const accepted: SendOutcome = { result: 'accepted', providerId: null };
const never = new AbortController().signal;
describe('boundedCalls', () => {
  it('counts the wait for a place as time of the call, and begins nothing after it', async () => {
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

  it('gives its place back when the work throws, and hands the defect on', async () => {
    const calls = boundedCalls({ maxInFlight: 1, limitMs: 1_000 });
    await expect(calls.run(never, () => Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
    expect(await calls.run(never, async () => accepted)).toEqual(accepted);
  });

  it('drains what is under way, what waits for a place too, and refuses what comes later', async () => {
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
