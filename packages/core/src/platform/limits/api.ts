import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Scope } from '../../foundation/scope.ts';

/**
 * Kinds of calls, each with buckets of its own: `ingest` for what reports events, `sdk` for what else apps call, `signin`
 * and `refresh` for sign-in and its tokens, `public` for pages without a key, `secret` for everything else.
 */
export type CallKind = 'ingest' | 'sdk' | 'signin' | 'refresh' | 'public' | 'secret';

/**
 * What is counted before anything else is looked at, by client network alone: `signin` and `proof` for what guesses a secret
 * (30 a minute over IPv4, 10 over IPv6), `social` and `pubmail` for what sends people elsewhere and mail to anybody (30).
 * `callback` counts what providers post and is not accepted (200), and `key` calls with an unknown key (as many as of most
 * kinds), afterwards.
 */
export type AttemptKind = 'signin' | 'proof' | 'social' | 'pubmail' | 'callback' | 'key';

/** What decides in which bucket a call counts. */
export type LimitedCall = {
  readonly kind: CallKind;
  /** Where it comes from: an IPv4 address or the /64 of an IPv6 address. */
  readonly network: string;
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  /** Of `ingest`: a secret key has a bucket of its own, a public one that of the network. */
  readonly caller?: { readonly keyId: string; readonly kind: KeyKind } | undefined;
};

/** A bucket by its name: `burst` calls at once, and one more every `periodUs` microseconds. */
export type CallBucket = { readonly key: string; readonly periodUs: number; readonly burst: number };

/**
 * The rate limits, for whoever serves calls in front of the engines. 200 calls a minute and 200 at once of each kind, client
 * network and project; `ingest` 1,000 a second and 5,000 at once for each client network or secret key. At most 100,000
 * buckets are kept in memory. Processes on one PostgreSQL share them; on SQLite each has its own.
 */
export type CallsApi = {
  /** Throws what the database throws, where the org's own numbers are not known yet. */
  bucketOf(call: LimitedCall): CallBucket | Promise<CallBucket>;
  /** Throws nothing. */
  attempts(kind: AttemptKind, network: string): CallBucket;
  /** How many calls of cost 1 would be let pass. Throws nothing. */
  left(bucket: CallBucket): number;
  /** Takes nothing. Throws RATE_LIMITED where not even a call of cost 1 would be let pass. */
  check(bucket: CallBucket): void;
  /**
   * Takes the whole cost (default 1) or nothing; more than the burst is taken as the burst. It answers at once, except where
   * several processes share the bucket and this one has to ask. Throws, or rejects with, RATE_LIMITED.
   */
  take(bucket: CallBucket, cost?: number): undefined | Promise<void>;
  /** Gives the cost of a call back. Throws nothing. */
  giveBack(bucket: CallBucket, cost?: number): void;
};

/** Kinds of which an org may have more or fewer calls than others: those that name an org before they are counted. */
export type OrgCallKind = 'sdk' | 'signin' | 'refresh' | 'secret';

/** How much may be asked for. */
export type LimitsApi = {
  /**
   * Does what one request to send mail asks for, if its org has not asked for too much: in `prod` 60 requests a minute
   * and 60 at once (`email.mailsPerMinute`), on probation 10; recipients are not counted. Mail that is sent outside of it,
   * by the host or by a step, takes its place as it goes, and is delayed where there is none. Shared by all processes of a database. What ends with
   * PROVIDER_NOT_CONFIGURED does not count.
   *
   * Throws RATE_LIMITED before anything is done, and what `work` throws.
   */
  mailRequest<T>(scope: Scope, work: () => Promise<T>): Promise<T>;
  /** Puts an org's mail on probation, or ends that. Throws NOT_FOUND for an org that there is not. */
  setEmailProbation(orgId: string, isOn: boolean): Promise<void>;
  /**
   * How many calls of a kind an org has in a minute, and at once, for each client network and project: 1 to 1,000,000;
   * null: as many as others. Other processes know within 10 s, and it holds while the org's plan opens `rateLimits`. Throws
   * NOT_FOUND for an org that there is not, VALIDATION_ERROR for another kind or number, `tier_required`.
   */
  setCallRate(orgId: string, kind: OrgCallKind, perMinute: number | null): Promise<void>;
  /** What orgs have of their own. Throws nothing of its own. */
  callRates(orgId: string): Promise<Readonly<Partial<Record<OrgCallKind, number>>>>;
  /** What calls of the HTTP interface take their places from. */
  readonly calls: CallsApi;
};
