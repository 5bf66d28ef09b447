import type { Scope, TraceSpan, Tracing } from '@beckon/core';
import { methodLabel } from './metrics-meter.ts';
import { pathsOf } from './paths.ts';
import type { RequestView } from './request.ts';
import type { Match } from './router.ts';

/** First status of a server's own failure. */
const SERVER_ERROR = 500;

/**
 * Makes a span of each request. Its attributes follow the semantic conventions for HTTP servers, without the path,
 * query, address and user agent: a path may hold a user id or the token of a link.
 */
export const requestSpans =
  (tracing: Tracing, basePath: string) =>
  <Reply extends { readonly status: number }>(
    request: RequestView,
    match: Match | null,
    requestId: string,
    respond: (span: TraceSpan) => Promise<Reply>,
  ): Promise<Reply> => {
    const label = methodLabel(request.method);
    const method = label === 'other' ? '_OTHER' : label;
    const route = match ? pathsOf(match.route, basePath)[0] : undefined;
    const name = `${label === 'other' ? 'HTTP' : method}${route === undefined ? '' : ` ${route}`}`;
    const attributes = { 'http.request.method': method, 'http.route': route, 'beckon.request_id': requestId };
    const header = (headerName: string) => request.header(headerName);
    return tracing.trace(name, { kind: 'server', attributes, header }, async (span) => {
      const reply = await respond(span);
      span.add({ 'http.response.status_code': reply.status });
      if (reply.status >= SERVER_ERROR) span.fail(String(reply.status));
      return reply;
    });
  };

/** Adds the organization, project and environment of a request. */
export const addTenant = (span: TraceSpan, { orgId, projectId, environment }: Scope): void =>
  span.add({ 'beckon.org_id': orgId, 'beckon.project_id': projectId, 'beckon.environment': environment });
