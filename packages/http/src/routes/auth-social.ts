// Sign-in with social providers: routes for apps, the callbacks of providers, and the set-up for operators.

import { z } from 'zod';
import { type Answer, succeed, succeedWithPage } from '../pipeline/envelope.ts';
import {
  DEFAULT_BODY_CAP,
  type OpenRoute,
  type ProjectCall,
  type ProjectRoute,
  param,
  type Route,
  userOf,
} from '../route.ts';

/** Bytes of the bodies of sign-in. Source: interface, Request body caps. */
const BODY_CAP = 65_536;

const common = { shape: 'both', needs: 'project', scope: 'tokens:write' } as const;
const open = { ...common, method: 'POST', kind: 'signin', bodyCap: BODY_CAP, sheds: 'other sign-in' } as const;
const signedIn = { ...common, kind: 'sdk', bodyCap: null } as const;
const FRESH = { fresh: true } as const;

const forApps: readonly ProjectRoute[] = [
  {
    ...open,
    path: '/auth-service/login/social',
    attempts: 'social',
    summary: 'Sign in with a social provider',
    description:
      "Returns a URL to open in the browser, which comes back to redirectTo with a one-time code for POST /auth-service/token/exchange. With an ID token of the provider's library on the device it signs the user in at once.",
    takes: 'SocialSignInInput',
    answer: { 200: 'SocialSignIn' },
    errors: ['PROVIDER_NOT_CONFIGURED', 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, { scope, body, client }) => succeed(await beckon.auth.signInWithProvider(scope, body, client)),
  },
  {
    ...signedIn,
    method: 'GET',
    path: '/auth-service/login/social/providers',
    summary: 'List the social providers of sign-in',
    description: 'Providers that users can sign in with now.',
    answer: { page: 'SocialProviderEnabled' },
    run: async (beckon, { scope }) => succeedWithPage(await beckon.auth.socialProviders(scope)),
  },
  {
    ...open,
    path: '/auth-service/token/exchange',
    attempts: 'proof',
    mayHaveUser: true,
    summary: 'Exchange the code of a redirect',
    description:
      'The code works once, for 60 seconds, and only with the PKCE code verifier of the client that began the flow. The code of a link also needs the access token of the session that began it.',
    takes: 'CodeExchangeInput',
    answer: { 200: 'CodeExchanged' },
    errors: ['PROVIDER_NOT_CONFIGURED', 'FORBIDDEN', 'CONFLICT'],
    run: async (beckon, { scope, body, client, user }) =>
      succeed(await beckon.auth.exchangeCode(scope, body, client, user)),
  },
  {
    ...signedIn,
    method: 'GET',
    path: '/auth-service/identities',
    user: {},
    summary: "List the user's identities",
    description: 'Identities at social and enterprise providers that the user can sign in with, oldest first.',
    answer: { page: 'Identity' },
    run: async (beckon, call) => succeedWithPage(await beckon.auth.identities(call.scope, userOf(call))),
  },
  {
    ...open,
    path: '/auth-service/identities/link',
    attempts: 'social',
    user: FRESH,
    summary: 'Link an identity to the user',
    description:
      'Needs a sign-in of the last 10 minutes. Returns a URL to open in the browser; the session that began the link exchanges the resulting code.',
    takes: 'LinkIdentityInput',
    answer: { 200: 'SocialStarted' },
    errors: ['PROVIDER_NOT_CONFIGURED', 'FORBIDDEN'],
    run: async (beckon, call) => succeed(await beckon.auth.linkIdentity(call.scope, userOf(call), call.body)),
  },
  {
    ...signedIn,
    method: 'DELETE',
    path: '/auth-service/identities/:id',
    user: FRESH,
    summary: 'Unlink an identity of the user',
    description: 'Needs a sign-in of the last 10 minutes. The last way to sign in cannot be removed.',
    answer: { 200: 'IdentityUnlinked' },
    errors: ['FORBIDDEN', 'CONFLICT'],
    run: async (beckon, call) =>
      succeed(await beckon.auth.unlinkIdentity(call.scope, userOf(call), param(call, 'id'), call.client)),
  },
];

