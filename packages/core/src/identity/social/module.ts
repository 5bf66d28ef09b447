// Builds social sign-in, and its functions of the library.

import { wholePage } from '../../foundation/page.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import { clientOf } from '../audit/client.ts';
import { exchangeCode, exchangeInto } from '../exchange/exchange.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import type { ProviderUrls } from '../shapes/options.ts';
import { socialAdmin } from './admin.ts';
import type { SocialApi } from './api.ts';
import { type SocialOptions, socialContext } from './context.ts';
import type { SocialProviders } from './credentials.ts';
import { identitiesOfUsers } from './identities.ts';
import { socialSignIn } from './sign-in.ts';

/** Construction does no I/O. Throws TypeError for an invalid allowed network. */
export const socialModule = (
  context: AuthContext,
  finish: Finish,
  {
    providers,
    scopes,
    publicUrl,
    urls = {},
    net = {},
  }: {
    readonly providers: SocialProviders;
    readonly scopes: Pick<ScopeDirectory, 'load'>;
    readonly publicUrl: string | null;
    readonly urls?: ProviderUrls | undefined;
    readonly net?: SocialOptions['net'];
  },
) => {
  // The operator's own URLs decide whether http is allowed; the providers have https.
  const allowHttp = Object.values(urls).some((endpoints) =>
    Object.values(endpoints ?? {}).some((url) => url.startsWith('http:')),
  );
  const social = socialContext({ clock: context.clock, net: { ...net, allowHttp }, endpoints: urls });
  const flow = socialSignIn({ context, finish, social, providers, scopes, publicUrl });
  const exchange = exchangeCode(context, finish);
  const users = identitiesOfUsers(context);
  const admin = socialAdmin(context, providers, publicUrl);
  const api: SocialApi = {
    signInWithProvider: (scope, input, call) => flow.signIn(scope, input, clientOf(call)),
    handleSocialCallback: (input, call) => flow.callback(input, clientOf(call)),
    exchangeCode: (scope, input, call, bearer = null) => exchange(scope, input, clientOf(call), bearer),
    socialProviders: async (scope) => wholePage(await admin.enabled(scope)),
    identities: async (scope, { account }) => wholePage(await users.list(scope, account.id)),
    linkIdentity: flow.link,
    unlinkIdentity: (scope, bearer, id, call) => users.unlink(scope, bearer, id, clientOf(call)),
    listSocialProviders: async (scope) => wholePage(await admin.list(scope)),
    getSocialProvider: admin.get,
    updateSocialProvider: admin.put,
    deleteSocialProvider: admin.remove,
  };
  return { api, social, exchangeInto: exchangeInto(context, finish), identitiesOf: users.list, close: social.close };
};
