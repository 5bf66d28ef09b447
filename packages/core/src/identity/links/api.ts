import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthResult } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import type { AuthChallengeSent } from './answers.generated.ts';
import type * as bodies from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
export type MagicLinkInput = Input<typeof bodies.magicLinkBody>;
export type MagicLinkVerifyInput = Input<typeof bodies.magicLinkVerifyBody>;
export type EmailOtpInput = Input<typeof bodies.emailOtpBody>;
export type EmailOtpVerifyInput = Input<typeof bodies.emailOtpVerifyBody>;

/** Sign-in with what an email contains. */
export type LinksApi = {
  /**
   * Emails a link and a code to sign in. The answer is the same for every address, and over the limit of emails, where
   * nothing changes. Throws VALIDATION_ERROR `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED, RATE_LIMITED `project_mail`,
   * FORBIDDEN `captcha_failed` or `denied`.
   */
  requestMagicLink(scope: Scope, input: MagicLinkInput, call?: Partial<ClientInfo>): Promise<AuthChallengeSent>;
  /** Throws UNAUTHORIZED `token_invalid`. */
  signInWithMagicLink(scope: Scope, input: MagicLinkVerifyInput, call?: Partial<ClientInfo>): Promise<AuthResult>;
  /** Emails a code to sign in, as `requestMagicLink` does. */
  requestEmailCode(scope: Scope, input: EmailOtpInput, call?: Partial<ClientInfo>): Promise<AuthChallengeSent>;
  /** Takes the code of either email. Throws UNAUTHORIZED `code_invalid`. */
  signInWithEmailCode(scope: Scope, input: EmailOtpVerifyInput, call?: Partial<ClientInfo>): Promise<AuthResult>;
  /** Emails a signed-in user a code for `reauthenticate`. Throws FORBIDDEN `email_not_verified`, `anonymous`. */
  requestReauthentication(scope: Scope, bearer: Bearer): Promise<AuthChallengeSent>;
};
