import { FIGURE_INTERVALS } from '@beckon/core';
import { succeed } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { type ProjectRoute, param, reading } from '../route.ts';

const figuresQuery = listQuery
  .pick({ from: true, to: true })
  .extend({ interval: oneOf(FIGURE_INTERVALS), timezone: filter });

/** What became of things over time. */
export const analyticsRoutes: readonly ProjectRoute[] = [
  {
    ...reading('analytics:read'),
    path: '/analytics/workflows/:id',
    summary: 'Count the runs of a workflow, and how its steps ended',
    answer: { 200: 'WorkflowFigures' },
    query: figuresQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, call) =>
      succeed(await beckon.workflows.figures(call.scope, param(call, 'id'), readQuery(call.query, figuresQuery))),
  },
];
