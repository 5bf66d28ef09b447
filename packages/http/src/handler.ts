import { type Beckon, type Clock, type Log, notFound, systemClock, uuidV7Ids } from '@beckon/core';
import type { Answered } from './metrics-meter.ts';
import { readBytes, readJson } from './pipeline/body.ts';
import { addCors, preflight } from './pipeline/cors.ts';
import { BUDGET_MS } from './pipeline/deadline.ts';
import type { Answer } from './pipeline/envelope.ts';
import { answerOfError, methodNotAllowed } from './pipeline/errors.ts';
import { readForm } from './pipeline/form.ts';
import { idempotencyOf } from './pipeline/idempotency.ts';
import { principalOf } from './pipeline/key.ts';
import { refuseNul } from './pipeline/nul.ts';
import { orgOf } from './pipeline/org-path.ts';
import { takeProject } from './pipeline/project.ts';
import { admit } from './pipeline/scope.ts';
import type { RequestView } from './request.ts';
import type { Unvalidated } from './route.ts';
import { routes } from './route-table.ts';
import { type Match, makeRouter } from './router.ts';

/** What `createHandler` may be told. */
export type HandlerOptions = {
  /** Where failures of our own go; nowhere by default. */
  readonly log?: Log | undefined;
  /** The source of request ids' time; the machine's clock by default. */
  readonly clock?: Clock | undefined;
  /** Begins with a slash and does not end with one; default `/api/v1`. */
  readonly basePath?: string | undefined;
  /** Told of every answer, for figures and logs. Must not throw. */
  readonly onAnswered?: Answered | undefined;
};

/** An answer with all its headers, made for this request: the face may add its own. */
export type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Of the answer to HEAD what GET would have: a face sends its length and not itself. */
  readonly body: Answer['body'];
};
/** Answers one request. Never rejects. */
export type Handle = (request: RequestView) => Promise<Reply>;

const DEFAULT_BASE_PATH = '/api/v1';
const BASE_PATH = /^(?:\/[\w.~-]+)+$/;
const CONTENT_TYPE = 'application/json; charset=utf-8';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
const NO_QUERY = new URLSearchParams();
const NO_BODY = { value: undefined, bytes: new Uint8Array() };

/**
 * The interface over one Beckon, knowing neither sockets nor `Request`.
 *
 * @throws TypeError for a base path of another form
 */
export const makeHandle = (beckon: Beckon, options: HandlerOptions = {}): Handle => {
  const { log = silent, clock = systemClock, basePath = DEFAULT_BASE_PATH, onAnswered } = options;
  if (!BASE_PATH.test(basePath)) throw new TypeError('basePath must look like /api/v1, without a slash at its end.');
  const router = makeRouter(routes, basePath);
  const ids = uuidV7Ids(clock);

  // The order of these lines is the precedence of answers.
  const serve = async (request: RequestView, { route, params }: Match, startMs: number): Promise<Answer> => {
    const leftMs = (): number => startMs + BUDGET_MS[route.kind] - clock.now().getTime();
    const query = request.query === '' ? NO_QUERY : new URLSearchParams(request.query);
    if (route.needs === 'nothing') {
      refuseNul(params, query);
      const body = route.bodyCap === undefined ? NO_BODY.bytes : await readBytes(request, route.bodyCap, leftMs());
      const { method, path, query: rawQuery } = request;
      const sent = { method, path, query: rawQuery, header: (name: string) => request.header(name), body };
      const form = route.formCap === undefined ? NO_QUERY : await readForm(request, route.formCap, leftMs());
      return route.run(beckon, { params, query, basePath, sent, form });
    }
    const principal = await principalOf(beckon, request, route, query, log);
    const orgId = orgOf(principal, params['orgId']);
    admit(principal, route, query);
    refuseNul(params, query);
    if (route.needs === 'org') return route.run(beckon, { params, query, principal, orgId });
    let read: Awaited<ReturnType<typeof readJson>> = NO_BODY;
    if (route.bodyCap !== null) {
      read = await readJson(request, route.bodyCap, route.isBeacon === true, leftMs(), route.reads);
    }
    const { asked, body } = takeProject(query, read.value, route.isBodyWhole === true);
    const scope = await beckon.tenancy.scopeFor(principal, { orgId, projectId: asked });
    const idempotency = idempotencyOf(request, route, read.bytes);
    // Safe: the engine that gets it validates it, whatever it is.
    const unvalidated = body as Unvalidated;
    const bodyBytes = read.bytes.byteLength;
    return route.run(beckon, { params, query, scope, body: unvalidated, bodyBytes, idempotency });
  };

  const finish = (answer: Answer, requestId: string, isPublic: boolean): Reply => {
    const headers: Reply['headers'] = { 'X-Request-ID': requestId };
    if (answer.body !== '') headers['Content-Type'] = CONTENT_TYPE;
    if (isPublic) addCors(headers);
    if (answer.headers !== null) Object.assign(headers, answer.headers);
    return { status: answer.status, headers, body: answer.body };
  };

  const miss = (request: RequestView, requestId: string): Reply => {
    const others = router.findAll(request.path);
    const isPublic = others.some((other) => other.isPublic);
    if (isPublic && request.method === 'OPTIONS') return finish(preflight, requestId, true);
    const answer =
      others.length > 0
        ? methodNotAllowed(others.map((other) => other.method))
        : answerOfError(notFound(), requestId, log);
    return finish(answer, requestId, isPublic);
  };

  const answered = (request: RequestView, route: string, reply: Reply, start: number): Reply => {
    onAnswered?.(route, request.method, reply.status, (performance.now() - start) / 1_000);
    return reply;
  };

  return async (request) => {
    const requestId = ids.next();
    const startMs = clock.now().getTime();
    const start = performance.now();
    const match = router.find(request.method, request.path);
    if (match === null) return answered(request, 'none', miss(request, requestId), start);
    let answer: Answer;
    try {
      answer = await serve(request, match, startMs);
    } catch (thrown) {
      answer = answerOfError(thrown, requestId, log);
    }
    return answered(request, match.route.path, finish(answer, requestId, match.isPublic), start);
  };
};
