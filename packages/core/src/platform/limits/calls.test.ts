import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../foundation/clock.ts';
import { isBeckonError } from '../../foundation/errors.ts';
import type { CallBucket, LimitedCall } from './api.ts';
import { type CallOptions, callLimits } from './calls.ts';

const ORG = { orgId: 'org', projectId: 'app' };
const SECRET: LimitedCall = { kind: 'secret', network: '203.0.113.7', ...ORG };
const publicKey = { keyId: 'pk', kind: 'public' } as const;
const secretKey = { keyId: 'sk', kind: 'secret' } as const;

const make = ({
  own = {},
  ...more
}: {
  own?: Record<string, number>;
  options?: CallOptions;
  maxBuckets?: number;
} = {}) => {
  const clock = virtualClock('2026-03-01T12:00:00.000Z');
  const calls = callLimits({ clock, rateOfOrg: async (_, kind) => own[kind], shared: null, ...more });
  /** Takes this often; returns true, or the seconds to wait. */
  const take = (bucket: CallBucket, cost = 1): true | number => {
    try {
      void calls.take(bucket, cost);
      return true;
    } catch (error) {
      if (!isBeckonError(error, 'RATE_LIMITED')) throw error;
      return error.details?.retryAfterSeconds ?? 0;
    }
  };
  const takes = (bucket: CallBucket, times: number): number =>
    Array.from({ length: times }, () => take(bucket)).filter((one) => one === true).length;
  return { clock, calls, take, takes };
};

