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
  perSecond,
} from './call-rates.ts';
import { allowance, type Exchange } from './exchange.ts';
import { left, type Rate, taken } from './gcra.ts';

/** Buckets in memory at most. Source: semantics, Rate limits, Memory. */
const MAX_BUCKETS = 100_000;

/** What the operator says of all orgs. */
export type CallOptions = {
  readonly callsPerMinute?: number | undefined;
  readonly ingestPerSecond?: number | undefined;
  readonly ingestBurst?: number | undefined;
};

const limited = (waitUs: number): BeckonError =>
  new BeckonError('RATE_LIMITED', 'There were too many calls of this kind; come back later.', {
    details: { retryAfterSeconds: Math.max(1, Math.ceil(waitUs / 1_000_000)) },
  });

const isOrgKind = (kind: CallKind): boolean => ORG_KINDS.some((one) => one === kind);

/**
 * How many calls of each kind are let pass.
 *
 * @param rateOfOrg what an org has of a kind in place of what all have; undefined: nothing of its own
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
  const kept = buckets(maxBuckets);
  const usual = perMinute(callsPerMinute);
  const ingest = perSecond(ingestPerSecond, ingestBurst);
  let aheadUs = 0;
  let lastUs = Number.NEGATIVE_INFINITY;
  /** A clock that is set back moves no bucket: they would all be empty. */
  const nowUs = (): number => {
    const us = clock.now().getTime() * 1_000;
    if (us + aheadUs < lastUs) aheadUs = lastUs - us;
    lastUs = us + aheadUs;
    return lastUs;
  };
  const others = shared?.(nowUs) ?? null;

  /** Where a bucket stands. A rate that was changed must not make anybody wait for longer than a whole one takes. */
  const standing = (own: Bucket, now: number, { periodUs, burst }: Rate): number => {
    const latestUs = now + burst * periodUs;
    if (own.tatUs > latestUs) own.tatUs = latestUs;
    return own.tatUs;
  };

  const named = (key: string, { periodUs, burst }: Rate): CallBucket => ({ key, periodUs, burst });

  const ofOrg = async (call: LimitedCall, orgId: string): Promise<CallBucket> => {
    const own = await rateOfOrg(orgId, call.kind);
    return named(bucketKey(call), own === undefined ? usual : perMinute(own));
  };

  const takeShared = async (bucket: CallBucket, cost: number, exchange: Exchange): Promise<void> => {
    const waitUs = await exchange.take(bucket, kept.at(bucket.key, nowUs()), cost);
    if (waitUs > 0) throw limited(waitUs);
  };

  return {
    bucketOf: (call) => {
      if (call.kind === 'ingest') return named(bucketKey(call), ingest);
      if (call.orgId !== undefined && isOrgKind(call.kind)) return ofOrg(call, call.orgId);
      return named(bucketKey(call), usual);
    },
    attempts: (kind, network) => named(`try|${kind}|${network}`, kind === 'key' ? usual : attemptRate(kind, network)),
    left: (bucket) => {
      const known = kept.get(bucket.key);
      if (known === undefined) return bucket.burst;
      const now = nowUs();
      return left(standing(known, now, bucket), now, bucket);
    },
    check: (bucket) => {
      const known = kept.get(bucket.key);
      if (known === undefined) return;
      const now = nowUs();
      const result = taken(standing(known, now, bucket), now, bucket);
      if (!result.isAllowed) throw limited(result.waitUs);
    },
    take: (bucket, asked = 1) => {
      const now = nowUs();
      const own = kept.at(bucket.key, now);
      // What a bucket never holds would never be let pass.
      const cost = Math.min(asked, bucket.burst);
      const result = taken(standing(own, now, bucket), now, bucket, cost);
      if (!result.isAllowed) throw limited(result.waitUs);
      if (others === null) {
        own.tatUs = result.tatUs;
        return undefined;
      }
      if (own.unsynced + cost > allowance(bucket)) return takeShared(bucket, cost, others);
      own.tatUs = result.tatUs;
      own.unsynced += cost;
      others.changed(bucket, own);
      return undefined;
    },
    giveBack: (bucket, asked = 1) => {
      const own = kept.get(bucket.key);
      if (own === undefined) return;
      const cost = Math.min(asked, bucket.burst);
      own.tatUs -= cost * bucket.periodUs;
      if (others === null) return;
      own.unsynced -= cost;
      others.changed(bucket, own);
    },
    count: kept.count,
    close: () => others?.close(),
  };
};
