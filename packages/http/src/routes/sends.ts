import { type Channel, MESSAGE_STATUSES, SEND_STATUSES } from '@beckon/core';
import type { Answer } from '../pipeline/envelope.ts';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { type ProjectRoute, param, reading } from '../route.ts';

const sendQuery = listQuery.extend({
  status: oneOf(SEND_STATUSES).describe('Status of the sends. Default: any.'),
  userId: filter.describe('Id of a recipient. Default: any.'),
});
const messageQuery = listQuery.extend({
  status: oneOf(MESSAGE_STATUSES).describe('Status of the messages. Default: any.'),
  userId: filter.describe('Id of the recipient. Default: any.'),
});

/** Status of a created resource. Source: contract, Conventions. */
const CREATED = 201;

/** 201 for a created send, 200 for a dry run. */
export const answerToSend = (data: unknown): Answer => {
  const isDryRun = typeof data === 'object' && data !== null && 'dryRun' in data;
  return succeed(data, isDryRun ? undefined : CREATED);
};

/** Sends of one channel and their messages. */
export const sendRoutes = (channel: Channel): readonly ProjectRoute[] => {
  const read = reading(`${channel}:read`);
  return [
    {
      ...read,
      path: `/${channel}/sends`,
      summary: 'List sends',
      description: 'Newest first.',
      answer: { page: 'Send' },
      query: sendQuery,
      errors: ['INVALID_RANGE'],
      run: async (beckon, { scope, query }) =>
        succeedWithPage(await beckon.sends.list(scope, channel, readQuery(query, sendQuery))),
    },
    {
      ...read,
      path: `/${channel}/sends/delivery-health`,
      summary: 'Get the delivery health',
      description: 'Counts the messages of the last hour by status, per provider.',
      answer: { 200: 'DeliveryHealth' },
      run: async (beckon, { scope }) => succeed(await beckon.sends.health(scope, channel)),
    },
    {
      ...read,
      path: `/${channel}/sends/:id`,
      summary: 'Get a send',
      description: 'Contains the number of messages per status.',
      answer: { 200: 'Send' },
      run: async (beckon, call) => succeed(await beckon.sends.get(call.scope, channel, param(call, 'id'))),
    },
    {
      ...read,
      method: 'DELETE',
      scope: `${channel}:write`,
      path: `/${channel}/sends/:id`,
      summary: 'Cancel a send',
      description:
        'Cancels a send of which no message was handed to a provider. Otherwise the response is 409 `already_dispatched`.',
      answer: { 200: 'Send' },
      errors: ['CONFLICT'],
      run: async (beckon, call) => succeed(await beckon.sends.cancel(call.scope, channel, param(call, 'id'))),
    },
    {
      ...read,
      path: `/${channel}/sends/:id/messages`,
      summary: 'List the messages of a send',
      description: 'One message per address or device.',
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
      summary: 'Get a message',
      description: 'Contains each check with its input and its result: why the message was sent, waits or was stopped.',
      answer: { 200: 'ExplainedMessage' },
      run: async (beckon, call) => succeed(await beckon.sends.message(call.scope, channel, param(call, 'id'))),
    },
  ];
};
