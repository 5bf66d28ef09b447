// Builds passkeys, and their functions of the library.

import { type Page, wholePage } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import { clientOf } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import type { Passkey } from './answers.generated.ts';
import type { PasskeyApi } from './api.ts';
import type { PasskeyCheck } from './assertion.ts';
import { passkeyAdmin } from './manage.ts';
import { requestMfaPasskey, requestPasskey, signInWithPasskey } from './sign-in.ts';

export const passkeyModule = (
  context: AuthContext,
  finish: Finish,
  check: PasskeyCheck,
): { readonly api: PasskeyApi; readonly ofUser: (scope: Scope, id: string) => Promise<Page<Passkey>> } => {
  const admin = passkeyAdmin(context, check);
  const request = requestPasskey(context, check);
  const signIn = signInWithPasskey(context, finish, check);
  return {
    api: {
      requestPasskeySignIn: (scope) => request(scope, null),
      signInWithPasskey: (scope, input, call) => signIn(scope, input, clientOf(call)),
      requestPasskey: admin.request,
      addPasskey: (scope, bearer, input, call) => admin.add(scope, bearer, input, clientOf(call)),
      listPasskeys: async (scope, { account }) => wholePage(await admin.list(scope, account.id)),
      updatePasskey: admin.rename,
      deletePasskey: (scope, bearer, id, call) => admin.remove(scope, bearer, id, clientOf(call)),
      requestPasskeyReauthentication: request,
      requestMfaPasskey: requestMfaPasskey(context, check),
    },
    ofUser: async (scope, id) => wholePage(await admin.ofUser(scope, id)),
  };
};
