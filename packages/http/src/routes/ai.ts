import { succeed } from '../pipeline/envelope.ts';
import { admitWholeOrg } from '../pipeline/scope.ts';
import { DEFAULT_BODY_CAP, type OrgRoute } from '../route.ts';

const common = { path: '/automation/ai/settings', shape: 'both', kind: 'secret', needs: 'org' } as const;
const writing = {
  ...common,
  scope: 'workflows:write',
  errors: ['FORBIDDEN'],
  description: 'One provider serves all projects of the org: the key needs a grant for each of them.',
} as const;

/** The provider of models that an org brings: its key goes in and never comes out. Every plan has it. */
export const aiRoutes: readonly OrgRoute[] = [
  {
    ...common,
    method: 'GET',
    summary: 'Read which provider of models the org brings, and what it used of the deployment’s today',
    answer: { 200: 'AiSettings' },
    scope: 'workflows:read',
    bodyCap: null,
    run: async (beckon, { orgId }) => succeed(await beckon.ai.get(orgId)),
  },
  {
    ...writing,
    method: 'PUT',
    summary: 'Set the provider of models of the org, its key and its models, in place of what there was',
    takes: 'AiSettingsInput',
    answer: { 200: 'AiSettings' },
    bodyCap: DEFAULT_BODY_CAP,
    run: async (beckon, { principal, orgId, body }) => {
      await admitWholeOrg(beckon, principal, orgId);
      return succeed(await beckon.ai.update(orgId, body));
    },
  },
  {
    ...writing,
    method: 'DELETE',
    summary: 'Forget the provider of models of the org, and its key',
    answer: { 200: 'AiSettings' },
    bodyCap: null,
    run: async (beckon, { principal, orgId }) => {
      await admitWholeOrg(beckon, principal, orgId);
      return succeed(await beckon.ai.delete(orgId));
    },
  },
];
