import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { EmailDomain, EmailDomainChecked } from './answers.generated.ts';

/** A domain such as `example.com`; `dkim`: make a key and sign mail through SMTP, for relays that do not sign. */
export type EmailDomainInput = { readonly domain: string; readonly dkim?: boolean | undefined };

/**
 * Domains that mail may be from. As soon as a scope has one, or where the option `email.requireVerifiedDomains` is set,
 * mail of `prod` from any domain that is not verified answers PROVIDER_NOT_CONFIGURED.
 */
export type EmailDomainsApi = {
  /** Throws CONFLICT `exists` for a domain that is there. */
  create(scope: Scope, body: EmailDomainInput): Promise<EmailDomain>;
  list(scope: Scope, query?: PageQuery): Promise<Page<EmailDomain>>;
  get(scope: Scope, id: string): Promise<EmailDomain>;
  /** Mail from it is refused from then on, unless it was the last one and none is required. */
  delete(scope: Scope, id: string): Promise<EmailDomain>;
  /** Looks its records up, and says what they lack; done once a day as well. */
  verify(scope: Scope, id: string): Promise<EmailDomainChecked>;
};