describe('calls', () => {
  it('calls are limited to 200 at once and then one every 300 ms', async () => {
    const { clock, calls, take, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    expect([takes(bucket, 200), take(bucket), calls.left(bucket)]).toEqual([200, 1, 0]);
    clock.advance(299);
    expect(take(bucket)).toBe(1);
    clock.advance(1);
    expect([take(bucket), take(bucket)]).toEqual([true, 1]);
  });

  it('the error names the limit, in its message and its details', async () => {
    const { calls, takes } = make({ options: { callsPerMinute: 7 } });
    const failureOf = (bucket: CallBucket, cost = 1): unknown => {
      takes(bucket, bucket.burst);
      try {
        void calls.take(bucket, cost);
      } catch (error) {
        return isBeckonError(error, 'RATE_LIMITED') && [error.message, error.details];
      }
      return undefined;
    };
    expect(failureOf(await calls.bucketOf(SECRET))).toEqual([
      'Rate limit of this kind of request exceeded: 7 per minute. Retry in 9 s.',
      { retryAfterSeconds: 9, limit: 7, perMinute: 7 },
    ]);
    expect(failureOf(await calls.bucketOf({ ...SECRET, kind: 'ingest' }))).toEqual([
      'Rate limit of this kind of request exceeded: 60000 per minute, at most 5000 at once. Retry in 1 s.',
      { retryAfterSeconds: 1, limit: 5_000, perMinute: 60_000 },
    ]);
  });

  it('no window edge lets twice as many calls pass', async () => {
    const { clock, calls, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    clock.advance(59_900);
    expect(takes(bucket, 200)).toBe(200);
    clock.advance(200);
    expect(takes(bucket, 200)).toBe(0);
  });

  it('each kind, network, organization and project has its own bucket', async () => {
    const { calls, takes } = make();
    takes(await calls.bucketOf(SECRET), 200);
    const others: LimitedCall[] = [
      { ...SECRET, kind: 'sdk' },
      { ...SECRET, kind: 'refresh' },
      { ...SECRET, network: '203.0.113.8' },
      { ...SECRET, projectId: 'other' },
      { ...SECRET, orgId: 'other' },
      { kind: 'public', network: SECRET.network },
    ];
    for (const other of others) expect(calls.left(await calls.bucketOf(other))).toBe(200);
    expect(calls.left(await calls.bucketOf({ ...SECRET }))).toBe(0);
  });

  it('event calls are limited to 5,000 at once and then one a millisecond, and a batch is rejected as a whole', async () => {
    const { clock, calls, take } = make();
    const bucket = await calls.bucketOf({ kind: 'ingest', network: '203.0.113.7', caller: publicKey });
    expect([take(bucket, 4_990), calls.left(bucket)]).toEqual([true, 10]);
    expect([take(bucket, 11), calls.left(bucket), take(bucket, 10), take(bucket)]).toEqual([1, 10, true, 1]);
    clock.advance(3);
    expect([take(bucket, 4), take(bucket, 3)]).toEqual([1, true]);
  });

  it('event calls count by network for a public key and by key for a secret one', async () => {
    const { calls } = make();
    const key = async (network: string, caller: LimitedCall['caller'], projectId = 'app') =>
      (await calls.bucketOf({ kind: 'ingest', network, caller, orgId: 'org', projectId })).key;
    expect(await key('a', publicKey)).toBe(await key('a', { ...publicKey, keyId: 'other' }, 'other'));
    expect(await key('a', publicKey)).not.toBe(await key('b', publicKey));
    expect(await key('a', secretKey)).toBe(await key('b', secretKey));
    expect(await key('a', secretKey)).not.toBe(await key('a', { ...secretKey, keyId: 'other' }));
  });

  it('a call that costs more than the burst is allowed on a full bucket', async () => {
    const { calls, take } = make({ options: { ingestBurst: 10 } });
    const bucket = await calls.bucketOf({ kind: 'ingest', network: 'a', caller: publicKey });
    expect([take(bucket, 50), take(bucket, 50)]).toEqual([true, 1]);
  });

  it('a call whose cost was returned took nothing', async () => {
    const { calls, take, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    takes(bucket, 200);
    calls.giveBack(bucket);
    expect([calls.left(bucket), take(bucket), take(bucket)]).toEqual([1, true, 1]);
  });

  it('a bucket can be checked without taking from it', async () => {
    const { calls, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    calls.check(bucket);
    takes(bucket, 199);
    calls.check(bucket);
    expect(calls.left(bucket)).toBe(1);
    takes(bucket, 1);
    expect(() => calls.check(bucket)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
  });

  it("an organization's own rate applies to kinds that identify an organization", async () => {
    const { calls } = make({ own: { secret: 600, public: 9 }, options: { callsPerMinute: 300 } });
    expect(await calls.bucketOf(SECRET)).toMatchObject({ burst: 600, periodUs: 100_000 });
    expect(await calls.bucketOf({ ...SECRET, kind: 'sdk' })).toMatchObject({ burst: 300, periodUs: 200_000 });
    expect(await calls.bucketOf({ ...SECRET, kind: 'public' })).toMatchObject({ burst: 300 });
  });

  it('a caller waits no longer than a full burst takes after the clock was set back', async () => {
    const { clock, calls, take, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    takes(bucket, 200);
    clock.advance(-3_600_000);
    expect(take(bucket)).toBe(1);
    clock.advance(300);
    expect(take(bucket)).toBe(true);
  });

  it('a bucket keeps its content when the clock is set back', async () => {
    const { clock, calls, takes } = make();
    const bucket = await calls.bucketOf(SECRET);
    takes(bucket, 50);
    for (let times = 0; times < 3; times += 1) {
      clock.advance(-3_600_000);
      expect(calls.left(bucket)).toBe(150);
    }
    clock.advance(300);
    expect([calls.left(bucket), takes(bucket, 200)]).toEqual([151, 151]);
  });

  it('a caller waits no longer than a full burst takes after its rate was changed', () => {
    const { calls, take, takes } = make();
    takes({ key: 'a', periodUs: 60_000_000, burst: 200 }, 200);
    const changed = { key: 'a', periodUs: 300_000, burst: 200 };
    expect([calls.left(changed), take(changed)]).toEqual([0, 1]);
  });

  it.each([
    ['signin', '203.0.113.7', 30, 2],
    ['signin', '2001:db8::/64', 10, 6],
    ['proof', '2001:db8::/64', 10, 6],
    ['social', '2001:db8::/64', 30, 2],
    ['pubmail', '203.0.113.7', 30, 2],
  ] as const)(
    'attempt %s from %s is limited to %i at once and then one every %i s',
    (kind, network, burst, seconds) => {
      const { clock, calls, take, takes } = make();
      const bucket = calls.attempts(kind, network);
      expect([takes(bucket, burst), take(bucket)]).toEqual([burst, seconds]);
      clock.advance(seconds * 1_000 - 1);
      expect(take(bucket)).toBe(1);
      clock.advance(1);
      expect(take(bucket)).toBe(true);
    },
  );
});

describe('memory of buckets', () => {
  it('memory stays bounded under 200,000 addresses, twice its capacity, and full buckets are evicted first', async () => {
    const { clock, calls, takes } = make();
    const busy = await calls.bucketOf({ ...SECRET, network: 'busy' });
    takes(busy, 200);
    let most = 0;
    for (let at = 0; at < 200_000; at += 1) {
      void calls.take({ key: `public|${at}`, periodUs: 300_000, burst: 200 });
      if (at % 1_000 === 0) clock.advance(10);
      if (calls.count() > most) most = calls.count();
    }
    expect(most).toBeLessThanOrEqual(100_000);
    // 2 s later 6 calls are available again, so the bucket was not evicted.
    expect(calls.left(busy)).toBe(6);
  });

  it('memory stays bounded if no bucket is full', () => {
    const { calls, take } = make({ maxBuckets: 100 });
    for (let at = 0; at < 1_000; at += 1) {
      expect(take({ key: `${at}`, periodUs: 300_000, burst: 200 })).toBe(true);
      expect(calls.count()).toBeLessThanOrEqual(100);
    }
  });
});
