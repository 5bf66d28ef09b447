// Made of the schemas in answers.ts by `npm run openapi`.

/** A DNS record that the owner of the domain must set. */
export interface DnsRecord {
  /** Type of the record. */
  readonly type: 'TXT';
  /** Name of the record. */
  readonly name: string;
  /** Value of the record. */
  readonly value: string;
  /** `ownership` verifies the domain; receivers check signatures with `dkim`. */
  readonly purpose: 'ownership' | 'dkim';
}

/** A domain that emails of a project are sent from; it covers its subdomains. */
export interface EmailDomain {
  /** Id of the domain. */
  readonly id: string;
  /** Domain in lower case; an internationalized one as punycode. */
  readonly domain: string;
  /** Whether the ownership is verified. */
  readonly status: 'pending' | 'verified';
  /** Whether Beckon signs SMTP emails from this domain, once it found the DKIM record. */
  readonly dkim: boolean;
  /** Whether the last check found the DKIM record; null if the domain has no key. */
  readonly dkimFound: boolean | null;
  /** DNS records to set. */
  readonly records: readonly DnsRecord[];
  /** When the domain was added. */
  readonly createdAt: Date;
  /** When a check last confirmed the ownership; null if none did. */
  readonly verifiedAt: Date | null;
  /** When the records were last checked; null if they were not. */
  readonly checkedAt: Date | null;
}

/** Result of the check of one DNS record. */
export interface DomainCheck {
  /** What was checked. */
  readonly name: 'ownership' | 'dkim' | 'spf' | 'dmarc';
  /** Result; `unknown`: the DNS servers did not respond, and the previous result remains. */
  readonly state: 'found' | 'missing' | 'wrong' | 'unknown';
  /** What the result means and what to do; `spf` and `dmarc` are advice only. */
  readonly message: string;
}

/** A sending domain with the results of its checks. */
export interface EmailDomainChecked extends EmailDomain {
  /** Result of each check. */
  readonly checks: readonly DomainCheck[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly DnsRecord: DnsRecord;
  readonly EmailDomain: EmailDomain;
  readonly DomainCheck: DomainCheck;
  readonly EmailDomainChecked: EmailDomainChecked;
}
