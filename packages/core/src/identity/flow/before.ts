import { isBeckonError } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';

/** What a user is about to do. */
export type BeforeAction = 'sign_up' | 'sign_in' | 'reset' | 'link' | 'guest';

/** What the host may deny, before any account is looked up. */
export type BeforeCall = {
  readonly action: BeforeAction;
  /** Address as it was sent; null where there is none. */
  readonly email: string | null;
  readonly client: ClientInfo;
};

/** Throws FORBIDDEN `denied` if the host denies a call, or if its hook throws or takes longer than 1 s. */
export type Before = (scope: Scope, call: BeforeCall) => Promise<void>;

/** False if the host denies a call: for redirects, which show it in their URL. Throws other errors of `before`. */
export const isAllowed = async (before: Before, scope: Scope, call: BeforeCall): Promise<boolean> => {
  try {
    await before(scope, call);
    return true;
  } catch (error) {
    if (!isBeckonError(error, 'FORBIDDEN')) throw error;
    return false;
  }
};
