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

  it('calls with what it is given', () => {
    const work = vi.fn();
    contained(work)('a', 1);
    expect(work.mock.calls).toEqual([['a', 1]]);
  });

  it('tells what is thrown and goes on', () => {
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

  it('tells what a promise rejects with', async () => {
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

  it('warns where nobody is told, and where the one who is told throws', async () => {
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
