import { clientOf } from '../audit/client.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish } from '../flow/finish.ts';
import type { LinksApi } from './api.ts';
import { requestEmailCode, requestMagicLink, requestReauthentication } from './request.ts';
import { signInWithEmailCode, signInWithMagicLink } from './verify.ts';

/** Sign-in by email: links, codes, and the code of a step-up. */
export const emailSignIn = (context: AuthContext, finish: Finish): { readonly api: LinksApi } => {
  const withLink = signInWithMagicLink(context, finish);
  const requestLink = requestMagicLink(context);
  const requestCode = requestEmailCode(context);
  const withCode = signInWithEmailCode(context, finish);
  return {
    api: {
      requestMagicLink: (scope, input, call) => requestLink(scope, input, clientOf(call)),
      signInWithMagicLink: (scope, input, call) => withLink(scope, input, clientOf(call)),
      requestEmailCode: (scope, input, call) => requestCode(scope, input, clientOf(call)),
      signInWithEmailCode: (scope, input, call) => withCode(scope, input, clientOf(call)),
      requestReauthentication: requestReauthentication(context),
    },
  };
};
