import { describe, expect, it } from 'vitest';
import { ApiError } from './errors.ts';
import { verdictOf, waitMs } from './retry.ts';

const refusal = (status: number, details: Record<string, unknown> = {}): ApiError =>
  new ApiError(status, 'ANY', 'No.', details);

describe('retry policy', () => {
  it.each([
    [0, {}, 'wait'],
    [408, {}, 'wait'],
    [429, { retryAfterSeconds: 7 }, 'wait'],
    [500, {}, 'wait'],
    [502, {}, 'wait'],
    [503, { retryAfterSeconds: 2 }, 'wait'],
    [429, { reason: 'quota', retryAfterSeconds: 2_592_000 }, 'quota'],
    [409, { reason: 'duplicate' }, null],
    [409, { reason: 'idempotency_in_progress', retryAfterSeconds: 1 }, 'wait'],
    [409, { reason: 'final' }, 'drop'],
    [413, {}, 'split'],
    [400, { reason: 'idempotency_mismatch' }, 'drop'],
    [401, {}, 'drop'],
    [402, {}, 'drop'],
    [403, {}, 'drop'],
    [404, {}, 'drop'],
    [412, {}, 'drop'],
    [422, {}, 'drop'],
  ] as const)('status %i with details %j selects the retry action', (status, details, verdict) => {
    expect(verdictOf(refusal(status, details))).toBe(verdict);
  });

  it('a retry waits 1 s, doubling up to 60 s, 20 % more or less', () => {
    const middle = [1, 2, 3, 4, 5, 6, 7, 8, 60].map((failures) => waitMs({}, failures, 0.5));
    expect(middle).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(waitMs({}, 1, 0)).toBeCloseTo(800);
    expect(waitMs({}, 1, 1)).toBeCloseTo(1_200);
    expect(waitMs({}, 9, 1)).toBeCloseTo(72_000);
  });

  it('a retry waits at least as long as the service asks', () => {
    const waitOf = (retryAfterSeconds: number): number => waitMs({ retryAfterSeconds }, 3, 0.5);
    expect(waitOf(30)).toBe(30_000);
    expect(waitOf(1)).toBe(4_000);
  });
});
