import type { Clock } from '../../foundation/clock.ts';
import { BeckonError } from '../../foundation/errors.ts';
import type { CallBucket, CallKind, CallsApi, LimitedCall } from './api.ts';
import { type Bucket, buckets } from './buckets.ts';
import {
  attemptRate,
  bucketKey,
  CALLS_PER_MINUTE,
  INGEST_BURST,
  INGEST_PER_SECOND,
  ORG_KINDS,
  perMinute,
  perMinuteOf,
  perSecond,
  rateText,
} from './call-rates.ts';
import { allowance, type Exchange } from './exchange.ts';
import { decide, left, type Rate } from './gcra.ts';

/** Maximum buckets in memory. Source: semantics, Rate limits, Memory. */
const MAX_BUCKETS = 100_000;

/** The operator's rates for all organizations. */
export type CallOptions = {
  readonly callsPerMinute?: number | undefined;
  readonly ingestPerSecond?: number | undefined;
  readonly ingestBurst?: number | undefined;
};

const limited = (waitUs: number, rate: Rate): BeckonError => {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitUs / 1_000_000));
  return new BeckonError(
    'RATE_LIMITED',
    `Rate limit of this kind of request exceeded: ${rateText(rate)}. Retry in ${retryAfterSeconds} s.`,
    { details: { retryAfterSeconds, limit: rate.burst, perMinute: perMinuteOf(rate) } },
  );
};

const isOrgKind = (kind: CallKind): boolean => ORG_KINDS.some((one) => one === kind);

/**
 * Rate limits of calls.
 *
 * @param rateOfOrg the organization's own rate of a kind; undefined: the default applies
 * @param shared null: this process is the only one
 */
export const callLimits = ({
  clock,
  rateOfOrg,
  shared,
  options: { callsPerMinute = CALLS_PER_MINUTE, ingestPerSecond = INGEST_PER_SECOND, ingestBurst = INGEST_BURST } = {},
  maxBuckets = MAX_BUCKETS,
}: {
  readonly clock: Clock;
  readonly rateOfOrg: (orgId: string, kind: CallKind) => Promise<number | undefined>;
  readonly shared: ((nowUs: () => number) => Exchange) | null;
  readonly options?: CallOptions | undefined;
  readonly maxBuckets?: number | undefined;
}): CallsApi & { readonly count: () => number; close(): void } => {
  const localBuckets = buckets(maxBuckets);
  const defaultRate = perMinute(callsPerMinute);
  const ingest = perSecond(ingestPerSecond, ingestBurst);
  let aheadUs = 0;
  let lastUs = Number.NEGATIVE_INFINITY;
  /** A clock that is set back does not move buckets: they would all be empty. */
  const nowUs = (): number => {
    const us = clock.now().getTime() * 1_000;
    if (us + aheadUs < lastUs) aheadUs = lastUs - us;
    lastUs = us + aheadUs;
    return lastUs;
  };
  const sharedExchange = shared?.(nowUs) ?? null;

  /**
   * The theoretical arrival time of a bucket. After a change of the rate, nobody waits longer than one full burst
   * takes.
   */
  const clampedTatUs = (bucketState: Bucket, now: number, { periodUs, burst }: Rate): number => {
    const latestUs = now + burst * periodUs;
    if (bucketState.tatUs > latestUs) bucketState.tatUs = latestUs;
    return bucketState.tatUs;
  };

  const named = (key: string, { periodUs, burst }: Rate): CallBucket => ({ key, periodUs, burst });

  const ofOrg = async (call: LimitedCall, orgId: string): Promise<CallBucket> => {
    const bucketState = await rateOfOrg(orgId, call.kind);
    return named(bucketKey(call), bucketState === undefined ? defaultRate : perMinute(bucketState));
  };

  const takeShared = async (bucket: CallBucket, cost: number, exchange: Exchange): Promise<void> => {
    const waitUs = await exchange.take(bucket, localBuckets.at(bucket.key, nowUs()), cost);
    if (waitUs > 0) throw limited(waitUs, bucket);
  };

  return {
    bucketOf: (call) => {
      if (call.kind === 'ingest') return named(bucketKey(call), ingest);
      if (call.orgId !== undefined && isOrgKind(call.kind)) return ofOrg(call, call.orgId);
      return named(bucketKey(call), defaultRate);
    },
    attempts: (kind, network) =>
      named(`try|${kind}|${network}`, kind === 'key' ? defaultRate : attemptRate(kind, network)),
    left: (bucket) => {
      const bucketState = localBuckets.get(bucket.key);
      if (bucketState === undefined) return bucket.burst;
      const now = nowUs();
      return left(clampedTatUs(bucketState, now, bucket), now, bucket);
    },
    check: (bucket) => {
      const bucketState = localBuckets.get(bucket.key);
      if (bucketState === undefined) return;
      const now = nowUs();
      const result = decide(clampedTatUs(bucketState, now, bucket), now, bucket);
      if (!result.isAllowed) throw limited(result.waitUs, bucket);
    },
    take: (bucket, requestedCost = 1) => {
      const now = nowUs();
      const bucketState = localBuckets.at(bucket.key, now);
      // A cost above the burst would never be allowed.
      const cost = Math.min(requestedCost, bucket.burst);
      const result = decide(clampedTatUs(bucketState, now, bucket), now, bucket, cost);
      if (!result.isAllowed) throw limited(result.waitUs, bucket);
      if (sharedExchange === null) {
        bucketState.tatUs = result.tatUs;
        return undefined;
      }
      if (bucketState.unsynced + cost > allowance(bucket)) return takeShared(bucket, cost, sharedExchange);
      bucketState.tatUs = result.tatUs;
      bucketState.unsynced += cost;
      sharedExchange.changed(bucket, bucketState);
      return undefined;
    },
    giveBack: (bucket, requestedCost = 1) => {
      const bucketState = localBuckets.get(bucket.key);
      if (bucketState === undefined) return;
      const cost = Math.min(requestedCost, bucket.burst);
      bucketState.tatUs -= cost * bucket.periodUs;
      if (sharedExchange === null) return;
      bucketState.unsynced -= cost;
      sharedExchange.changed(bucket, bucketState);
    },
    count: localBuckets.count,
    close: () => sharedExchange?.close(),
  };
};
