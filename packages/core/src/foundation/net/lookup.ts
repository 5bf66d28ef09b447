import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { type AddressRules, BlockedAddressError } from './addresses.ts';

export type HostAddress = { readonly address: string; readonly family: number };
/** Resolves a name to all its addresses. Rejects with an error whose `code` is one of DNS, such as ENOTFOUND. */
export type HostResolver = (hostname: string) => Promise<readonly HostAddress[]>;

/** The operating system's resolver, including the hosts file. */
export const systemResolver: HostResolver = (hostname) => systemLookup(hostname, { all: true });

const notFound = (): Error => Object.assign(new Error('The host has no address.'), { code: 'ENOTFOUND' });

/**
 * A `lookup` for `net.connect` and `tls.connect` that checks every address of a name and returns exactly the checked
 * ones, so nothing is resolved a second time (DNS rebinding). One forbidden address rejects the name. Not called for
 * literal addresses.
 */
export const guardedLookup =
  (rules: AddressRules, resolver: HostResolver): LookupFunction =>
  (hostname, options, callback) => {
    const resolveChecked = async (): Promise<readonly HostAddress[]> => {
      const found = await resolver(hostname);
      if (!found.every(({ address }) => rules.allows(address))) throw new BlockedAddressError();
      return found.filter(({ family }) => !options.family || `${options.family}`.endsWith(`${family}`));
    };
    resolveChecked().then(
      (found) => {
        const [first] = found;
        if (!first) callback(notFound(), '', 0);
        else if (options.all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : notFound(), '', 0),
    );
  };
