import type { InScope } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { DkimKey } from '../transports/smtp/dkim.ts';
import { type Credentials, credentialsEngine } from './credentials.ts';
import { providerDefinitions } from './definitions.ts';
import { loadInOrder, type OrderOf } from './order.ts';
import type { OutboundOptions } from './outbound.ts';
import type { OwnTransports } from './own-transport.ts';
import { type NameProvider, withOwnTransports } from './own-transports.ts';
import { sealedCredentials } from './sealed.ts';
import type { CredentialTables } from './tables.ts';

export type ProvidersPlatform = Platform<CredentialTables>;

type Needs = {
  readonly outbound: OutboundOptions | undefined;
  /** Transports of the host program, which replace stored credentials. */
  readonly transports: OwnTransports | undefined;
  /** The project's order of providers. */
  readonly orderOf: OrderOf;
  /** The DKIM key of a sender's address; null: mail is not signed. */
  readonly dkimOf: (scope: InScope, address: string) => Promise<DkimKey | null>;
  readonly hasSeveralOrgs: () => Promise<boolean>;
};

/** Functions for other modules. */
export type Providers = Pick<Credentials, 'settings' | 'source' | 'vapidPublicKey' | 'inbound' | 'onChange'> & {
  readonly nameProvider: NameProvider;
};

/** Providers, their credentials, and the transports that use them. */
export const providersModule = (platform: ProvidersPlatform, needs: Needs) => {
  const { storage, tables, clock, scopes, keyring, log } = platform;
  const { outbound, transports = {}, orderOf, dkimOf, hasSeveralOrgs } = needs;
  const definitions = providerDefinitions({ clock, random: Math.random, log, hasSeveralOrgs, outbound });
  const stored = credentialsEngine({ storage, tables, clock, keyring, definitions, scopes, log, dkimOf });
  const source = { ...stored.source, load: loadInOrder(stored.source.load, orderOf) };
  return {
    name: 'providers',
    internal: withOwnTransports({ ...stored, source }, transports, { clock, scopes }) satisfies Providers,
    sealedValues: [sealedCredentials({ storage, tables, scopes })],
    close: stored.close,
  };
};