const callbackQuery = z.object({
  state: z.string().optional().describe('State of the sign-in.'),
  code: z.string().optional().describe('Code of the provider. Absent: the sign-in failed.'),
  iss: z.string().optional().describe('Issuer of the code (RFC 9207). Absent: the provider sends none.'),
  error: z.string().optional().describe('Why the sign-in failed. Absent: it did not.'),
});
const callback = {
  path: '/auth-service/login/social/callback/:provider',
  shape: 'auto',
  kind: 'public',
  scope: null,
  needs: 'nothing',
  attempts: 'social',
  sheds: 'other sign-in',
  answer: { redirect: 303 },
  errors: ['VALIDATION_ERROR'],
} as const;
const redirect = ({ url }: { readonly url: string }): Answer => ({
  status: 303,
  headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', Location: url },
  body: '',
});
const RESULT =
  'Redirects to the page that was stored when the sign-in began, with `code` and `c`, or `error` and `c`. An invalid state is answered with an error and never redirects.';

const callbacks: readonly OpenRoute[] = [
  {
    ...callback,
    method: 'GET',
    query: callbackQuery,
    summary: 'Receive the callback of a social provider',
    description: RESULT,
    run: async (beckon, call) => {
      const input = { provider: param(call, 'provider'), params: call.query };
      return redirect(await beckon.auth.handleSocialCallback(input, clientOf(call)));
    },
  },
  {
    ...callback,
    method: 'POST',
    summary: 'Receive the callback of Apple as a form',
    description: RESULT,
    formCap: BODY_CAP,
    run: async (beckon, call) => {
      const input = { provider: param(call, 'provider'), params: call.form };
      return redirect(await beckon.auth.handleSocialCallback(input, clientOf(call)));
    },
  },
];
const clientOf = ({ network, sent }: Parameters<OpenRoute['run']>[1]) => ({
  ip: network === '' ? null : network,
  userAgent: sent.header('user-agent') ?? null,
});

const administration = { shape: 'both', kind: 'secret', needs: 'project' } as const;
const read = { ...administration, method: 'GET', scope: 'auth:read', bodyCap: null } as const;
const write = { ...administration, scope: 'auth:write' } as const;
const actorOf = ({ keyId }: ProjectCall) => ({ actor: `key:${keyId}` });

const forOperators: readonly ProjectRoute[] = [
  {
    ...read,
    path: '/auth-service/social/providers',
    summary: 'List social providers',
    description: 'Providers that are set up, with the callback URL of each. Client secrets are never returned.',
    answer: { page: 'SocialProviderSettings' },
    run: async (beckon, { scope }) => succeedWithPage(await beckon.auth.listSocialProviders(scope)),
  },
  {
    ...read,
    path: '/auth-service/social/providers/:provider',
    summary: 'Get a social provider',
    description: 'The client secret is never returned.',
    answer: { 200: 'SocialProviderSettings' },
    run: async (beckon, call) => succeed(await beckon.auth.getSocialProvider(call.scope, param(call, 'provider'))),
  },
  {
    ...write,
    method: 'PUT',
    path: '/auth-service/social/providers/:provider',
    bodyCap: DEFAULT_BODY_CAP,
    summary: 'Set up a social provider',
    description: 'Replaces the app at the provider. Without clientSecret the stored secret is kept.',
    takes: 'SocialProviderInput',
    answer: { 200: 'SocialProviderSettings' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.updateSocialProvider(call.scope, param(call, 'provider'), call.body, actorOf(call))),
  },
  {
    ...write,
    method: 'DELETE',
    path: '/auth-service/social/providers/:provider',
    bodyCap: null,
    summary: 'Delete a social provider',
    description: 'Users can no longer sign in with it. Linked identities stay.',
    answer: { 200: 'SocialProviderDeleted' },
    run: async (beckon, call) =>
      succeed(await beckon.auth.deleteSocialProvider(call.scope, param(call, 'provider'), actorOf(call))),
  },
  {
    ...read,
    path: '/auth-service/users/:id/identities',
    summary: 'List the identities of a user',
    description: 'Identities at social and enterprise providers, oldest first.',
    answer: { page: 'Identity' },
    run: async (beckon, call) => succeedWithPage(await beckon.users.identities(call.scope, param(call, 'id'))),
  },
];

export const authSocialRoutes: readonly Route[] = [...forApps, ...callbacks, ...forOperators];
