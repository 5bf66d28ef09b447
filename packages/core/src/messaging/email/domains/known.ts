// Which domains mail of a scope may be from, remembered for 10 s and forgotten at once when any process changes one.

import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { domainOf } from '../../../foundation/email-address.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { agedCache } from '../../../jobs/concurrency/aged-cache.ts';
import { emailDomainStatements } from './statements.ts';
import type { EmailDomainTables } from './tables.ts';

/** How old an answer may be, in milliseconds. Ours: as for keys. */
const MAX_AGE_MS = 10_000;
/** Scopes whose domains are held; ours: a kilobyte or two each. */
const MAX_SCOPES = 10_000;
/** The topic that says that domains changed somewhere. */
const DOMAINS_CHANGED = 'email_domains';

/** A domain as whoever sends has to know it. */
export type KnownDomain = {
  readonly id: string;
  readonly domain: string;
  readonly isVerified: boolean;
  /** What signs its mail; null: nothing. */
  readonly dkim: { readonly selector: string; readonly sealed: string } | null;
};

/** What a scope has; empty: no domain. */
export type SenderDomains = {
  /** True where mail has to be from a domain that was verified. */
  readonly isRequired: boolean;
  readonly domains: readonly KnownDomain[];
};

export type LoadSenderDomains = (scopes: readonly InScope[]) => Promise<(scope: InScope) => SenderDomains>;

/** The nearest of the domains that covers an address: its own, or one above it. Pure. */
export const coveringDomain = ({ domains }: SenderDomains, address: string): KnownDomain | null => {
  const own = domainOf(address).toLowerCase();
  return (
    domains
      .filter(({ domain }) => own === domain || own.endsWith(`.${domain}`))
      .sort((one, other) => other.domain.length - one.domain.length)
      .at(0) ?? null
  );
};

/** False for a sender whose domain has to be verified and is not. Pure. */
export const mayBeFrom = (known: SenderDomains, address: string): boolean => {
  if (!known.isRequired) return true;
  const verified = { ...known, domains: known.domains.filter(({ isVerified }) => isVerified) };
  return coveringDomain(verified, address) !== null;
};

export const knownDomains = ({
  storage,
  tables,
  clock,
  isAlwaysRequired,
}: {
  readonly storage: Pick<Storage, 'select' | 'apart' | 'wake'>;
  readonly tables: EmailDomainTables;
  readonly clock: Clock;
  /** Of a scope without any domain as well. */
  readonly isAlwaysRequired: boolean;
}) => {
  const hot = emailDomainStatements(tables);
  const cache = agedCache<InScope, SenderDomains>({
    nameOf: scopeKey,
    read: async (scopes) => {
      const rows = await storage.select(
        hot.ofScope,
        scopes.map((scope) => [scopeKey(scope)]),
      );
      const found = Map.groupBy(rows, ({ scopeId }) => scopeId);
      return ({ scopeId }) => {
        const own = found.get(scopeId) ?? [];
        return {
          isRequired: isAlwaysRequired || own.length > 0,
          domains: own.map(({ id, domain, status, dkimSelector: selector, dkimSealed: sealed, dkimFound }) => ({
            id,
            domain,
            isVerified: status === 'verified',
            dkim: selector !== null && sealed !== null && dkimFound ? { selector, sealed } : null,
          })),
        };
      };
    },
    clock,
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_SCOPES,
  });
  let stopListening: (() => void) | undefined;
  const load: LoadSenderDomains = (scopes) => {
    stopListening ??= storage.wake.subscribe((topic) => topic === DOMAINS_CHANGED && cache.clear());
    // Reads outside the host's transaction: the cache is shared, and uncommitted values must not get into it.
    return storage.apart(() => cache.load(scopes.map(scopeOf)));
  };
  return {
    load,
    /** Something changed in this process: nothing old is used here from now on, and others are told. */
    changed: (): void => {
      cache.clear();
      storage.wake.signal([DOMAINS_CHANGED]);
    },
    close: (): void => stopListening?.(),
  };
};
