import { succeed } from '../pipeline/envelope.ts';
import { admitWholeOrg } from '../pipeline/scope.ts';
import { DEFAULT_BODY_CAP, type OrgRoute } from '../route.ts';

const common = { path: '/automation/ai/settings', shape: 'both', kind: 'secret', needs: 'org' } as const;
const writing = {
  ...common,
  scope: 'workflows:write',
  errors: ['FORBIDDEN'],
  description: 'One provider serves all projects of the organization. The API key needs a grant for each of them.',
} as const;

/** The organization's own AI provider. Its key is write-only. Available on every plan. */
export const aiRoutes: readonly OrgRoute[] = [
  {
    ...common,
    method: 'GET',
    summary: 'Get the AI settings',
    description:
      "Contains the organization's provider, and today's use of the deployment's provider. The key is never returned.",
    answer: { 200: 'AiSettings' },
    scope: 'workflows:read',
    bodyCap: null,
    run: async (beckon, { orgId }) => succeed(await beckon.ai.get(orgId)),
  },
  {
    ...writing,
    method: 'PUT',
    summary: 'Set the AI settings',
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
    summary: 'Delete the AI settings',
    answer: { 200: 'AiSettings' },
    bodyCap: null,
    run: async (beckon, { principal, orgId }) => {
      await admitWholeOrg(beckon, principal, orgId);
      return succeed(await beckon.ai.delete(orgId));
    },
  },
];
