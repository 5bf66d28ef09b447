import type { Platform } from '../../../platform/platform.ts';
import { type EmailDomains, emailDomainsEngine } from './domains.ts';
import { txtLookUp } from './look-up.ts';
import { sealedDkimKeys } from './sealed.ts';
import type { EmailDomainTables } from './tables.ts';

export type EmailDomainsPlatform = Platform<EmailDomainTables>;

type Options = {
  /** DNS servers for domain verification; absent: those of the system. */
  readonly dnsServers?: readonly string[] | undefined;
  /** `prod` email must come from a verified domain, even in projects without domains. Default false. */
  readonly requireVerifiedDomains?: boolean | undefined;
};

/** Builds sending domains. Needs no other module: providers use its keys, and sending its sender rules. */
export const emailDomainsModule = (platform: EmailDomainsPlatform, options: Options = {}) => {
  const { storage, tables, clock, ids, keyring, scopes } = platform;
  const lookUp = txtLookUp(options.dnsServers);
  const isAlwaysRequired = options.requireVerifiedDomains ?? false;
  const domains = emailDomainsEngine({ storage, tables, clock, ids, keyring, scopes, lookUp, isAlwaysRequired });
  return {
    name: 'email domains',
    api: domains.api,
    internal: domains satisfies EmailDomains,
    maintenance: [{ name: 'email domains', run: domains.recheck }],
    sealedValues: [sealedDkimKeys({ storage, tables, scopes })],
    close: domains.close,
  };
};
