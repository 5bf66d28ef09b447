import { CHANNELS, EVENT_GROUPS, FIGURE_INTERVALS, SEND_GROUPS } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectRoute, param, reading } from '../route.ts';

const read = reading('analytics:read');
const rangeQuery = listQuery.pick({ from: true, to: true }).extend({
  from: listQuery.shape.from.describe('Start of the time range, included. ISO 8601. Default: 30 days before its end.'),
  to: listQuery.shape.to.describe('End of the time range, excluded. ISO 8601. Default: now.'),
});
const figuresQuery = rangeQuery.extend({
  interval: oneOf(FIGURE_INTERVALS).describe('Length of one interval of the result. Default: day.'),
  timezone: filter.describe('IANA time zone in which intervals begin. Default: UTC.'),
});
const eventQuery = figuresQuery.extend({
  eventType: filter.describe('Name of the events to count. Default: all events.'),
  groupBy: oneOf(EVENT_GROUPS).describe('Field to group by. Default: one total.'),
});
const sendQuery = figuresQuery.extend({
  channel: oneOf(CHANNELS).describe('Channel to count. Default: all channels.'),
  groupBy: oneOf(SEND_GROUPS).describe('Field to group by. Default: one total.'),
});
/** Error codes of every analytics query. */
const errors = ['INVALID_RANGE', 'RATE_LIMITED', 'QUERY_TIMEOUT'] as const;

/** Analytics. */
export const analyticsRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/analytics/overview',
    summary: 'Get an overview of activity',
    description: 'Counts events, active users and messages per interval.',
    answer: { 200: 'Overview' },
    query: figuresQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.overview(scope, readQuery(query, figuresQuery))),
  },
  {
    ...read,
    path: '/analytics/events',
    summary: 'Count events',
    description: 'Counts events per interval, in total or by name, module or source.',
    answer: { 200: 'EventCounts' },
    query: eventQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.events(scope, readQuery(query, eventQuery))),
  },
  {
    ...read,
    path: '/analytics/sends',
    summary: 'Count messages',
    description: 'Counts messages by status per interval, in total or by template, workflow or day.',
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
    summary: 'Compute a funnel',
    description: 'Counts users that performed the steps in order, within `windowHours` of the first step.',
    takes: 'FunnelInput',
    answer: { 200: 'Funnel' },
    errors,
    run: async (beckon, { scope, body }) => succeed(await beckon.analytics.funnel(scope, body)),
  },
  {
    ...read,
    path: '/analytics/retention',
    summary: 'Compute retention',
    description: 'Groups users by the period of their first event, and counts how many return in later periods.',
    answer: { 200: 'Retention' },
    query: figuresQuery,
    errors,
    run: async (beckon, { scope, query }) =>
      succeed(await beckon.analytics.retention(scope, readQuery(query, figuresQuery))),
  },
  {
    ...read,
    path: '/analytics/usage',
    summary: 'Get the event usage',
    description: 'Counts the events of the organization per month of UTC, as the quota of its plan counts them.',
    answer: { 200: 'Usage' },
    query: rangeQuery,
    errors,
    run: async (beckon, { scope, query }) => succeed(await beckon.analytics.usage(scope, readQuery(query, rangeQuery))),
  },
  {
    ...read,
    path: '/analytics/workflows/:id',
    summary: 'Get the figures of a workflow',
    description: 'Counts runs per interval, and outcomes per step.',
    answer: { 200: 'WorkflowFigures' },
    query: figuresQuery,
    errors,
    run: async (beckon, call) =>
      succeed(await beckon.workflows.figures(call.scope, param(call, 'id'), readQuery(call.query, figuresQuery))),
  },
];
