// Second factors, for apps: the end of a sign-in with one, and the factors of a signed-in user.

import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { type ProjectCall, type ProjectRoute, param, userOf } from '../route.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const common = { shape: 'both', needs: 'project', scope: 'tokens:write' } as const;
const own = { ...common, kind: 'sdk', errors: ['FORBIDDEN'] } as const;
const post = { ...own, method: 'POST' } as const;
// A user who must enroll a factor reaches these routes.
const FACTORS = { beforeEnrollment: true } as const;
const STRONG = { ...FACTORS, fresh: true, aal2: true } as const;
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

export const authMfaRoutes: readonly ProjectRoute[] = [
  {
    ...common,
    method: 'POST',
    kind: 'signin',
    bodyCap: BODY_CAP,
    path: '/auth-service/mfa/challenge/:id/verify',
    attempts: 'signin',
    sheds: 'other sign-in',
    summary: 'Verify a second factor',
    description:
      'Ends a sign-in with a code of an authenticator app or a recovery code. A challenge takes 5 codes. After 5 wrong codes in a row each further one must wait, 30 seconds at first and 15 minutes at most; after 100 wrong codes the user is blocked until an administrator resets the second factors.',
    takes: 'VerifyMfaInput',
    answer: { 200: 'TokenSet' },
    errors: ['FORBIDDEN', 'PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.verifyMfa(call.scope, param(call, 'id'), call.body, call.client)),
  },
  {
    ...common,
    method: 'GET',
    kind: 'sdk',
    user: FACTORS,
    bodyCap: null,
    path: '/auth-service/mfa/factors',
    summary: "List the user's second factors",
    description: 'Enrolled factors, those that a restore has lost included.',
    answer: { page: 'MfaFactor' },
    run: async (beckon, call) => succeedWithPage(await beckon.auth.listFactors(call.scope, userOf(call))),
  },
  {
    ...own,
    method: 'DELETE',
    user: STRONG,
    bodyCap: BODY_CAP,
    path: '/auth-service/mfa/factors/:id',
    summary: 'Remove a second factor',
    description:
      'Needs a sign-in of the last 10 minutes with a second factor, and a code or the password. The user is notified by email. With the last factor the recovery codes go.',
    takes: 'DeleteFactorInput',
    answer: { 200: 'FactorDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteFactor(call.scope, userOf(call), param(call, 'id'), call.body, call.client)),
  },
  {
    ...post,
    user: STRONG,
    bodyCap: null,
    path: '/auth-service/mfa/totp/enroll',
    summary: 'Enroll an authenticator app',
    description:
      'Returns the secret and a URI for a QR code. Needs a sign-in of the last 10 minutes, and a second factor if the user has one. At most 5 apps.',
    answer: { 200: 'MfaEnrollment' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.auth.enrollTotp(call.scope, userOf(call))),
  },
  {
    ...post,
    user: STRONG,
    bodyCap: BODY_CAP,
    path: '/auth-service/mfa/totp/confirm',
    summary: 'Confirm an authenticator app',
    description:
      'Takes the first code of the app. Returns ten new recovery codes, which replace former ones, and tokens of the same session. After 5 wrong codes the enrollment must begin again.',
    takes: 'ConfirmFactorInput',
    answer: { 200: 'MfaConfirmed' },
    errors: ['FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.confirmTotp(call.scope, userOf(call), call.body, call.client)),
  },
  {
    ...post,
    user: STRONG,
    bodyCap: null,
    path: '/auth-service/mfa/recovery-codes',
    summary: 'Renew recovery codes',
    description: 'Returns ten new codes. Former ones no longer work.',
    answer: { 200: 'RecoveryCodes' },
    run: async (beckon, call) => succeed(await beckon.auth.renewRecoveryCodes(call.scope, userOf(call), call.client)),
  },
  {
    ...common,
    method: 'GET',
    kind: 'secret',
    scope: 'auth:read',
    bodyCap: null,
    path: '/auth-service/users/:id/factors',
    summary: 'Get the second factors of a user',
    description: 'Factors, recovery codes that are left, wrong codes, and whether the user must wait or is blocked.',
    answer: { 200: 'MfaStatus' },
    run: async (beckon, call) => succeed(await beckon.users.factors(call.scope, param(call, 'id'))),
  },
  {
    ...common,
    method: 'POST',
    kind: 'secret',
    scope: 'auth:write',
    bodyCap: null,
    path: '/auth-service/users/:id/mfa/reset',
    summary: 'Reset the second factors of a user',
    description:
      'Removes factors, recovery codes, counters of wrong codes and the block, and ends all sessions. Check first who requested it: afterwards the first factor suffices.',
    answer: { 200: 'MfaReset' },
    run: async (beckon, call) => succeed(await beckon.users.resetMfa(call.scope, param(call, 'id'), actorOf(call))),
  },
];
