import type { AuthContext } from '../flow/context.ts';
import { base32, bytesOfBase32 } from '../mfa/base32.ts';
import { isConfirmed } from '../mfa/rows.ts';
import type { ExportContributor, ImportContributor } from './contributor.ts';

/** Bytes of a secret: 16 characters, as many apps use. Chosen: the shortest that other systems issue. */
const MIN_BYTES = 10;

type Deps = Pick<AuthContext, 'mfa'>;

/**
 * Imports the secret of an authenticator app as a factor in use, for accounts without one. The plan of the import sets
 * `mfaEnabledAt` with its write of the account, whose guard also stops two imports from adding two factors.
 */
export const totpImport = ({ mfa }: Deps): ImportContributor<Uint8Array> => ({
  field: 'totpSecret',
  parse: ({ totpSecret }) => {
    if (totpSecret === undefined) return null;
    const secret = bytesOfBase32(totpSecret);
    if (secret !== null && secret.length >= MIN_BYTES) return { value: secret };
    return { problem: { reason: 'invalid', message: 'totpSecret: must be base32 of at least 16 characters' } };
  },
  writes: async (scope, entries, _, now) => {
    const existing = entries.flatMap(({ account, isNew }) => (isNew ? [] : [account.id]));
    const factors = await mfa.factorsOfAccounts(scope, existing);
    const enabled = new Set(factors.filter(isConfirmed).map(({ accountId }) => accountId));
    return Promise.all(
      entries.map(async ({ account, value }) =>
        enabled.has(account.id) ? [] : [await mfa.importTotp(scope, account.id, value, now)],
      ),
    );
  },
});

/** The secret of the oldest factor that is not lost. */
export const totpExport = ({ mfa }: Deps): ExportContributor => ({
  field: 'totpSecret',
  load: async (scope, accountIds) => {
    const secrets = new Map<string, string>();
    for (const factor of await mfa.factorsOfAccounts(scope, accountIds)) {
      if (!isConfirmed(factor) || secrets.has(factor.accountId)) continue;
      const secret = await mfa.secretOf(scope, factor);
      if (secret !== null) secrets.set(factor.accountId, base32(secret));
    }
    return secrets;
  },
});
