import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthResult, SignedUp, TokenSet } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import type * as bodies from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
export type GuestInput = Input<typeof bodies.guestBody>;
export type GuestUpgradeInput = Input<typeof bodies.guestUpgradeBody>;

/** Users without credentials. */
export type GuestsApi = {
  /** Creates a guest and signs the guest in. Throws FORBIDDEN `anonymous_disabled`, `captcha_failed` or `denied`. */
  signInAsGuest(scope: Scope, input?: GuestInput, call?: Partial<ClientInfo>): Promise<AuthResult>;
  /**
   * With an address and a password: emails a link and a code with which a guest becomes a user of the same id, see
   * `verifyEmail`. With the code of a redirect: links the identity, and returns tokens of the same session. Throws
   * FORBIDDEN `not_anonymous`, `signup_disabled`, `captcha_failed` or `denied`, UNAUTHORIZED `invalid_grant`, CONFLICT
   * `account_exists`, PROVIDER_NOT_CONFIGURED, RATE_LIMITED `project_mail`, OVERLOADED.
   */
  upgradeGuest(
    scope: Scope,
    bearer: Bearer,
    input: GuestUpgradeInput,
    call?: Partial<ClientInfo>,
  ): Promise<SignedUp | TokenSet>;
};
