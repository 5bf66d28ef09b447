import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { EmailDomain, EmailDomainChecked } from './answers.generated.ts';

/** A domain such as `example.com`. `dkim`: create a key and sign SMTP email, for relays that do not sign. */
export type EmailDomainInput = { readonly domain: string; readonly dkim?: boolean | undefined };

/**
 * Sending domains. Once a scope has one, or with the option `email.requireVerifiedDomains`, `prod` email from a domain
 * that is not verified is rejected with PROVIDER_NOT_CONFIGURED.
 */
export type EmailDomainsApi = {
  /** Throws CONFLICT `exists` for an existing domain. */
  create(scope: Scope, body: EmailDomainInput): Promise<EmailDomain>;
  list(scope: Scope, query?: PageQuery): Promise<Page<EmailDomain>>;
  get(scope: Scope, id: string): Promise<EmailDomain>;
  /** Email from the domain is rejected from then on, unless it was the last domain and none is required. */
  delete(scope: Scope, id: string): Promise<EmailDomain>;
  /** Looks up its DNS records and reports what is missing; also done once a day. */
  verify(scope: Scope, id: string): Promise<EmailDomainChecked>;
};
