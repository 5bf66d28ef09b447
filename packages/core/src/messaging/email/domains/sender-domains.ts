// Cache of the sending domains of scopes: 10 s, invalidated when any process changes one.

import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { domainOf } from '../../../foundation/email-address.ts';
import { type InScope, scopeKey } from '../../../foundation/scope.ts';
import { readByScope, sharedCache } from '../../../jobs/shared-cache.ts';
import { emailDomainStatements } from './statements.ts';
import type { EmailDomainTables } from './tables.ts';

/** Topic of domain changes. */
const DOMAINS_CHANGED = 'email_domains';

/** A domain, as sending needs it. */
export type SenderDomain = {
  readonly id: string;
  readonly domain: string;
  readonly isVerified: boolean;
  /** DKIM key of its email; null: none. */
  readonly dkim: { readonly selector: string; readonly sealed: string } | null;
};

/** The domains of a scope; empty: none. */
export type SenderDomains = {
  /** True if email must come from a verified domain. */
  readonly isRequired: boolean;
  readonly domains: readonly SenderDomain[];
};

export type LoadSenderDomains = (scopes: readonly InScope[]) => Promise<(scope: InScope) => SenderDomains>;

/** The most specific domain that covers an address: its own, or a parent. Pure. */
export const coveringDomain = ({ domains }: SenderDomains, address: string): SenderDomain | null => {
  const own = domainOf(address).toLowerCase();
  return (
    domains
      .filter(({ domain }) => own === domain || own.endsWith(`.${domain}`))
      .sort((one, other) => other.domain.length - one.domain.length)
      .at(0) ?? null
  );
};

/** False for a sender whose domain must be verified and is not. Pure. */
export const mayBeFrom = (senderDomains: SenderDomains, address: string): boolean => {
  if (!senderDomains.isRequired) return true;
  const verified = { ...senderDomains, domains: senderDomains.domains.filter(({ isVerified }) => isVerified) };
  return coveringDomain(verified, address) !== null;
};

export const senderDomainCache = ({
  storage,
  tables,
  clock,
  isAlwaysRequired,
}: {
  readonly storage: Pick<Storage, 'select' | 'outsideTransaction' | 'wake'>;
  readonly tables: EmailDomainTables;
  readonly clock: Clock;
  /** True if scopes without domains need one too. */
  readonly isAlwaysRequired: boolean;
}) => {
  const cache = sharedCache<InScope, SenderDomains>({
    storage,
    clock,
    topic: DOMAINS_CHANGED,
    nameOf: scopeKey,
    read: readByScope(storage, emailDomainStatements(tables).ofScope, (rows) => ({
      isRequired: isAlwaysRequired || rows.length > 0,
      domains: rows.map(({ id, domain, status, dkimSelector: selector, dkimSealed: sealed, dkimFound }) => ({
        id,
        domain,
        isVerified: status === 'verified',
        dkim: selector !== null && sealed !== null && dkimFound ? { selector, sealed } : null,
      })),
    })),
  });
  const load: LoadSenderDomains = (scopes) => cache.load(scopes);
  return { load, changed: cache.changed, close: cache.close };
};
