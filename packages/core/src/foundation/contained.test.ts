import { afterEach, describe, expect, it, vi } from 'vitest';
import { contained } from './contained.ts';

describe('contained', () => {
  const warnings: unknown[] = [];
  const hear = (warning: unknown): void => void warnings.push(warning);
  afterEach(() => {
    process.off('warning', hear);
    warnings.length = 0;
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('contained passes its arguments on', () => {
    const work = vi.fn();
    contained(work)('a', 1);
    expect(work.mock.calls).toEqual([['a', 1]]);
  });

  it('contained reports what the callback throws and does not rethrow it', () => {
    const told: unknown[] = [];
    const call = contained(
      () => {
        throw new Error('full');
      },
      (error) => told.push(error),
    );
    call();
    call();
    expect(told).toEqual([new Error('full'), new Error('full')]);
  });

  it('contained reports the rejection of a promise', async () => {
    const told: unknown[] = [];
    contained(
      async () => {
        throw new Error('later');
      },
      (error) => told.push(error),
    )();
    await settled();
    expect(told).toEqual([new Error('later')]);
  });

  it('contained emits a warning without a reporter, and if the reporter throws', async () => {
    process.on('warning', hear);
    contained(() => {
      throw new Error('unheard');
    })();
    contained(
      () => Promise.reject('a text'),
      () => {
        throw new Error('told badly');
      },
    )();
    await settled();
    await settled();
    expect(warnings.map((warning) => (warning as Error).message).sort()).toEqual(['told badly', 'unheard']);
  });
});
