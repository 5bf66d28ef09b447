// Accounts and sign-in settings, for an operator's program with a secret key.

import { ACCOUNT_SOURCES } from '@beckon/core/identity';
import type { z } from 'zod';
import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { onceOnly } from '../pipeline/idempotency.ts';
import { filter, listQuery, oneOf, readQuery } from '../pipeline/query.ts';
import { DEFAULT_BODY_CAP, type ProjectCall, type ProjectRoute, param } from '../route.ts';

const common = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...common, method: 'GET', scope: 'auth:read', bodyCap: null } as const;
const write = { ...common, method: 'POST', scope: 'auth:write', bodyCap: DEFAULT_BODY_CAP } as const;
const act = { ...write, bodyCap: null } as const;
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

const userQuery = listQuery.extend({
  email: filter.describe('Exact email address. Default: any.'),
  userId: filter.describe('userId of the profile. Default: any.'),
  disabled: oneOf(['true', 'false']).describe('Whether sign-in is disabled. Default: any.'),
  source: oneOf(ACCOUNT_SOURCES).describe('How the account was created. Default: any.'),
});
const auditQuery = listQuery.extend({
  actor: filter.describe('Who acted, such as `key:` and a key id. Default: any.'),
  action: filter.describe('What was done, such as user.update. Default: any.'),
  target: filter.describe('Account concerned. Default: any.'),
  result: filter.describe('Outcome: ok, or the reason of a failure. Default: any.'),
}) satisfies z.ZodObject;

export const authAdminRoutes: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/auth-service/users',
    summary: 'List users',
    description: 'Newest first.',
    answer: { page: 'User' },
    query: userQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) => {
      const { disabled, ...rest } = readQuery(query, userQuery);
      const flag = disabled === undefined ? {} : { disabled: disabled === 'true' };
      return succeedWithPage(await beckon.users.list(scope, { ...rest, ...flag }));
    },
  },
  {
    ...write,
    path: '/auth-service/users',
    summary: 'Create a user',
    description: 'The user can sign in at once. Raises user.signed_up.',
    takes: 'UserInput',
    answer: { 201: 'User' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.users.create(call.scope, call.body, actorOf(call)), 201),
  },
  {
    ...write,
    path: '/auth-service/users/bulk-import',
    sheds: 'imports and previews',
    summary: 'Import users',
    description:
      'Imports up to 1,000 users of another system with their password hashes. A row that is not valid fails alone. Importing the same rows again gives the same users.',
    takes: 'UsersImportInput',
    answer: { 200: 'UsersImported' },
    isIdempotent: true,
    run: (beckon, call) =>
      onceOnly(
        call,
        (options) => beckon.users.import(call.scope, call.body, { ...actorOf(call), ...options }),
        succeed,
      ),
  },
  {
    ...read,
    path: '/auth-service/users/:id',
    summary: 'Get a user',
    description: 'Get the user by account id.',
    answer: { 200: 'User' },
    run: async (beckon, call) => succeed(await beckon.users.get(call.scope, param(call, 'id'))),
  },
  {
    ...write,
    method: 'PATCH',
    path: '/auth-service/users/:id',
    summary: 'Update a user',
    description: 'Disabling a user ends all sessions of the user.',
    takes: 'UserPatch',
    answer: { 200: 'User' },
    errors: ['CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.users.update(call.scope, param(call, 'id'), call.body, actorOf(call))),
  },
  {
    ...act,
    method: 'DELETE',
    path: '/auth-service/users/:id',
    summary: 'Delete a user',
    description: 'Erases the account and everything that is stored about the user, as an erasure of the profile does.',
    answer: { 200: 'AuthUserDeleted' },
    run: async (beckon, call) => succeed(await beckon.users.delete(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...read,
    path: '/auth-service/users/:id/sessions',
    summary: 'List the sessions of a user',
    description: 'Live sessions only.',
    answer: { page: 'Session' },
    run: async (beckon, call) => succeedWithPage(await beckon.users.sessions(call.scope, param(call, 'id'))),
  },
  {
    ...act,
    path: '/auth-service/users/:id/sessions/revoke',
    summary: 'End all sessions of a user',
    description: 'Access tokens of the user are refused at once.',
    answer: { 200: 'SessionsRevoked' },
    run: async (beckon, call) =>
      succeed(await beckon.users.revokeSessions(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...act,
    path: '/auth-service/users/:id/send-reset',
    summary: 'Email a user a link to reset the password',
    description: 'Works like a request of the user, within the same limits of emails per mailbox.',
    answer: { 200: 'AuthMailSent' },
    errors: ['PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call) => succeed(await beckon.users.sendReset(call.scope, param(call, 'id'), actorOf(call))),
  },
  {
    ...write,
    path: '/auth-service/users/:id/impersonate',
    summary: 'Act as a user',
    description:
      'Issues an access token of 15 minutes with the claim `act`. It cannot be refreshed, never counts as a recent sign-in and raises no event. The audit log has the reason. Ending the sessions of the user ends it at once.',
    takes: 'ImpersonateInput',
    answer: { 200: 'Impersonation' },
    errors: ['CONFLICT', 'PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call) => {
      const by = { ...actorOf(call), ...call.client };
      return succeed(await beckon.users.impersonate(call.scope, param(call, 'id'), call.body, by));
    },
  },
  {
    ...read,
    path: '/auth-service/settings',
    summary: 'Get sign-in settings',
    description: 'Settings of the environment of the key, with defaults filled in.',
    answer: { 200: 'AuthSettings' },
    run: async (beckon, { scope }) => succeed(await beckon.auth.getSettings(scope)),
  },
  {
    ...write,
    method: 'PUT',
    path: '/auth-service/settings',
    summary: 'Update sign-in settings',
    description: 'Replaces the groups that the body names and keeps the others. null restores the defaults of a group.',
    takes: 'AuthSettingsInput',
    answer: { 200: 'AuthSettings' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.auth.updateSettings(call.scope, call.body, actorOf(call))),
  },
  {
    ...read,
    path: '/auth-service/signing-keys',
    summary: 'List signing keys',
    description: 'Public facts only. Private keys are never returned.',
    answer: { page: 'AuthSigningKey' },
    run: async (beckon, { scope }) => succeedWithPage(await beckon.auth.listSigningKeys(scope)),
  },
  {
    ...act,
    path: '/auth-service/signing-keys/rotate',
    summary: 'Rotate the signing key',
    description: 'The next key is published for 10 minutes before it signs.',
    answer: { page: 'AuthSigningKey' },
    errors: ['CONFLICT'],
    run: async (beckon, call) => succeedWithPage(await beckon.auth.rotateSigningKey(call.scope, actorOf(call))),
  },
  {
    ...read,
    path: '/auth-service/audit',
    summary: 'List the audit log of sign-in',
    description: 'Newest first. Kept as long as the plan keeps events.',
    answer: { page: 'AuthAuditEntry' },
    query: auditQuery,
    errors: ['INVALID_RANGE'],
    run: async (beckon, { scope, query }) =>
      succeedWithPage(await beckon.auth.audit(scope, readQuery(query, auditQuery))),
  },
];
