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

/** What one request took, and of which bucket its answer speaks. */
export type Charge = {
  /** Null: none is known yet, or the route has none. */
  bucket: CallBucket | null;
  cost: number;
  attempt: CallBucket | null;
};

/** A request that has taken nothing. Throws nothing. */
export const newCharge = (): Charge => ({ bucket: null, cost: 0, attempt: null });

/** Refused for what they say themselves: they count only once what they say is valid. */
const INVALID = new Set<ErrorCode>([
  'VALIDATION_ERROR',
  'INVALID_RANGE',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);
const ALL_PROJECTS = '*';

/** Counts an attempt of a route that guesses secrets or sends mail, before anything else. Throws RATE_LIMITED. */
export const takeAttempt = async ({ limits }: Limits, route: Route, network: string, charge: Charge): Promise<void> => {
  if (route.attempts === undefined || route.attempts === 'callback') return;
  const bucket = limits.calls.attempts(route.attempts, network);
  await limits.calls.take(bucket);
  charge.attempt = bucket;
};

/** What callbacks end with that are not accepted. Others are ours, or the database's: the provider comes again. */
const NOT_ACCEPTED = new Set<ErrorCode>(['UNAUTHORIZED', 'VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'NOT_FOUND']);

/**
 * Takes one call from the bucket of a client network for each callback that is not accepted. One that is accepted takes
 * nothing and passes however empty the bucket is: many tenants' callbacks come from the same networks of a provider.
 *
 * @param act `isSuspect`: the bucket is empty, so that whatever is not accepted will be refused
 * @throws BeckonError RATE_LIMITED in place of what was not accepted, and what `act` throws
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

/** The one project that is known before the body is read; undefined where the body may name it. */
const projectBeforeBody = (grants: readonly Grant[], orgId: string, query: URLSearchParams): string | undefined => {
  const own = grants.filter((grant) => grant.orgId === orgId);
  const [first] = own;
  if (own.length === 1 && first?.projectId !== ALL_PROJECTS) return first?.projectId;
  const requestedProject = query.size === 0 ? null : query.get('projectId');
  return own.find(({ projectId }) => projectId === requestedProject)?.projectId;
};

/** Names the bucket of a call, and refuses it where that is empty. Throws RATE_LIMITED. */
const enter = async (
  { limits }: Limits,
  call: Parameters<Beckon['limits']['calls']['bucketOf']>[0],
  charge: Charge,
): Promise<void> => {
  const bucket = await limits.calls.bucketOf(call);
  charge.bucket = bucket;
  limits.calls.check(bucket);
};

/** Looks whether the caller has calls left, as far as it is known whose they are before the body is read. Throws RATE_LIMITED. */
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

/** As `peek`, where nobody has to say who is calling. */
export const peekOpen = async (beckon: Limits, kind: Kind, network: string, charge: Charge): Promise<void> => {
  if (kind !== 'none') await enter(beckon, { kind, network }, charge);
};

/** Takes what the call costs. Throws RATE_LIMITED. */
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

/** Gives back what a refused call took: of the wrong form its own cost, without a provider all. Throws nothing. */
export const giveBack = ({ limits }: Limits, charge: Charge, thrown: unknown): void => {
  if (!(thrown instanceof BeckonError)) return;
  const isUnserved = thrown.code === 'PROVIDER_NOT_CONFIGURED';
  if (charge.bucket !== null && charge.cost > 0 && (isUnserved || INVALID.has(thrown.code))) {
    limits.calls.giveBack(charge.bucket, charge.cost);
    charge.cost = 0;
  }
  if (isUnserved && charge.attempt !== null) limits.calls.giveBack(charge.attempt);
};

/** What an answer says of its bucket. Throws nothing. Source: interface, Limits. */
export const addLimits = (headers: Record<string, string>, { limits }: Limits, { bucket }: Charge): void => {
  if (bucket === null) return;
  headers['X-RateLimit-Limit'] = String(bucket.burst);
  headers['X-RateLimit-Remaining'] = String(limits.calls.left(bucket));
};

/**
 * How many events a body of this route reports: those of a batch, in either of its forms; anything else is 1. A batch that
 * is empty or too long is refused by its engine and counts 1. Throws nothing.
 */
export const eventsIn = (route: Route, body: unknown): number => {
  const isBatch = route.needs === 'project' && route.takes === 'EventBatchInput';
  const count = isBatch ? (eventsInBatch(body)?.length ?? 1) : 1;
  return count > MAX_BATCH ? 1 : Math.max(count, 1);
};

/** What a call costs: a public key's batch 1 for each event, anything else 1. Source: semantics, Rate limits, Cost. */
export const costOf = (route: Route, principal: Principal, body: unknown): number =>
  route.kind === 'ingest' && principal.kind === 'public' ? eventsIn(route, body) : 1;
