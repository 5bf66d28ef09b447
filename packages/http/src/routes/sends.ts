import { type Channel, MESSAGE_STATUSES, SEND_STATUSES } from '@beckon/core';
import type { Answer } from '../pipeline/envelope.ts';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { type ProjectRoute, param, reading } from '../route.ts';

const sendQuery = listQuery.extend({ status: oneOf(SEND_STATUSES), userId: filter });
const messageQuery = listQuery.extend({ status: oneOf(MESSAGE_STATUSES), userId: filter });

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;

/** The answer to a send: created, or, of a dry run, only told. */
export const answerToSend = (data: unknown): Answer => {
  const isDryRun = typeof data === 'object' && data !== null && 'dryRun' in data;
  return succeed(data, isDryRun ? undefined : CREATED);
};

/** What was sent on one channel, to whom, and how that fared. */
export const sendRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const read = reading(`${channel}:read`);
  return [
    {
      ...read,
      path: `/${channel}/sends`,
      summary: 'List sends, newest first',
      answer: { page: 'Send' },
      query: sendQuery,
      errors: ['INVALID_RANGE'],
      run: async (beckon, { scope, query }) =>
        succeedWithPage(await beckon.sends.list(scope, channel, readQuery(query, sendQuery))),
    },
    {
      ...read,
      path: `/${channel}/sends/delivery-health`,
      summary: 'Tell how the last hour’s messages fared',
      answer: { 200: 'DeliveryHealth' },
      run: async (beckon, { scope }) => succeed(await beckon.sends.health(scope, channel)),
    },
    {
      ...read,
      path: `/${channel}/sends/:id`,
      summary: 'Read a send',
      answer: { 200: 'Send' },
      run: async (beckon, call) => succeed(await beckon.sends.get(call.scope, channel, param(call, 'id'))),
    },
    {
      ...read,
      method: 'DELETE',
      scope: `${channel}:write`,
      path: `/${channel}/sends/:id`,
      summary: 'Cancel a send of which nothing was handed over',
      answer: { 200: 'Send' },
      errors: ['CONFLICT'],
      run: async (beckon, call) => succeed(await beckon.sends.cancel(call.scope, channel, param(call, 'id'))),
    },
    {
      ...read,
      path: `/${channel}/sends/:id/messages`,
      summary: 'List the messages of a send',
      answer: { page: 'Message' },
      query: messageQuery,
      errors: ['INVALID_RANGE'],
      run: async (beckon, call) =>
        succeedWithPage(
          await beckon.sends.messages(call.scope, channel, param(call, 'id'), readQuery(call.query, messageQuery)),
        ),
    },
    {
      ...read,
      path: `/${channel}/messages/:id`,
      summary: 'Read a message, and why it went, waits or did not go',
      answer: { 200: 'ExplainedMessage' },
      run: async (beckon, call) => succeed(await beckon.sends.message(call.scope, channel, param(call, 'id'))),
    },
  ];
};
