import type { AttemptKind, CallKind, LimitedCall } from './api.ts';
import type { Rate } from './gcra.ts';

/** Calls of most kinds in a minute, and at once. Source: semantics, Rate limits. */
export const CALLS_PER_MINUTE = 200;
/** Source: interface, Request and event limits. */
export const INGEST_PER_SECOND = 1_000;
export const INGEST_BURST = 5_000;
/** Source: design of sign-in, Buckets. */
const ATTEMPTS_PER_MINUTE = 30;
const ATTEMPTS_PER_MINUTE_IPV6 = 10;

/** The most that a limit may be set to; ours: as many as make a period of a microsecond where they are of a second. */
export const MAX_CALLS = 1_000_000;

const MINUTE_US = 60_000_000;
const SECOND_US = 1_000_000;

/** So many a minute, and so many at once. Throws nothing. */
export const perMinute = (count: number): Rate => ({ periodUs: Math.ceil(MINUTE_US / count), burst: count });

/** So many a second, and so many at once. Throws nothing. */
export const perSecond = (count: number, burst: number): Rate => ({ periodUs: Math.ceil(SECOND_US / count), burst });

const IPV4_ATTEMPTS = perMinute(ATTEMPTS_PER_MINUTE);
const IPV6_ATTEMPTS = perMinute(ATTEMPTS_PER_MINUTE_IPV6);

const CALLBACKS = perMinute(CALLS_PER_MINUTE);

/**
 * How many attempts of a kind a client network has: of what guesses a secret fewer over IPv6, where a holder of a /48 has
 * 65,536 networks. Of callbacks that are not accepted as many as of any other kind of call. Throws nothing.
 */
export const attemptRate = (kind: Exclude<AttemptKind, 'key'>, network: string): Rate => {
  if (kind === 'callback') return CALLBACKS;
  return (kind === 'signin' || kind === 'proof') && network.includes(':') ? IPV6_ATTEMPTS : IPV4_ATTEMPTS;
};

/** Kinds whose calls name an org, so that the org's own number can hold. */
export const ORG_KINDS = ['sdk', 'signin', 'refresh', 'secret'] as const satisfies readonly CallKind[];

/** What has the bucket that a call counts in; bounded, as every part of it is an id or an address of ours. */
export const bucketKey = ({ kind, network, orgId = '', projectId = '', caller }: LimitedCall): string => {
  if (kind !== 'ingest') return `${kind}|${network}|${orgId}|${projectId}`;
  return caller === undefined || caller.kind === 'public' ? `ingest|${network}` : `ingest|key|${caller.keyId}`;
};
