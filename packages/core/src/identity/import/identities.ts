import type { Write } from '../../database/commit/write-set.ts';
import { SOCIAL_PROVIDERS } from '../auth-settings/social-providers.ts';
import type { AuthContext } from '../flow/context.ts';
import type { ExternalIdentity } from '../identities/identities.ts';
import type { SocialOptions } from '../social/context.ts';
import { PROVIDERS } from '../social/providers.ts';
import type { ImportRow } from './bodies.ts';
import type { ExportContributor, ImportContributor, ImportProblem } from './contributor.ts';

type Deps = Pick<AuthContext, 'identities'>;
type Source = NonNullable<ImportRow['identities']>[number];

const EXISTS: ImportProblem = { reason: 'identity_exists', message: 'identities: one belongs to another user' };
const invalid = (message: string): ImportProblem => ({ reason: 'invalid', message: `identities: ${message}` });

const keyOf = ({ provider, issuer, subject }: Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject'>): string =>
  JSON.stringify([provider, issuer, subject]);

/** The identity as a sign-in with the provider would store it. Throws nothing. */
const identityIn = (
  { provider: name, issuer: stated, subject, email = null, emailVerified = false }: Source,
  urls: SocialOptions['endpoints'],
): ExternalIdentity | ImportProblem => {
  const provider = SOCIAL_PROVIDERS.find((one) => one === name);
  if (provider === undefined) return invalid(`provider must be one of: ${SOCIAL_PROVIDERS.join(', ')}`);
  const { endpoints, issuerAliases = [] } = PROVIDERS[provider];
  const own = urls?.[provider]?.issuer ?? endpoints.issuer;
  const issuer = stated === undefined || issuerAliases.includes(stated) ? own : stated;
  // Each Microsoft tenant has its own issuer, so there is no default.
  if (issuer.includes('{')) return invalid(`issuer is required for ${provider}`);
  return { provider, connectionId: null, issuer, subject, email, emailVerified, name: null, raw: {} };
};

/** Imports identities at social providers. The user signs in with them as if they had been linked here. */
export const identityImport = (
  { identities }: Deps,
  urls: SocialOptions['endpoints'],
): ImportContributor<readonly ExternalIdentity[]> => ({
  field: 'identities',
  parse: (row) => {
    if (row.identities === undefined) return null;
    const byKey = new Map<string, ExternalIdentity>();
    for (const source of row.identities) {
      const identity = identityIn(source, urls);
      if ('reason' in identity) return { problem: identity };
      byKey.set(keyOf(identity), identity);
    }
    return { value: [...byKey.values()] };
  },
  writes: async (scope, entries, _, now) => {
    const stored = await identities.bySubjects(
      scope,
      entries.flatMap(({ value }) => value),
    );
    // Rows of one commit may name one identity too: the first row gets it.
    const owners = new Map(stored.map((row) => [keyOf(row), row.accountId]));
    return entries.map(({ account, value, isNew }): readonly Write[] | ImportProblem => {
      const isForeign = (identity: ExternalIdentity): boolean =>
        (owners.get(keyOf(identity)) ?? account.id) !== account.id;
      if (value.some(isForeign)) return EXISTS;
      // This commit removes the identities of an account that counts as new, so they are written again.
      const missing = value.filter((identity) => isNew || !owners.has(keyOf(identity)));
      for (const identity of value) owners.set(keyOf(identity), account.id);
      return missing.map((identity) => identities.link(scope, account.id, identity, now).write);
    });
  },
});

/** Identities at social providers. Those of an organization's own provider need its connection and are left out. */
export const identityExport = ({ identities }: Deps): ExportContributor => ({
  field: 'identities',
  load: async (scope, accountIds) => {
    const rows = await identities.ofAccounts(scope, accountIds);
    const social = Map.groupBy(
      rows.filter(({ connectionId }) => connectionId === null),
      ({ accountId }) => accountId,
    );
    return new Map(
      [...social].map(([accountId, own]) => [
        accountId,
        own.map(({ provider, issuer, subject, email, emailVerified }) => ({
          ...{ provider, issuer, subject, emailVerified },
          ...(email !== null && { email }),
        })),
      ]),
    );
  },
});
