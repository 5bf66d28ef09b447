// Sign-in of end users by email and as guests, for apps with a public key.

import { succeed } from '../pipeline/envelope.ts';
import { type ProjectRoute, userOf } from '../route.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const common = { shape: 'both', needs: 'project', scope: 'tokens:write' } as const;
const open = { ...common, method: 'POST', kind: 'signin', bodyCap: BODY_CAP } as const;
const other = { ...open, sheds: 'other sign-in' } as const;
const passwords = { ...open, sheds: 'passwords' } as const;
const MAILS = ['PROVIDER_NOT_CONFIGURED'] as const;
const ALIKE =
  'The response is the same for every address, and when the limit of emails is reached: 1 a minute, 5 an hour and 10 a day per mailbox. The earlier email then still works.';

/** Source: interface, Authentication; the answers never show whether an address has an account. */
export const authLinkRoutes: readonly ProjectRoute[] = [
  {
    ...other,
    path: '/auth-service/login/magic-link',
    attempts: 'pubmail',
    summary: 'Request a sign-in link',
    description: `Emails a link to sign in, and a code for the same challengeId. ${ALIKE}`,
    takes: 'MagicLinkInput',
    answer: { 200: 'AuthChallengeSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.requestMagicLink(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/login/magic-link/verify',
    attempts: 'proof',
    summary: 'Sign in with a link',
    description:
      'Uses the token of a link. A link that was requested with a codeChallenge needs its codeVerifier; 5 requests without it end the link.',
    takes: 'MagicLinkVerifyInput',
    answer: { 200: 'AuthResult' },
    errors: MAILS,
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signInWithMagicLink(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/login/email-otp',
    attempts: 'pubmail',
    summary: 'Request a sign-in code',
    description: `Emails a code of 6 digits. ${ALIKE}`,
    takes: 'EmailOtpInput',
    answer: { 200: 'AuthChallengeSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.requestEmailCode(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/login/email-otp/verify',
    attempts: 'proof',
    summary: 'Sign in with a code',
    description: 'Uses the code of an email, with or without a link. 5 wrong codes end the challenge.',
    takes: 'EmailOtpVerifyInput',
    answer: { 200: 'AuthResult' },
    errors: MAILS,
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signInWithEmailCode(scope, body, client)),
  },
  {
    ...other,
    path: '/auth-service/reauthenticate/email',
    attempts: 'pubmail',
    user: { anonymous: 'refused' },
    bodyCap: null,
    summary: 'Request a confirmation code',
    description:
      'Emails a code to the verified address of the user, for POST /auth-service/reauthenticate. Within the limit of emails per mailbox.',
    answer: { 200: 'AuthChallengeSent' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, call) => succeed(await beckon.auth.requestReauthentication(call.scope, userOf(call))),
  },
  {
    ...other,
    path: '/auth-service/login/anonymous',
    attempts: 'pubmail',
    summary: 'Sign in as a guest',
    description:
      'Creates a user without credentials. The profile of `anonymousId` is merged into the profile of the guest. Needs `anonymous.enabled`.',
    takes: 'GuestInput',
    answer: { 201: 'AuthResult' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signInAsGuest(scope, body, client), 201),
  },
  {
    ...passwords,
    path: '/auth-service/anonymous/upgrade',
    attempts: 'signin',
    user: { anonymous: 'only' },
    summary: 'Upgrade a guest',
    description:
      'Emails a link and a code for POST /auth-service/email/verify, which turns the guest into a user of the same id. It needs the PKCE verifier or the password of this request. An address that has an account is answered alike, and is refused there. With the code of a social redirect the guest gets the identity and new tokens at once.',
    takes: 'GuestUpgradeInput',
    answer: { 200: 'GuestUpgraded' },
    errors: [...MAILS, 'FORBIDDEN'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.upgradeGuest(call.scope, userOf(call), call.body, call.client)),
  },
];
