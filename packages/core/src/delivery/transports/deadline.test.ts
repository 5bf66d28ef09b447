import { describe, expect, it } from 'vitest';
import { isTimeout, withDeadline, withLimit } from './deadline.ts';

const never = <T>(): Promise<T> => new Promise(() => undefined);

describe('withDeadline', () => {
  it('withDeadline resolves with the result of the call', async () => {
    expect(await withDeadline(new AbortController().signal, async () => 7)).toBe(7);
  });

  it('withDeadline rejects with the error of the call', async () => {
    const work = withDeadline(new AbortController().signal, () => Promise.reject(new Error('no')));
    await expect(work).rejects.toThrow('no');
  });

  it('withDeadline leaves a call that ignores the abort, with the reason of the signal', async () => {
    const controller = new AbortController();
    const work = withDeadline(controller.signal, never);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(work).rejects.toBe(reason);
  });

  it('withDeadline begins nothing if its signal was already aborted', async () => {
    let isBegun = false;
    const work = withDeadline(AbortSignal.abort(), async () => {
      isBegun = true;
    });
    await expect(work).rejects.toThrow();
    expect(isBegun).toBe(false);
  });

  it('an abandoned call that fails later causes no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const keep = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', keep);
    const controller = new AbortController();
    const late = Promise.withResolvers<never>();
    const work = withDeadline(controller.signal, () => late.promise);
    controller.abort();
    await expect(work).rejects.toThrow();
    late.reject(new Error('too late'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', keep);
    expect(unhandled).toEqual([]);
  });
});

describe('withLimit', () => {
  const leave = (signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  it('withLimit aborts with a timeout when the time is over', async () => {
    expect(isTimeout(await withLimit(new AbortController().signal, 20, leave))).toBe(true);
  });

  it("withLimit aborts with the caller's reason, which is no timeout", async () => {
    const controller = new AbortController();
    const work = withLimit(controller.signal, 10_000, leave);
    controller.abort(new Error('enough'));
    const reason = await work;
    expect(reason).toMatchObject({ message: 'enough' });
    expect(isTimeout(reason)).toBe(false);
  });

  it('withLimit is aborted from the beginning if the caller was', async () => {
    expect(await withLimit(AbortSignal.abort(), 10_000, async ({ aborted }) => aborted)).toBe(true);
  });

  it('withLimit leaves no timer behind, whether the call succeeds or fails', async () => {
    const before = timers();
    await withLimit(new AbortController().signal, 10_000, async () => undefined);
    await expect(
      withLimit(new AbortController().signal, 10_000, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow();
    expect(timers()).toBe(before);
  });
});
