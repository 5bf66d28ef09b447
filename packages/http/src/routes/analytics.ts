import { CHANNELS, EVENT_GROUPS, FIGURE_INTERVALS, SEND_GROUPS } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const read = reading('analytics:read');
const rangeQuery = listQuery.pick({ from: true, to: true });
const figuresQuery = rangeQuery.extend({ interval: oneOf(FIGURE_INTERVALS), timezone: filter });
const eventQuery = figuresQuery.extend({ eventType: filter, groupBy: oneOf(EVENT_GROUPS) });
const sendQuery = figuresQuery.extend({ channel: oneOf(CHANNELS), groupBy: oneOf(SEND_GROUPS) });
/** Codes that every question may be answered with. */
const errors = ['INVALID_RANGE', 'RATE_LIMITED', 'QUERY_TIMEOUT'] as const;

/** What became of things over time. */
export const analyticsRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/analytics/overview',
    summary: 'Count events, active people and messages',
    answer: { 200: 'Overview' },
    query: figuresQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.overview(scope, readQuery(query, figuresQuery))),
  },
  {
    ...read,
    path: '/analytics/events',
    summary: 'Count events, in all or by their names, modules or sources',
    answer: { 200: 'EventCounts' },
    query: eventQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.events(scope, readQuery(query, eventQuery))),
  },
  {
    ...read,
    path: '/analytics/sends',
    summary: 'Count messages by what became of them, in all or by template or workflow',
    answer: { 200: 'SendFigures' },
    query: sendQuery,
    errors,
    run: async (beckon, { scope, query }) => succeed(await beckon.analytics.sends(scope, readQuery(query, sendQuery))),
  },
  {
    ...read,
    method: 'POST',
    path: '/analytics/funnel',
    bodyCap: DEFAULT_BODY_CAP,
    summary: 'Count people who did one thing after another',
    takes: 'FunnelInput',
    answer: { 200: 'Funnel' },
    errors,
    run: async (beckon, { scope, body }) => succeed(await beckon.analytics.funnel(scope, body)),
  },
  {
    ...read,
    path: '/analytics/retention',
    summary: 'Count people who come back, by when they were there first',
    answer: { 200: 'Retention' },
    query: figuresQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.retention(scope, readQuery(query, figuresQuery))),
  },
  {
    ...read,
    path: '/analytics/usage',
    summary: 'Count the events of the org by months',
    answer: { 200: 'Usage' },
    query: rangeQuery,
    errors,
    run: async (beckon, { scope, query }) => succeed(await beckon.analytics.usage(scope, readQuery(query, rangeQuery))),
  },
  {
    ...read,
    path: '/analytics/workflows/:id',
    summary: 'Count the runs of a workflow, and how its steps ended',
    answer: { 200: 'WorkflowFigures' },
    query: figuresQuery,
    errors,
    run: async (beckon, call) =>
      succeed(await beckon.workflows.figures(call.scope, param(call, 'id'), readQuery(call.query, figuresQuery))),
  },
];
