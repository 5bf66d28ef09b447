import { z } from 'zod';
import { createBackup, restoreBackup } from '../database/backup/backup.ts';
import type { BackupHeader } from '../database/backup/file.ts';
import { type Secret, tableNames } from '../database/backup/parts.ts';
import { type Clock, systemClock } from '../foundation/clock.ts';
import { requireNode } from '../foundation/node-version.ts';
import { parseMasterKeys } from '../foundation/secrets.ts';
import { DEPLOYMENT, requireOpens } from '../platform/tenancy/keyring.ts';
import { tablesOf } from './tables.ts';

/** Header of a backup. */
export type Backup = {
  /** When it was created. */
  readonly createdAt: Date;
  /** The version that created it. */
  readonly program: string;
  readonly dialect: 'sqlite' | 'postgres';
  readonly withSecrets: boolean;
  /** What must be set again after restoring, and the number of rows it was left out of. */
  readonly leftOut: readonly { readonly what: string; readonly rows: number }[];
};

const all = (table: string, says: string | null): Secret => ({
  table,
  where: '1 = 1',
  columns: null,
  description: says,
});

/** Every column with encrypted data, and the rows or columns that are useless without it. */
export const SECRETS: readonly Secret[] = [
  // New data keys are created at the first start, with the current master key.
  all('data_keys', null),
  {
    table: 'secrets',
    where: "name <> 'signing'",
    columns: null,
    description: 'workflow secrets: beckon secrets set',
  },
  {
    table: 'secrets',
    where: "name = 'signing'",
    columns: { sealed: '' },
    description: 'project signing secrets: beckon secrets rotate-signing --grace-hours 0',
  },
  {
    table: 'credentials',
    where: 'sealed is not null',
    columns: { sealed: null, last_four: null, proven_at: null, shared_token: null, shared_token_issued_at: null },
    description: 'provider credentials: beckon providers add',
  },
  // Emails of sign-in that still wait are not sent: they hold a link or a code.
  { table: 'sends', where: 'sealed is not null', columns: { sealed: null }, description: null },
  // Links and codes of sign-in work for minutes or hours; users request new ones.
  all('auth_one_time', null),
  // The first sign-in creates a new key. Sessions go on, since their refresh tokens need no key.
  all('auth_signing_keys', null),
  {
    table: 'auth_settings',
    where: 'captcha_sealed is not null',
    columns: { captcha_sealed: null },
    description: 'captcha secrets of sign-in: beckon auth settings set captcha',
  },
  // Provider callbacks are encrypted because they contain personal data; their results are in other tables.
  all('callbacks', null),
  all('callback_secrets', 'delivery webhook secrets: beckon callbacks secrets set'),
  {
    table: 'email_domains',
    where: 'dkim_sealed is not null',
    columns: { dkim_selector: null, dkim_public_key: null, dkim_sealed: null, dkim_found: null },
    description: 'DKIM keys of sending domains: beckon domains create',
  },
  {
    // The factor stays and counts as lost, so that nobody signs in without it: a recovery code or a reset is needed.
    table: 'auth_factors',
    where: 'secret is not null',
    columns: { secret: null },
    description: 'authenticator apps of users: a recovery code, or beckon users mfa-reset',
  },
  all('webhooks', 'webhooks with their secrets: beckon webhooks create'),
  {
    table: 'auth_hash_configs',
    where: 'sealed is not null',
    columns: { sealed: null },
    description: 'signer keys of passwords that came from Firebase: beckon users import, or the users reset them',
  },
  {
    table: 'auth_social_providers',
    where: 'sealed is not null',
    columns: { sealed: null },
    description: 'secrets of social providers: beckon auth social set',
  },
  {
    table: 'auth_sso_connections',
    where: 'sealed is not null',
    columns: { sealed: null },
    description: 'secrets of SSO connections: beckon auth sso update',
  },
  all('ai_settings', 'AI providers of organizations: beckon providers add ai'),
];

const shown = ({ createdAt, program, dialect, withSecrets, leftOut }: BackupHeader): Backup => ({
  ...{ program, dialect, withSecrets, leftOut },
  createdAt: new Date(createdAt),
});

/**
 * Writes a database into one file while others use it: a snapshot of one moment, with a checksum. The file appears only
 * when it is complete. On SQLite this process is blocked while pages are copied.
 *
 * @param withoutSecrets leaves out encrypted data; otherwise it stays encrypted, and needs the same master key
 * @param isReplacing replaces a file of this name
 * @throws BackupError `exists` or `damaged`, SchemaError for a database of another version, and what the database
 * throws
 */
export const backupDatabase = async ({
  db,
  file,
  program = 'unknown',
  withoutSecrets = false,
  isCompressed = false,
  isReplacing = false,
  clock = systemClock,
}: {
  readonly db: string;
  readonly file: string;
  /** The version of the program, for the person who restores it. */
  readonly program?: string | undefined;
  readonly withoutSecrets?: boolean | undefined;
  readonly isCompressed?: boolean | undefined;
  readonly isReplacing?: boolean | undefined;
  readonly clock?: Clock | undefined;
}): Promise<Backup & { readonly bytes: number }> => {
  requireNode();
  const { bytes, header } = await createBackup({
    ...{ db, file, program, isCompressed, isReplacing, tables: tableNames(tablesOf('sqlite')) },
    createdAt: clock.now().toISOString(),
    leaveOut: withoutSecrets ? SECRETS : null,
  });
  return { ...shown(header), bytes };
};

const wrappedRows = z.array(z.object({ kid: z.string(), wrapped: z.string() }));

/**
 * Replaces a database by a backup, completely or not at all. The schema of an older version is migrated to the
 * program's.
 *
 * @param masterKey with secrets, the key that encrypts them; without secrets, any
 * @param isForced overwrites existing data
 * @throws BackupError, SchemaError for a backup of a newer version, WrongMasterKey, and what the database throws
 */
export const restoreDatabase = async ({
  db,
  file,
  masterKey,
  isForced = false,
  trustPath = false,
}: {
  readonly db: string;
  readonly file: string;
  readonly masterKey: string;
  readonly isForced?: boolean | undefined;
  readonly trustPath?: boolean | undefined;
}): Promise<Backup> => {
  requireNode();
  const masterKeys = parseMasterKeys(masterKey);
  const header = await restoreBackup({
    ...{ db, file, isForced, trustPath, tables: tableNames(tablesOf('sqlite')) },
    proof: {
      sql: `select kid, wrapped from data_keys where org_id = '${DEPLOYMENT}'`,
      check: (rows) => requireOpens(masterKeys, wrappedRows.parse(rows)),
    },
  });
  return shown(header);
};
