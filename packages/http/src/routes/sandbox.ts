import { CHANNELS } from '@beckon/core';
import { z } from 'zod';
import { succeedWithPage } from '../pipeline/envelope.ts';
import { filter, pageQuery, readQuery } from '../pipeline/query.ts';
import type { ProjectRoute } from '../route.ts';

const outboxQuery = pageQuery.extend({
  channel: z
    .enum(CHANNELS, `must be one of ${CHANNELS.join(', ')}`)
    .default('email')
    .describe('Channel of the messages. Default: email.'),
  userId: filter.describe('Id of the user. Default: any.'),
});

/** The outbox: messages of `test`, stored instead of delivered. */
export const sandboxRoutes: readonly ProjectRoute[] = [
  {
    method: 'GET',
    path: '/sandbox/messages',
    summary: 'List outbox messages',
    description: 'Messages of the environment `test`, rendered and stored instead of sent.',
    answer: { page: 'OutboxMessage' },
    query: outboxQuery,
    shape: 'both',
    kind: 'secret',
    scope: 'email:read',
    isScopedByChannel: true,
    environment: 'test',
    needs: 'project',
    bodyCap: null,
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.outbox.list(scope, readQuery(query, outboxQuery))),
  },
];
