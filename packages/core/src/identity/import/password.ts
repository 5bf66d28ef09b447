import type { Accounts } from '../accounts/accounts.ts';
import type { HashConfigs } from '../hash-configs/hash-configs.ts';
import { detectHash } from '../passwords/formats/formats.ts';
import type { HashProblem, ParsedHash } from '../passwords/formats/parsed.ts';
import type { ExportContributor, ImportContributor } from './contributor.ts';

const PROBLEMS: Readonly<Record<HashProblem, string>> = {
  unsupported_hash: 'passwordHash has no supported format. A Firebase hash needs hashConfig.',
  hash_over_cap: 'passwordHash is too expensive to verify. Import the user without it.',
};

type Deps = { readonly accounts: Pick<Accounts, 'passwordsOf' | 'setPassword'>; readonly hashConfigs: HashConfigs };

/** Imports password hashes as they are. They become argon2id when their user signs in. */
export const passwordImport = ({ accounts, hashConfigs }: Deps): ImportContributor<ParsedHash> => ({
  field: 'passwordHash',
  parse: ({ passwordHash }, { hashConfig }) => {
    if (passwordHash === undefined) return null;
    const detected = detectHash(passwordHash, hashConfig);
    if ('hash' in detected) return { value: detected.hash, algorithm: detected.hash.algorithm };
    return { problem: { reason: detected.problem, message: PROBLEMS[detected.problem] } };
  },
  prepare: (scope, hashes) => hashConfigs.add(scope, hashes),
  writes: async (scope, entries, { options }, now) => {
    const existing = entries.flatMap(({ account, isNew }) => (isNew ? [] : [account.id]));
    const stored = new Map(
      (await accounts.passwordsOf(scope, existing)).map(({ accountId, hash }) => [accountId, hash]),
    );
    return entries.map(({ account, value }) => {
      const present = stored.get(account.id);
      const isKept = present !== undefined && (!options.overwritePassword || present === value.stored);
      return isKept ? [] : [accounts.setPassword(account, value.stored, null, now, hashConfigs.idOf(value))];
    });
  },
});

/** Password hashes in a form that an import reads: those of Firebase with their signer key. */
export const passwordExport = ({ accounts, hashConfigs }: Deps): ExportContributor => ({
  field: 'passwordHash',
  load: async (scope, accountIds) => {
    const { signerKeyOf } = await hashConfigs.load(scope);
    const rows = await accounts.passwordsOf(scope, accountIds);
    return new Map(
      rows.map(({ accountId, hash, hashConfigId }) => {
        const signerKey = signerKeyOf(hashConfigId);
        const isFirebase = signerKey !== null && hash.startsWith('$fbscrypt$');
        // The parameters are the third part: `$fbscrypt$v=1,...$SALT$HASH`.
        const whole = isFirebase
          ? hash.replace(/^(\$fbscrypt\$[^$]+)\$/, (_, head) => `${head},sk=${signerKey}$`)
          : hash;
        return [accountId, whole];
      }),
    );
  },
});
