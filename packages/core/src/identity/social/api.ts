import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { CodeExchanged, Identity, IdentityUnlinked } from '../exchange/answers.generated.ts';
import type { exchangeBody } from '../exchange/bodies.ts';
import type { Bearer } from '../shapes/bearer.ts';
import type {
  SocialProviderDeleted,
  SocialProviderEnabled,
  SocialProviderSettings,
  SocialSignIn,
  SocialStarted,
} from './answers.generated.ts';
import type { linkIdentityBody, socialProviderBody, socialSignInBody } from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
type Call = Partial<ClientInfo>;
type Actor = { readonly actor?: string | undefined };

export type SocialSignInInput = Input<typeof socialSignInBody>;
export type LinkIdentityInput = Input<typeof linkIdentityBody>;
export type CodeExchangeInput = Input<typeof exchangeBody>;
export type SocialProviderInput = Input<typeof socialProviderBody>;

/** Sign-in with social providers. */
export type SocialApi = {
  /**
   * Begins a sign-in by redirect; with an ID token, signs the user in. Throws VALIDATION_ERROR with the reason
   * `provider_unknown` or `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED, UNAUTHORIZED `invalid_id_token`, CONFLICT
   * `account_exists_link_required`, FORBIDDEN `signup_disabled`, OVERLOADED.
   */
  signInWithProvider(scope: Scope, input: SocialSignInInput, call?: Call): Promise<SocialSignIn>;
  /**
   * Handles a provider's callback and returns where to redirect. The state names the environment. Throws VALIDATION_ERROR
   * with the reason `state_invalid`; such a callback must not redirect.
   */
  handleSocialCallback(
    input: { readonly provider: string; readonly params: URLSearchParams },
    call?: Call,
  ): Promise<{ readonly url: string }>;
  /**
   * Exchanges the code of a redirect, once and within 60 s. `bearer`: the session that began a link. Throws UNAUTHORIZED
   * `invalid_grant`, CONFLICT `account_exists_link_required` or `credential_exists`, FORBIDDEN `signup_disabled`.
   */
  exchangeCode(scope: Scope, input: CodeExchangeInput, call?: Call, bearer?: Bearer | null): Promise<CodeExchanged>;
  /** Providers that users can sign in with. */
  socialProviders(scope: Scope): Promise<Page<SocialProviderEnabled>>;
  /** Identities of the user at providers. */
  identities(scope: Scope, bearer: Bearer): Promise<Page<Identity>>;
  /** Begins a redirect that links an identity to the user. */
  linkIdentity(scope: Scope, bearer: Bearer, input: LinkIdentityInput): Promise<SocialStarted>;
  /** Throws NOT_FOUND, CONFLICT `last_method`. */
  unlinkIdentity(scope: Scope, bearer: Bearer, id: string, call?: Call): Promise<IdentityUnlinked>;

  listSocialProviders(scope: Scope): Promise<Page<SocialProviderSettings>>;
  /** Throws NOT_FOUND. */
  getSocialProvider(scope: Scope, provider: string): Promise<SocialProviderSettings>;
  /** Replaces the app at a provider. Without `clientSecret` the stored one is kept. */
  updateSocialProvider(
    scope: Scope,
    provider: string,
    input: SocialProviderInput,
    call?: Actor,
  ): Promise<SocialProviderSettings>;
  /** Throws NOT_FOUND. Linked identities stay. */
  deleteSocialProvider(scope: Scope, provider: string, call?: Actor): Promise<SocialProviderDeleted>;
};
