// What a sign-in page needs to know, and the claims that a project adds to its access tokens.

import { succeed } from '../pipeline/envelope.ts';
import { DEFAULT_BODY_CAP, type ProjectCall, type ProjectRoute } from '../route.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project', plan: 'jwtClaims' } as const;
const write = { ...common, scope: 'auth:write', bodyCap: DEFAULT_BODY_CAP } as const;
const path = '/auth-service/jwt-template';
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

export const authClaimsRoutes: readonly ProjectRoute[] = [
  {
    ...{ method: 'GET', shape: 'both', kind: 'sdk', needs: 'project', scope: 'tokens:write', bodyCap: null },
    path: '/auth-service/config',
    summary: 'Get the configuration of a sign-in page',
    description:
      'Whether users may sign up, the captcha to show, and the methods of sign-in. For pages, with a public key.',
    answer: { 200: 'AuthConfig' },
    run: async (beckon, { scope }) => succeed(await beckon.auth.getConfig(scope)),
  },
  {
    ...{ ...common, method: 'GET', scope: 'auth:read', bodyCap: null },
    path,
    summary: 'Get the claims template',
    description: 'Claims that access tokens of the environment get in addition.',
    answer: { 200: 'ClaimsTemplate' },
    run: async (beckon, { scope }) => succeed(await beckon.auth.getClaimsTemplate(scope)),
  },
  {
    ...write,
    method: 'PUT',
    path,
    summary: 'Replace the claims template',
    description:
      'Access tokens that are issued afterwards have the claims. Tokens are issued without them if they exceed 4 KB or the profile cannot be read; the audit log records it.',
    takes: 'ClaimsTemplateInput',
    answer: { 200: 'ClaimsTemplate' },
    run: async (beckon, call) => succeed(await beckon.auth.updateClaimsTemplate(call.scope, call.body, actorOf(call))),
  },
  {
    ...{ ...write, bodyCap: null },
    method: 'DELETE',
    path,
    summary: 'Delete the claims template',
    description: 'Does nothing if there is none.',
    answer: { 200: 'ClaimsTemplate' },
    run: async (beckon, call) => succeed(await beckon.auth.deleteClaimsTemplate(call.scope, actorOf(call))),
  },
  {
    ...write,
    method: 'POST',
    path: `${path}/preview`,
    summary: 'Preview a claims template',
    description: 'Renders a template, or the stored one, for a user. Stores nothing.',
    takes: 'PreviewClaimsInput',
    answer: { 200: 'ClaimsPreview' },
    run: async (beckon, call) => succeed(await beckon.auth.previewClaims(call.scope, call.body)),
  },
];
