import { CHANNELS } from '@beckon/core';
import { z } from 'zod';
import { succeedWithPage } from '../pipeline/envelope.ts';
import { filter, pageQuery, readQuery } from '../pipeline/query.ts';
import type { ProjectRoute } from '../route.ts';

const outboxQuery = pageQuery.extend({
  channel: z.enum(CHANNELS, `This must be one of ${CHANNELS.join(', ')}.`).default('email'),
  userId: filter,
});

/** What the sandbox caught instead of delivering it. */
export const sandboxRoutes: readonly ProjectRoute[] = [
  {
    method: 'GET',
    path: '/sandbox/messages',
    summary: 'List what the sandbox caught of one channel',
    answer: { page: 'SandboxMessage' },
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
