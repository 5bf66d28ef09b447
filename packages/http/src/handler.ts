import {
  type Beckon,
  type Clock,
  type Log,
  notFound,
  systemClock,
  type TraceSpan,
  uuidV7Ids,
  withDeadline,
} from '@beckon/core';
import { type Load, NO_LOAD } from './load.ts';
import { type Answered, methodLabel } from './metrics-meter.ts';
import { readJson, stagedBody } from './pipeline/body.ts';
import { clientNetwork, UNKNOWN_NETWORK } from './pipeline/client-network.ts';
import { addCors, preflight } from './pipeline/cors.ts';
import { budgetOf } from './pipeline/deadline.ts';
import type { Answer } from './pipeline/envelope.ts';
import { answerOfError, methodNotAllowed } from './pipeline/errors.ts';
import { readForm } from './pipeline/form.ts';
import { addSecurity } from './pipeline/headers.ts';
import { idempotencyOf } from './pipeline/idempotency.ts';
import { principalOf } from './pipeline/key.ts';
import {
  addLimits,
  type Charge,
  costOf,
  eventsIn,
  giveBack,
  newCharge,
  peek,
  peekOpen,
  take,
  takeAttempt,
  takeIn,
} from './pipeline/limits.ts';
import { refuseNul } from './pipeline/nul.ts';
import { orgOf } from './pipeline/org-path.ts';
import { takeProject } from './pipeline/project.ts';
import { isScimPath, scimErrorAnswer } from './pipeline/scim.ts';
import { admit } from './pipeline/scope.ts';
import { type Holding, newHolding } from './pipeline/shares.ts';
import { shedder } from './pipeline/shedding.ts';
import type { RequestView } from './request.ts';
import { addTenant, requestSpans } from './request-span.ts';
import type { Route, Unvalidated } from './route.ts';
import { routes as allRoutes } from './route-table.ts';
import { type Match, makeRouter } from './router.ts';

/** Options of `createHandler`. */
export type HandlerOptions = {
  /** Receives internal failures. Default: none is logged. */
  readonly log?: Log | undefined;
  /** The clock for the time in request ids. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Begins with a slash and does not end with one. Default: `/api/v1`. */
  readonly basePath?: string | undefined;
  /**
   * Number of your reverse proxies in front of the server, one behind the other. That many addresses at the right end
   * of
   * `X-Forwarded-For` are trusted. Default 0: the address of the connection counts, or the one passed to `fetch`.
   */
  readonly trustedProxies?: number | undefined;
  /**
   * Load shedding: which kinds of calls are rejected at this moment, for organizations and client networks that use
   * more than their share. Read for each request. Default: none is rejected. `watchLoad(beckon).now` measures this
   * process and its workers.
   */
  readonly load?: (() => Load) | undefined;
  /** Called after every response, for metrics and logs. Must not throw. */
  readonly onAnswered?: Answered | undefined;
};

/** A response with all its headers, made for this request. The adapter may add its own headers. */
export type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** For HEAD the body that GET would return: an adapter sends its length and not the body. */
  readonly body: Answer['body'];
};
/** Answers one request. Never rejects. */
export type Handle = (request: RequestView) => Promise<Reply>;

/** Default path of the API. */
export const DEFAULT_BASE_PATH = '/api/v1';
const BASE_PATH = /^(?:\/[\w.~-]+)+$/;
const CONTENT_TYPE = 'application/json; charset=utf-8';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
/** The access token of a request; null: none. Throws nothing. */
const bearerOf = (request: RequestView): string | null =>
  /^Bearer ([^\s,]+)$/i.exec(request.header('authorization') ?? '')?.[1] ?? null;

const NO_QUERY = new URLSearchParams();
const NO_BODY = { value: undefined, bytes: new Uint8Array() };

/** Maximum number of trusted proxies. Chosen: above any real chain. */
const MAX_PROXIES = 16;

