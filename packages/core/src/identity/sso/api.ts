import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { ClientInfo } from '../audit/client.ts';
import type {
  SsoConnection,
  SsoConnectionDeleted,
  SsoDomain,
  SsoDomainChecked,
  SsoDomainDeleted,
  SsoStarted,
} from './answers.generated.ts';
import type { ssoConnectionBody, ssoConnectionPatch, ssoDomainBody, ssoStartBody } from './bodies.ts';

type Input<Schema extends z.ZodType> = Frozen<z.input<Schema>>;
type Call = Partial<ClientInfo>;
type Actor = { readonly actor?: string | undefined };

export type SsoStartInput = Input<typeof ssoStartBody>;
export type SsoConnectionInput = Input<typeof ssoConnectionBody>;
export type SsoConnectionPatch = Input<typeof ssoConnectionPatch>;
export type SsoDomainInput = Input<typeof ssoDomainBody>;

/** The SAML response that a browser posts. */
export type SamlResponseInput = {
  /** Organization in the path. */
  readonly orgId: string;
  /** `SAMLResponse` of the form. */
  readonly response: string;
  /** `RelayState` of the form; null: none. */
  readonly relayState: string | null;
};

/**
 * Sign-in with the identity providers of organizations, by SAML or OpenID Connect. Except for responses and callbacks, every
 * function throws `tier_required` unless the plan includes `sso`.
 */
export type SsoApi = {
  /**
   * Begins a sign-in. Throws NOT_FOUND if no enabled connection matches, VALIDATION_ERROR with the reason
   * `redirect_not_allowed`, PROVIDER_NOT_CONFIGURED.
   */
  startSso(scope: Scope, input: SsoStartInput): Promise<SsoStarted>;
  /**
   * Handles a posted SAML response and returns where to redirect, with a code for `exchangeCode`. Throws VALIDATION_ERROR with the
   * reason `saml_invalid` for every response that is not accepted.
   */
  handleSamlResponse(input: SamlResponseInput, call?: Call): Promise<{ readonly url: string }>;
  /**
   * Handles the callback of an OpenID provider and returns where to redirect. Throws VALIDATION_ERROR with the reason
   * `state_invalid`; such a callback must not redirect.
   */
  handleOidcCallback(
    input: { readonly connectionId: string; readonly params: URLSearchParams },
    call?: Call,
  ): Promise<{ readonly url: string }>;
  /**
   * The SAML metadata of this service for one connection, as XML. `connectionId` may be null while the organization has one SAML
   * connection. Throws NOT_FOUND.
   */
  samlMetadata(input: { readonly orgId: string; readonly connectionId: string | null }): Promise<string>;

  /** Connections, oldest first. */
  listSsoConnections(scope: Scope, query?: PageQuery): Promise<Page<SsoConnection>>;
  /** Throws NOT_FOUND. */
  getSsoConnection(scope: Scope, id: string): Promise<SsoConnection>;
  /** Throws CONFLICT `exists` if the environment has a connection with this entity id. */
  createSsoConnection(scope: Scope, input: SsoConnectionInput, call?: Actor): Promise<SsoConnection>;
  /** Throws NOT_FOUND, CONFLICT as `createSsoConnection`. */
  updateSsoConnection(scope: Scope, id: string, input: SsoConnectionPatch, call?: Actor): Promise<SsoConnection>;
  /** Deletes a connection with its domains and identities. Accounts and sessions stay. Throws NOT_FOUND. */
  deleteSsoConnection(scope: Scope, id: string, call?: Actor): Promise<SsoConnectionDeleted>;
  /** Email domains, oldest first. */
  listSsoDomains(scope: Scope, query?: PageQuery): Promise<Page<SsoDomain>>;
  /** Throws NOT_FOUND. */
  getSsoDomain(scope: Scope, id: string): Promise<SsoDomain>;
  /** Throws NOT_FOUND for an unknown connection, CONFLICT `exists`. */
  createSsoDomain(scope: Scope, input: SsoDomainInput, call?: Actor): Promise<SsoDomain>;
  /** Looks the DNS record of a domain up. Throws NOT_FOUND. */
  verifySsoDomain(scope: Scope, id: string, call?: Actor): Promise<SsoDomainChecked>;
  /** Throws NOT_FOUND. */
  deleteSsoDomain(scope: Scope, id: string, call?: Actor): Promise<SsoDomainDeleted>;
};
