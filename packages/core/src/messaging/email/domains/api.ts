import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';

/** A record of DNS that whoever owns the domain has to set. */
export type DnsRecord = {
  readonly type: 'TXT';
  readonly name: string;
  readonly value: string;
  /** `ownership` is what verifies the domain; `dkim` is what receivers check signatures of mail by. */
  readonly purpose: 'ownership' | 'dkim';
};

/** A domain that mail of a project is from. One of its subdomains is covered by it. */
export type EmailDomain = {
  readonly id: string;
  /** In lower case, internationalised ones as punycode. */
  readonly domain: string;
  readonly status: 'pending' | 'verified';
  /** True: mail from it that goes through SMTP is signed by this service once the key's record was found. */
  readonly dkim: boolean;
  /** Whether the record of the key was there when it was last looked for; null: there is no key. */
  readonly dkimFound: boolean | null;
  readonly records: readonly DnsRecord[];
  readonly createdAt: Date;
  /** When its ownership was last seen. */
  readonly verifiedAt: Date | null;
  readonly checkedAt: Date | null;
};

/** What was found of one record. `unknown`: the servers gave no answer, and what was known stays. */
export type DomainCheck = {
  readonly name: 'ownership' | 'dkim' | 'spf' | 'dmarc';
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown';
  /** What it means and what would be right. Of `spf` and `dmarc`: advice, which verifies nothing. */
  readonly message: string;
};
export type EmailDomainChecked = EmailDomain & { readonly checks: readonly DomainCheck[] };

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
