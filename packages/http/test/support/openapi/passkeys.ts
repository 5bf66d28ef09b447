// Passkeys of users, for tests that call the operations of sign-in.

import type { Beckon, Scope } from '@beckon/core';
import { addPasskey, newPasskey, passkeySignIn } from '../../../../core/test/support/identity/passkey.ts';
import type { SignedIn } from './sign-in.ts';

const MAX_PASSKEYS = 20;

type Users = {
  /** A new user, whose access token the next requests have. */
  signedIn(): Promise<SignedIn>;
  /** A guest, whose access token the next request has. */
  guest(): Promise<SignedIn>;
};

export const passkeyWorld = (beckon: Beckon, scope: Scope, { signedIn, guest }: Users) => {
  const add = (one: SignedIn) => addPasskey(beckon, scope, one.tokens.accessToken);
  const added = async () => {
    const one = await signedIn();
    return { one, ...(await add(one)) };
  };
  return {
    /** A new user with a passkey. */
    added,
    /** The body that adds a passkey to a new user. */
    adding: async () => (await newPasskey(beckon, scope, (await signedIn()).tokens.accessToken)).body,
    /** The body of a sign-in of a new user. */
    signingIn: async () => passkeySignIn(beckon, scope, await added()),
    /** The body that adds a passkey which is registered already. */
    addingAgain: async () => {
      const { one, device } = await added();
      return (await newPasskey(beckon, scope, one.tokens.accessToken, { device })).body;
    },
    /** The user of the access token has as many passkeys as are allowed. */
    crowded: async (): Promise<void> => {
      const one = await signedIn();
      for (let count = 0; count < MAX_PASSKEYS; count += 1) await add(one);
    },
    /** A guest whose passkey is the only way to sign in. */
    only: async () => {
      const one = await guest();
      return { id: (await add(one)).passkey.id, accessToken: one.tokens.accessToken };
    },
  };
};
