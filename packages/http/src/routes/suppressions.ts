import { LIST_REASONS, type ListChannel } from '@beckon/core';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type Method, type ProjectRoute } from '../route.ts';

/** What the bodies of each channel are called. */
const TYPES = {
  email: { added: 'EmailSuppressionInput', removed: 'EmailSuppressionRemovalInput' },
  sms: { added: 'SmsSuppressionInput', removed: 'SmsSuppressionRemovalInput' },
} as const;

const query = listQuery.extend({ address: filter, reason: oneOf(LIST_REASONS) });
const queries = { email: query, sms: query.extend({ sender: filter }) } as const;

/** The list of addresses that a channel sends nothing to. */
export const suppressionRoutes = (channel: ListChannel): readonly ProjectRoute[] => {
  const path = `/${channel}/suppressions`;
  const common = { path, shape: 'both', kind: 'secret', needs: 'project' } as const;
  const { added, removed } = TYPES[channel];
  const asked = queries[channel];
  const removal = (method: Method, at: string): ProjectRoute => ({
    ...common,
    method,
    path: at,
    summary: 'Take addresses off the list',
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
      summary: 'List addresses that nothing is sent to, newest first',
      answer: { page: 'Suppression' },
      query: asked,
      errors: ['INVALID_RANGE'],
      scope: `${channel}:read`,
      bodyCap: null,
      run: async (beckon, call) =>
        succeedWithPage(await beckon.suppressions.list(call.scope, channel, readQuery(call.query, asked))),
    },
    {
      ...common,
      method: 'POST',
      summary: 'Put addresses on the list',
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
