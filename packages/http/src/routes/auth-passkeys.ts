// Passkeys, for apps: sign-in, the passkeys of a signed-in user, and passkeys as a step-up or a second factor.

import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { type ProjectRoute, param, userOf } from '../route.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const common = { shape: 'both', needs: 'project', scope: 'tokens:write' } as const;
const open = { ...common, method: 'POST', kind: 'signin', bodyCap: BODY_CAP, sheds: 'other sign-in' } as const;
const own = { ...common, kind: 'sdk' } as const;
// A user who must enroll a second factor reaches these routes.
const SIGNED_IN = { beforeEnrollment: true } as const;
// A passkey counts as two factors, so one factor alone cannot add it where the user has two. A guest becomes a user first.
const STRONG = { ...SIGNED_IN, fresh: true, aal2: true, anonymous: 'refused' } as const;
const NEEDS_URL = ['PROVIDER_NOT_CONFIGURED'] as const;

export const authPasskeyRoutes: readonly ProjectRoute[] = [
  {
    ...open,
    bodyCap: null,
    path: '/auth-service/login/passkey/options',
    summary: 'Request options to sign in with a passkey',
    description:
      'Returns a challenge and input for `navigator.credentials.get`. The options name no passkeys, so they are the same for every user and also serve autofill (`mediation: "conditional"`).',
    answer: { 200: 'PasskeyRequest' },
    errors: NEEDS_URL,
    run: async (beckon, { scope }) => succeed(await beckon.auth.requestPasskeySignIn(scope)),
  },
  {
    ...open,
    path: '/auth-service/login/passkey/verify',
    attempts: 'proof',
    summary: 'Sign in with a passkey',
    description:
      'A passkey counts as two factors, since the authenticator verifies the user. A challenge works once, whether the passkey was accepted or not. The reason of a refusal is in the audit log only.',
    takes: 'PasskeySignInInput',
    answer: { 200: 'TokenSet' },
    errors: [...NEEDS_URL, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signInWithPasskey(scope, body, client)),
  },
  {
    ...own,
    method: 'POST',
    user: STRONG,
    bodyCap: null,
    path: '/auth-service/passkeys/options',
    summary: 'Request options to add a passkey',
    description:
      'Returns a challenge and input for `navigator.credentials.create`. Needs a sign-in of the last 10 minutes, with a second factor if the user has one. At most 20 passkeys.',
    answer: { 200: 'PasskeyRegistration' },
    errors: [...NEEDS_URL, 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, call) => succeed(await beckon.auth.requestPasskey(call.scope, userOf(call))),
  },
  {
    ...own,
    method: 'POST',
    user: STRONG,
    bodyCap: BODY_CAP,
    path: '/auth-service/passkeys',
    summary: 'Add a passkey',
    description:
      'Takes what the browser returned for the options. The user is notified by email. CONFLICT `credential_exists` if the passkey is registered already.',
    takes: 'PasskeyInput',
    answer: { 201: 'Passkey' },
    errors: [...NEEDS_URL, 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.addPasskey(call.scope, userOf(call), call.body, call.client), 201),
  },
  {
    ...own,
    method: 'GET',
    user: SIGNED_IN,
    bodyCap: null,
    path: '/auth-service/passkeys',
    summary: "List the user's passkeys",
    description: 'Passkeys of the signed-in user, oldest first.',
    answer: { page: 'Passkey' },
    run: async (beckon, call) => succeedWithPage(await beckon.auth.listPasskeys(call.scope, userOf(call))),
  },
  {
    ...own,
    method: 'PATCH',
    user: STRONG,
    bodyCap: BODY_CAP,
    path: '/auth-service/passkeys/:id',
    summary: 'Rename a passkey',
    description: 'Needs a sign-in of the last 10 minutes.',
    takes: 'PasskeyPatch',
    answer: { 200: 'Passkey' },
    errors: ['FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.updatePasskey(call.scope, userOf(call), param(call, 'id'), call.body)),
  },
  {
    ...own,
    method: 'DELETE',
    user: STRONG,
    bodyCap: null,
    path: '/auth-service/passkeys/:id',
    summary: 'Remove a passkey',
    description:
      'Needs a sign-in of the last 10 minutes. CONFLICT `last_method` if the user could no longer sign in. Pass the response to `PublicKeyCredential.signalUnknownCredential`, so that the browser no longer offers the passkey.',
    answer: { 200: 'PasskeyDeleted' },
    errors: [...NEEDS_URL, 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.deletePasskey(call.scope, userOf(call), param(call, 'id'), call.client)),
  },
  {
    ...open,
    bodyCap: null,
    attempts: 'pubmail',
    user: SIGNED_IN,
    path: '/auth-service/reauthenticate/passkey/options',
    summary: 'Request options to confirm the identity with a passkey',
    description: "Returns a challenge and the user's passkeys, for POST /auth-service/reauthenticate.",
    answer: { 200: 'PasskeyRequest' },
    errors: NEEDS_URL,
    run: async (beckon, call) => succeed(await beckon.auth.requestPasskeyReauthentication(call.scope, userOf(call))),
  },
  {
    ...open,
    path: '/auth-service/mfa/challenge/:id/passkey-options',
    summary: 'Request options to use a passkey as a second factor',
    description:
      "Returns the user's passkeys and a challenge for POST /auth-service/mfa/challenge/{id}/verify. A newer request replaces an older one.",
    takes: 'MfaPasskeyInput',
    answer: { 200: 'MfaPasskeyRequest' },
    errors: NEEDS_URL,
    run: async (beckon, call) => succeed(await beckon.auth.requestMfaPasskey(call.scope, param(call, 'id'), call.body)),
  },
  {
    ...common,
    method: 'GET',
    kind: 'secret',
    scope: 'auth:read',
    bodyCap: null,
    path: '/auth-service/users/:id/passkeys',
    summary: 'List the passkeys of a user',
    description: 'Passkeys of a user, oldest first.',
    answer: { page: 'Passkey' },
    run: async (beckon, call) => succeedWithPage(await beckon.users.passkeys(call.scope, param(call, 'id'))),
  },
];
