// Sign-in of end users, for apps: with a public key, and an access token where the user is signed in.

import { succeed, succeedWithPage } from '../pipeline/envelope.ts';
import { type ProjectRoute, param, userOf } from '../route.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const common = { shape: 'both', needs: 'project', scope: 'tokens:write' } as const;
const open = { ...common, method: 'POST', kind: 'signin', bodyCap: BODY_CAP } as const;
const passwords = { ...open, sheds: 'passwords' } as const;
const other = { ...open, sheds: 'other sign-in' } as const;
const signedIn = { ...common, kind: 'sdk', user: {} } as const;
const STRONG = { fresh: true, aal2: true } as const;
// A user who must enroll a second factor reaches these routes.
const BEFORE_ENROLLMENT = { beforeEnrollment: true } as const;
/** A guest gets an address and a password by an upgrade alone. */
const FRESH_USER = { fresh: true, anonymous: 'refused' } as const;
const MAILS = ['PROVIDER_NOT_CONFIGURED'] as const;

/** Source: interface, Authentication; the answers never show whether an address has an account. */
export const authRoutes: readonly ProjectRoute[] = [
  {
    ...passwords,
    path: '/auth-service/signup',
    attempts: 'pubmail',
    summary: 'Sign up',
    description:
      'Creates an account and emails a link and a code to verify the address. The response is the same for an address that has an account, whose owner gets an email instead. With `signup.autoSignIn` it returns tokens, and CONFLICT for such an address.',
    takes: 'SignUpInput',
    answer: { 201: 'SignedUp' },
    errors: [...MAILS, 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signUp(scope, body, client), 201),
  },
  {
    ...passwords,
    path: '/auth-service/login',
    attempts: 'signin',
    summary: 'Sign in with a password',
    description: 'Unknown addresses, wrong passwords and disabled accounts get the same response.',
    takes: 'SignInInput',
    answer: { 200: 'AuthResult' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signIn(scope, body, client)),
  },
  {
    ...passwords,
    path: '/auth-service/password/forgot',
    attempts: 'pubmail',
    summary: 'Request a password reset',
    description:
      'Emails a link to set a new password. The response is the same for every address, and when the limit of emails is reached: 1 a minute, 5 an hour and 10 a day per mailbox.',
    takes: 'ForgotPasswordInput',
    answer: { 200: 'AuthMailSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.forgotPassword(scope, body, client)),
  },
  {
    ...passwords,
    path: '/auth-service/password/reset',
    attempts: 'proof',
    summary: 'Set a new password',
    description: 'Uses the token of a reset email, ends all sessions of the user and starts a new one.',
    takes: 'ResetPasswordInput',
    answer: { 200: 'AuthResult' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.resetPassword(scope, body, client)),
  },
  {
    ...passwords,
    path: '/auth-service/password/change',
    attempts: 'proof',
    user: FRESH_USER,
    summary: 'Change the password',
    description: 'Needs a sign-in of the last 10 minutes. Ends the other sessions of the user.',
    takes: 'ChangePasswordInput',
    answer: { 200: 'SessionsRevoked' },
    errors: ['FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.changePassword(call.scope, userOf(call), call.body, call.client)),
  },
  {
    ...passwords,
    path: '/auth-service/reauthenticate',
    attempts: 'proof',
    user: BEFORE_ENROLLMENT,
    summary: 'Confirm the identity',
    description:
      'Renews the time of authentication of the session, for calls that need a recent sign-in. Takes the password, the code of POST /auth-service/reauthenticate/email, or a code of a second factor, with which the session counts as one with two factors.',
    takes: 'ReauthenticateInput',
    answer: { 200: 'TokenSet' },
    errors: ['FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.reauthenticate(call.scope, userOf(call), call.body, call.client)),
  },
  {
    ...other,
    path: '/auth-service/email/verification',
    attempts: 'pubmail',
    summary: 'Request a verification email',
    description: 'The response is the same for every address, and when the limit of emails is reached.',
    takes: 'VerificationInput',
    answer: { 200: 'AuthMailSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.requestVerification(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/email/verify',
    attempts: 'proof',
    summary: 'Verify an email address',
    description:
      'Uses the token or the code of an email. The password of the sign-up stays valid only with the PKCE verifier or the password of the sign-up. Starts no session.',
    takes: 'VerifyEmailInput',
    answer: { 200: 'EmailVerified' },
    errors: ['CONFLICT'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.verifyEmail(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/email/change',
    attempts: 'pubmail',
    user: { ...STRONG, anonymous: 'refused' },
    summary: 'Change the email address',
    description: 'Needs a sign-in of the last 10 minutes. The address changes when the new one is confirmed.',
    takes: 'ChangeEmailInput',
    answer: { 200: 'AuthMailSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.changeEmail(call.scope, userOf(call), call.body, call.client)),
  },
  {
    ...other,
    path: '/auth-service/email/change/undo',
    attempts: 'proof',
    summary: 'Undo a change of the email address',
    description: 'Uses the token of the notice to the former address, which is valid for 72 hours. Ends all sessions.',
    takes: 'UndoEmailInput',
    answer: { 200: 'EmailRestored' },
    errors: ['CONFLICT'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.undoEmailChange(scope, body, client)),
  },
  {
    ...common,
    method: 'POST',
    path: '/auth-service/token/refresh',
    kind: 'refresh',
    sheds: 'refresh',
    bodyCap: BODY_CAP,
    summary: 'Refresh tokens',
    description:
      'A refresh token works once. For 10 seconds it gives further tokens of the same session, for parallel tabs and lost responses. Any later use ends the session.',
    takes: 'RefreshInput',
    answer: { 200: 'TokenSet' },
    errors: [...MAILS, 'CONFLICT'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.refresh(scope, body, client)),
  },
  {
    ...signedIn,
    method: 'POST',
    path: '/auth-service/logout',
    user: BEFORE_ENROLLMENT,
    bodyCap: BODY_CAP,
    summary: 'Sign out',
    description: 'Ends the session, the other sessions of the user, or all of them.',
    takes: 'LogoutInput',
    answer: { 200: 'SessionsRevoked' },
    run: async (beckon, call) => succeed(await beckon.auth.logout(call.scope, userOf(call), call.body)),
  },
  {
    ...signedIn,
    method: 'GET',
    path: '/auth-service/sessions',
    bodyCap: null,
    summary: "List the user's sessions",
    description: 'Live sessions only. `current` marks the session of the access token.',
    answer: { page: 'Session' },
    run: async (beckon, call) => succeedWithPage(await beckon.auth.sessions(call.scope, userOf(call))),
  },
  {
    ...signedIn,
    method: 'DELETE',
    path: '/auth-service/sessions/:id',
    bodyCap: null,
    summary: 'End a session of the user',
    description: 'The access token of that session is refused at once.',
    answer: { 200: 'SessionsRevoked' },
    run: async (beckon, call) => succeed(await beckon.auth.revokeSession(call.scope, userOf(call), param(call, 'id'))),
  },
  {
    ...signedIn,
    method: 'GET',
    path: '/auth-service/me',
    user: BEFORE_ENROLLMENT,
    bodyCap: null,
    summary: 'Get the signed-in user',
    description: 'The user of the access token, as stored now.',
    answer: { 200: 'User' },
    run: async (beckon, call) => succeed(await beckon.auth.me(call.scope, userOf(call))),
  },
  {
    ...signedIn,
    method: 'PATCH',
    path: '/auth-service/me',
    bodyCap: BODY_CAP,
    summary: 'Update the signed-in user',
    description: 'Changes the fields that the body names. Metadata over 16 KB is cut.',
    takes: 'MeInput',
    answer: { 200: 'User' },
    run: async (beckon, call) => succeed(await beckon.auth.updateMe(call.scope, userOf(call), call.body)),
  },
  {
    ...signedIn,
    method: 'DELETE',
    path: '/auth-service/me',
    user: STRONG,
    bodyCap: null,
    summary: 'Delete the signed-in user',
    description:
      'Needs a sign-in of the last 10 minutes. Erases the account and everything that is stored about the user.',
    answer: { 200: 'AuthUserDeleted' },
    errors: ['FORBIDDEN'],
    run: async (beckon, call) => succeed(await beckon.auth.deleteMe(call.scope, userOf(call))),
  },
  {
    ...common,
    method: 'GET',
    path: '/auth-service/.well-known/jwks.json',
    kind: 'sdk',
    bodyCap: null,
    summary: 'Get the public keys of access tokens',
    description: 'A JSON Web Key Set (RFC 7517) in the envelope of every response.',
    answer: { 200: 'AuthJwks' },
    run: async (beckon, { scope }) => succeed(await beckon.auth.jwks(scope)),
  },
];
