import type { KeyKind } from '../../foundation/key-kind.ts';
import type { Scope } from '../../foundation/scope.ts';

/**
 * Kinds of calls, each with its own buckets: `ingest` for event reporting, `sdk` for other calls of apps, `signin` and
 * `refresh` for sign-in and its tokens, `public` for pages without a key, `secret` for everything else.
 */
export type CallKind = 'ingest' | 'sdk' | 'signin' | 'refresh' | 'public' | 'secret';

/**
 * Attempts, counted per client network before the call is processed: `signin` and `proof` for guesses of a secret (30 a
 * minute over IPv4, 10 over IPv6), `social` and `pubmail` for redirects elsewhere and mail to arbitrary addresses (30).
 * `callback` counts rejected requests of providers (200), and `key` calls with an unknown key (as many as of most
 * kinds), afterwards.
 */
export type AttemptKind = 'signin' | 'proof' | 'social' | 'pubmail' | 'callback' | 'key';

/** The properties that select the bucket of a call. */
export type LimitedCall = {
  readonly kind: CallKind;
  /** Client network: an IPv4 address or the /64 of an IPv6 address. */
  readonly network: string;
  readonly orgId?: string | undefined;
  readonly projectId?: string | undefined;
  /** For `ingest`: a secret key has its own bucket, a public one uses that of the network. */
  readonly caller?: { readonly keyId: string; readonly kind: KeyKind } | undefined;
};

/** A named bucket: `burst` calls at once, and one more every `periodUs` microseconds. */
export type CallBucket = { readonly key: string; readonly periodUs: number; readonly burst: number };

/**
 * Rate limits, for the layer that serves calls. 200 calls a minute and 200 at once per kind, client network and
 * project; `ingest` 1,000 a second and 5,000 at once per client network or secret key. At most 100,000 buckets are kept
 * in memory. Processes on one PostgreSQL share them; on SQLite each has its own.
 */
export type CallsApi = {
  /** Throws errors of the database if the organization's own rates are not cached yet. */
  bucketOf(call: LimitedCall): CallBucket | Promise<CallBucket>;
  /** Throws nothing. */
  attempts(kind: AttemptKind, network: string): CallBucket;
  /** Number of calls of cost 1 that would be allowed. Throws nothing. */
  left(bucket: CallBucket): number;
  /** Takes nothing. Throws RATE_LIMITED if a call of cost 1 would be rejected. */
  check(bucket: CallBucket): void;
  /**
   * Takes the whole cost (default 1) or nothing; a cost above the burst counts as the burst. Synchronous, unless
   * several processes share the bucket and this one must sync first. Throws, or rejects with, RATE_LIMITED.
   */
  take(bucket: CallBucket, cost?: number): undefined | Promise<void>;
  /** Returns the cost of a call. Throws nothing. */
  giveBack(bucket: CallBucket, cost?: number): void;
};

/** Kinds whose rate can be set per organization: those that identify an organization before they are counted. */
export type OrgCallKind = 'sdk' | 'signin' | 'refresh' | 'secret';

/** Rate limits of requests. */
export type LimitsApi = {
  /**
   * Runs one request to send email if its organization is within its limit: in `prod` 60 requests a minute and 60 at
   * once (`email.mailsPerMinute`), on probation 10; recipients are not counted. Email sent otherwise, by the host or by
   * a step, takes permits as it is sent, and waits if there are none. Shared by all processes of a database. A request
   * that fails with PROVIDER_NOT_CONFIGURED does not count.
   *
   * Throws RATE_LIMITED before anything is done, and errors of `work`.
   */
  mailRequest<T>(scope: Scope, work: () => Promise<T>): Promise<T>;
  /** Puts an organization's email on probation, or ends it. Throws NOT_FOUND for an unknown organization. */
  setEmailProbation(orgId: string, isOn: boolean): Promise<void>;
  /**
   * Sets the calls of a kind that an organization has per minute, and at once, for each client network and project: 1
   * to 1,000,000; null: the default. Other processes know within 10 s. It applies while the organization's plan
   * includes `rateLimits`. Throws NOT_FOUND for an unknown organization, VALIDATION_ERROR for another kind or number,
   * `tier_required`.
   */
  setCallRate(orgId: string, kind: OrgCallKind, perMinute: number | null): Promise<void>;
  /** The rates set for an organization. Throws nothing of its own. */
  callRates(orgId: string): Promise<Readonly<Partial<Record<OrgCallKind, number>>>>;
  /** Limits of calls of the HTTP interface. */
  readonly calls: CallsApi;
};
