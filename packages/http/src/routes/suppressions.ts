import { LIST_REASONS, type ListChannel } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type Method, type ProjectRoute } from '../route.ts';

/** Names of each channel's bodies. */
const TYPES = {
  email: { added: 'EmailSuppressionInput', removed: 'EmailSuppressionRemovalInput' },
  sms: { added: 'SmsSuppressionInput', removed: 'SmsSuppressionRemovalInput' },
} as const;

const query = listQuery.extend({
  address: filter.describe('Exact address. Default: any.'),
  reason: oneOf(LIST_REASONS).describe('Why nothing is sent there. Default: any.'),
});
const queries = {
  email: query,
  sms: query.extend({ sender: filter.describe('Your sender that the entries are for. Default: any.') }),
} as const;

/** Suppressed addresses of one channel. */
export const suppressionRoutes = (channel: ListChannel): readonly ProjectRoute[] => {
  const path = `/${channel}/suppressions`;
  const common = { path, shape: 'both', kind: 'secret', needs: 'project' } as const;
  const { added, removed } = TYPES[channel];
  const querySchema = queries[channel];
  const removal = (method: Method, at: string): ProjectRoute => ({
    ...common,
    method,
    path: at,
    summary: 'Remove suppressions',
    description: 'Messages to these addresses are sent again. Addresses that are not suppressed are ignored.',
    takes: removed,
    answer: { 200: 'SuppressionsRemoved' },
    scope: `${channel}:write`,
    bodyCap: DEFAULT_BODY_CAP,
    run: async (beckon, { scope, body }) => succeed(await beckon.suppressions.remove(scope, channel, body)),
  });
  return [
    {
      ...common,
      method: 'GET',
      summary: 'List suppressed addresses',
      description: 'Newest first.',
      answer: { page: 'Suppression' },
      query: querySchema,
      errors: ['INVALID_RANGE'],
      scope: `${channel}:read`,
      bodyCap: null,
      run: async (beckon, call) =>
        succeedWithPage(await beckon.suppressions.list(call.scope, channel, readQuery(call.query, querySchema))),
    },
    {
      ...common,
      method: 'POST',
      summary: 'Suppress addresses',
      description: 'Nothing is sent to suppressed addresses.',
      takes: added,
      answer: { 201: 'SuppressionsAdded' },
      scope: `${channel}:write`,
      bodyCap: DEFAULT_BODY_CAP,
      run: async (beckon, { scope, body }) => succeed(await beckon.suppressions.add(scope, channel, body), 201),
    },
    removal('DELETE', path),
    // Proxies drop the bodies of DELETE. Source: contract, Conventions.
    removal('POST', `${path}/remove`),
  ];
};
