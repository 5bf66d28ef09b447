import {
  type Beckon,
  BeckonError,
  type CallBucket,
  type ErrorCode,
  eventsInBatch,
  type Grant,
  MAX_BATCH,
  type Principal,
  type Scope,
} from '@beckon/core';
import type { Kind, Route } from '../route.ts';

type Limits = Pick<Beckon, 'limits'>;

/** The cost that a request has paid, and the bucket that its response reports. */
export type Charge = {
  /** Null: not known yet, or the route has none. */
  bucket: CallBucket | null;
  cost: number;
  attempt: CallBucket | null;
};

/** A request that has paid nothing. Throws nothing. */
export const newCharge = (): Charge => ({ bucket: null, cost: 0, attempt: null });

/** Rejections of invalid requests: a request costs something only once it is valid. */
const INVALID = new Set<ErrorCode>([
  'VALIDATION_ERROR',
  'INVALID_RANGE',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);
const ALL_PROJECTS = '*';

/** Counts an attempt at a route that checks secrets or sends email, before anything else. Throws RATE_LIMITED. */
export const takeAttempt = async ({ limits }: Limits, route: Route, network: string, charge: Charge): Promise<void> => {
  if (route.attempts === undefined || route.attempts === 'callback') return;
  const bucket = limits.calls.attempts(route.attempts, network);
  await limits.calls.take(bucket);
  charge.attempt = bucket;
};

/** Errors of rejected callbacks. Other errors are ours or the database's, and the provider retries. */
const NOT_ACCEPTED = new Set<ErrorCode>(['UNAUTHORIZED', 'VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND']);

/**
 * Takes one call from the bucket of a client network for each rejected callback. An accepted callback costs nothing and
 * passes even if the bucket is empty: callbacks of many tenants come from the same provider networks.
 *
 * @param act `isSuspect`: the bucket is empty, so a rejection will become RATE_LIMITED
 * @throws BeckonError RATE_LIMITED in place of a rejection, and what `act` throws
 */
export const limitUnaccepted = async <T extends { readonly isAccepted: boolean }>(
  { limits: { calls } }: Limits,
  network: string,
  act: (isSuspect: boolean) => Promise<T>,
): Promise<T> => {
  const bucket = calls.attempts('callback', network);
  try {
    const result = await act(calls.left(bucket) < 1);
    if (!result.isAccepted) await calls.take(bucket);
    return result;
  } catch (error) {
    if (error instanceof BeckonError && NOT_ACCEPTED.has(error.code)) await calls.take(bucket);
    throw error;
  }
};

/** The only project that is possible before the body is read; undefined if the body may name one. */
const projectBeforeBody = (grants: readonly Grant[], orgId: string, query: URLSearchParams): string | undefined => {
  const own = grants.filter((grant) => grant.orgId === orgId);
  const [first] = own;
  if (own.length === 1 && first?.projectId !== ALL_PROJECTS) return first?.projectId;
  const requestedProject = query.size === 0 ? null : query.get('projectId');
  return own.find(({ projectId }) => projectId === requestedProject)?.projectId;
};

/** Sets the bucket of a call, and rejects the call if the bucket is empty. Throws RATE_LIMITED. */
const enter = async (
  { limits }: Limits,
  call: Parameters<Beckon['limits']['calls']['bucketOf']>[0],
  charge: Charge,
): Promise<void> => {
  const bucket = await limits.calls.bucketOf(call);
  charge.bucket = bucket;
  limits.calls.check(bucket);
};

/**
 * Checks that the caller has calls left, as far as the bucket is known before the body is read. Throws RATE_LIMITED.
 */
export const peek = async (
  beckon: Limits,
  { kind, needs }: Pick<Route, 'kind' | 'needs'>,
  network: string,
  who: { readonly principal: Principal; readonly orgId: string; readonly query: URLSearchParams },
  charge: Charge,
): Promise<void> => {
  if (kind === 'none') return;
  const { principal: caller, orgId, query } = who;
  if (kind === 'ingest') return enter(beckon, { kind, network, caller }, charge);
  const projectId = needs === 'org' ? undefined : projectBeforeBody(caller.grants, orgId, query);
  if (needs === 'project' && projectId === undefined) return;
  await enter(beckon, { kind, network, orgId, projectId }, charge);
};

/** As `peek`, for routes without a key. */
export const peekOpen = async (beckon: Limits, kind: Kind, network: string, charge: Charge): Promise<void> => {
  if (kind !== 'none') await enter(beckon, { kind, network }, charge);
};

/** Charges what the call costs. Throws RATE_LIMITED. */
export const take = async ({ limits }: Limits, charge: Charge, cost: number): Promise<void> => {
  if (charge.bucket === null) return;
  await limits.calls.take(charge.bucket, cost);
  charge.cost = cost;
};

/** As `take`, for a project that the body may have named. */
export const takeIn = async (
  beckon: Limits,
  kind: Kind,
  network: string,
  { orgId, projectId }: Scope,
  charge: Charge,
  cost: number,
): Promise<void> => {
  if (kind === 'none') return;
  charge.bucket ??= await beckon.limits.calls.bucketOf({ kind, network, orgId, projectId });
  await take(beckon, charge, cost);
};

/** Refunds a rejected call: its own cost after an invalid form, everything without a provider. Throws nothing. */
export const giveBack = ({ limits }: Limits, charge: Charge, thrown: unknown): void => {
  if (!(thrown instanceof BeckonError)) return;
  const isUnserved = thrown.code === 'PROVIDER_NOT_CONFIGURED';
  if (charge.bucket !== null && charge.cost > 0 && (isUnserved || INVALID.has(thrown.code))) {
    limits.calls.giveBack(charge.bucket, charge.cost);
    charge.cost = 0;
  }
  if (isUnserved && charge.attempt !== null) limits.calls.giveBack(charge.attempt);
};

/** The rate limit headers of a response. Throws nothing. Source: interface, Limits. */
export const addLimits = (headers: Record<string, string>, { limits }: Limits, { bucket }: Charge): void => {
  if (bucket === null) return;
  headers['X-RateLimit-Limit'] = String(bucket.burst);
  headers['X-RateLimit-Remaining'] = String(limits.calls.left(bucket));
};

/**
 * The number of events in a body of this route: the members of a batch, in either form; otherwise 1. An empty or
 * oversized batch is rejected by its engine and counts 1. Throws nothing.
 */
export const eventsIn = (route: Route, body: unknown): number => {
  const isBatch = route.needs === 'project' && route.takes === 'EventBatchInput';
  const count = isBatch ? (eventsInBatch(body)?.length ?? 1) : 1;
  return count > MAX_BATCH ? 1 : Math.max(count, 1);
};

/** The cost of a call: 1 for each event of a public key's batch, otherwise 1. Source: semantics, Rate limits, Cost. */
export const costOf = (route: Route, principal: Principal, body: unknown): number =>
  route.kind === 'ingest' && principal.kind === 'public' ? eventsIn(route, body) : 1;
