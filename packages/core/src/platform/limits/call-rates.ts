import type { AttemptKind, CallKind, LimitedCall } from './api.ts';
import type { Rate } from './gcra.ts';

/** Calls per minute, and at once, of most kinds. Source: semantics, Rate limits. */
export const CALLS_PER_MINUTE = 200;
/** Source: interface, Request and event limits. */
export const INGEST_PER_SECOND = 1_000;
export const INGEST_BURST = 5_000;
/** Source: design of sign-in, Buckets. */
const ATTEMPTS_PER_MINUTE = 30;
const ATTEMPTS_PER_MINUTE_IPV6 = 10;

/** Maximum rate. Chosen: per second, it gives a period of one microsecond. */
export const MAX_CALLS = 1_000_000;

const MINUTE_US = 60_000_000;
const SECOND_US = 1_000_000;

/** `count` per minute, and as many at once. Throws nothing. */
export const perMinute = (count: number): Rate => ({ periodUs: Math.ceil(MINUTE_US / count), burst: count });

/** `count` per second, and `burst` at once. Throws nothing. */
export const perSecond = (count: number, burst: number): Rate => ({ periodUs: Math.ceil(SECOND_US / count), burst });

/** The count of `perMinute`; of another rate what it allows in a minute. Throws nothing. */
export const perMinuteOf = ({ periodUs }: Rate): number => Math.round(MINUTE_US / periodUs);

/** A rate for an error message. Throws nothing. */
export const rateText = (rate: Rate): string => {
  const minute = perMinuteOf(rate);
  return rate.burst === minute ? `${minute} per minute` : `${minute} per minute, at most ${rate.burst} at once`;
};

const IPV4_ATTEMPTS = perMinute(ATTEMPTS_PER_MINUTE);
const IPV6_ATTEMPTS = perMinute(ATTEMPTS_PER_MINUTE_IPV6);

const CALLBACKS = perMinute(CALLS_PER_MINUTE);

/**
 * The attempts of a kind per client network. Guesses of a secret have a lower rate over IPv6, where the holder of a /48
 * has 65,536 networks. Rejected callbacks have the rate of other calls. Throws nothing.
 */
export const attemptRate = (kind: Exclude<AttemptKind, 'key'>, network: string): Rate => {
  if (kind === 'callback') return CALLBACKS;
  return (kind === 'signin' || kind === 'proof') && network.includes(':') ? IPV6_ATTEMPTS : IPV4_ATTEMPTS;
};

/** Kinds whose calls identify an organization, so that its own rate can apply. */
export const ORG_KINDS = ['sdk', 'signin', 'refresh', 'secret'] as const satisfies readonly CallKind[];

/** The key of a call's bucket; bounded, since every part is an id or a normalised address. */
export const bucketKey = ({ kind, network, orgId = '', projectId = '', caller }: LimitedCall): string => {
  if (kind !== 'ingest') return `${kind}|${network}|${orgId}|${projectId}`;
  return caller === undefined || caller.kind === 'public' ? `ingest|${network}` : `ingest|key|${caller.keyId}`;
};