/**
 * The HTTP API for one Beckon, independent of sockets and of `Request`.
 *
 * @param routes for tests that define their own
 * @throws TypeError for an invalid base path or number of proxies
 */
export const makeHandle = (
  beckon: Beckon,
  options: HandlerOptions = {},
  routes: readonly Route[] = allRoutes,
): Handle => {
  const {
    log = silent,
    clock = systemClock,
    basePath = DEFAULT_BASE_PATH,
    trustedProxies = 0,
    onAnswered,
    load,
  } = options;
  if (!BASE_PATH.test(basePath)) throw new TypeError('basePath must look like /api/v1, without a slash at its end.');
  if (!Number.isInteger(trustedProxies) || trustedProxies < 0 || trustedProxies > MAX_PROXIES)
    throw new TypeError(`trustedProxies must be a whole number from 0 to ${MAX_PROXIES}.`);
  const router = makeRouter(routes, basePath);
  const ids = uuidV7Ids(clock);
  // Without load shedding no usage is measured.
  const shed = load === undefined ? null : shedder(routes);

  // The order of these lines is the precedence of errors: 429 of rejected attempts, 503 for a network above its share,
  // 401, 404 of the organization, 503 for an organization above its share, 403, 429, then 413, 415 and 400 of the body,
  // 404 of the project, then the engines' 400, 402, 412, 409. A request with an invalid form costs nothing: its cost is
  // charged after its body was read, and refunded if the engine rejects it.
  const serve = async (
    request: RequestView,
    { route, params }: Match,
    startMs: number,
    charge: Charge,
    holding: Holding,
    span: TraceSpan | null,
  ): Promise<Answer> => {
    const budgetMs = budgetOf(route);
    const leftMs = (): number => startMs + budgetMs - performance.now();
    const { kind } = route;
    const network = kind === 'none' && route.attempts === undefined ? '' : clientNetwork(request, trustedProxies);
    if (route.attempts !== undefined) await takeAttempt(beckon, route, network, charge);
    const current = load?.() ?? NO_LOAD;
    shed?.enter(route, current, holding, network);
    const query = request.query === '' ? NO_QUERY : new URLSearchParams(request.query);
    if (route.needs === 'nothing') {
      await peekOpen(beckon, kind, network, charge);
      refuseNul(params, query);
      const body = stagedBody(request, route.bodyCap ?? 0, leftMs);
      const { method, path, query: rawQuery } = request;
      const sent = { method, path, query: rawQuery, header: (name: string) => request.header(name), body };
      const form = route.formCap === undefined ? NO_QUERY : await readForm(request, route.formCap, leftMs());
      await take(beckon, charge, 1);
      return route.run(beckon, { params, query, basePath, sent, form, load: current, network });
    }
    const principal = await principalOf(beckon, request, route, { query, network, log });
    const orgId = orgOf(principal, params['orgId']);
    span?.add({ 'beckon.org_id': orgId });
    shed?.enter(route, current, holding, orgId);
    shed?.checkPause(route, current, orgId);
    admit(principal, route, query);
    await peek(beckon, route, network, { principal, orgId, query }, charge);
    refuseNul(params, query);
    if (route.needs === 'org') {
      const sent = route.bodyCap === null ? NO_BODY : await readJson(request, route.bodyCap, false, leftMs());
      await take(beckon, charge, 1);
      // Safe: the engine that receives it validates it.
      return route.run(beckon, { params, query, principal, orgId, body: sent.value as Unvalidated });
    }
    let read: Awaited<ReturnType<typeof readJson>> = NO_BODY;
    if (route.bodyCap !== null) {
      read = await readJson(request, route.bodyCap, route.isBeacon === true, leftMs(), route.reads);
    }
    const { projectId, body } = takeProject(query, read.value, route.isBodyWhole === true);
    const scope = await beckon.tenancy.scopeFor(principal, { orgId, projectId });
    if (span !== null) addTenant(span, scope);
    const idempotency = idempotencyOf(request, route, read.bytes);
    await takeIn(beckon, kind, network, scope, charge, costOf(route, principal, body));
    if (route.kind === 'ingest') shed?.countEvents(orgId, eventsIn(route, body));
    // Safe: the engine that receives it validates it.
    const unvalidated = body as Unvalidated;
    const bodyBytes = read.bytes.byteLength;
    const { kind: keyKind, keyId } = principal;
    const token = route.user || route.mayHaveUser ? bearerOf(request) : null;
    const needsUser = route.user !== undefined || token !== null;
    const user = needsUser ? await beckon.auth.authenticate(scope, token, route.user) : null;
    const client = {
      ip: network === '' || network === UNKNOWN_NETWORK ? null : network,
      userAgent: request.header('user-agent') ?? null,
      // Only a call that waits for a hash has a place to free.
      ...(route.sheds === 'passwords' && { signal: request.left?.() }),
    };
    return route.run(beckon, {
      ...{ params, query, scope, keyKind, keyId, user, client, body: unvalidated, bodyBytes, idempotency },
    });
  };

  const finish = (answer: Answer, requestId: string, isPublic: boolean, charge: Charge): Reply => {
    const headers: Reply['headers'] = { 'X-Request-ID': requestId };
    if (answer.body !== '') headers['Content-Type'] = CONTENT_TYPE;
    addSecurity(headers, isPublic);
    if (isPublic) addCors(headers);
    addLimits(headers, beckon, charge);
    if (answer.headers !== null) Object.assign(headers, answer.headers);
    return { status: answer.status, headers, body: answer.body };
  };

  const miss = (request: RequestView, requestId: string): Reply => {
    const others = router.findAll(request.path);
    const isPublic = others.some((other) => other.isPublic);
    if (isPublic && request.method === 'OPTIONS') return finish(preflight, requestId, true, newCharge());
    const answer =
      others.length > 0
        ? methodNotAllowed(others.map((other) => other.method))
        : answerOfError(notFound(), requestId, log);
    const shown = isScimPath(request.path, basePath) ? scimErrorAnswer(answer) : answer;
    return finish(shown, requestId, isPublic, newCharge());
  };

  const { tracing = null, meter = null } = beckon.telemetry ?? {};
  const answered = (request: RequestView, route: string, reply: Reply, start: number): Reply => {
    const seconds = (performance.now() - start) / 1_000;
    onAnswered?.(route, request.method, reply.status, seconds);
    meter?.time('request', seconds, { route, method: methodLabel(request.method), status: reply.status });
    return reply;
  };

  const respond = async (
    request: RequestView,
    match: Match | null,
    requestId: string,
    start: number,
    span: TraceSpan | null,
  ): Promise<Reply> => {
    if (match === null) return answered(request, 'none', miss(request, requestId), start);
    const charge = newCharge();
    const holding = newHolding();
    let answer: Answer;
    try {
      answer = await withDeadline(budgetOf(match.route), () => serve(request, match, start, charge, holding, span));
    } catch (thrown) {
      giveBack(beckon, charge, thrown);
      answer = answerOfError(thrown, requestId, log);
      if (match.route.errorForm === 'scim') answer = scimErrorAnswer(answer);
    } finally {
      shed?.leave(holding);
    }
    return answered(request, match.route.path, finish(answer, requestId, match.isPublic, charge), start);
  };

  const inSpan = tracing && requestSpans(tracing, basePath);
  return async (request) => {
    const requestId = ids.next();
    // Durations use the monotonic clock, so changing the system time ends no request.
    const start = performance.now();
    const match = router.find(request.method, request.path);
    if (inSpan === null) return respond(request, match, requestId, start, null);
    return inSpan(request, match, requestId, (span) => respond(request, match, requestId, start, span));
  };
};
