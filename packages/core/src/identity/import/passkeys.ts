import type { Write } from '../../database/commit/write-set.ts';
import type { AuthContext } from '../flow/context.ts';
import { base64url, bytesOfBase64url } from '../passkeys/bytes.ts';
import { MAX_CREDENTIAL_ID_BYTES, MAX_USER_HANDLE_BYTES } from '../passkeys/ceremony.ts';
import { algorithmOf } from '../passkeys/cose.ts';
import { MAX_PASSKEYS, TRANSPORTS } from '../passkeys/options.ts';
import type { NewPasskeyRow } from '../passkeys/passkeys.ts';
import type { ImportRow } from './bodies.ts';
import type { ExportContributor, ImportContributor, ImportEntry, ImportProblem } from './contributor.ts';

type Deps = Pick<AuthContext, 'passkeys'>;
type Source = NonNullable<ImportRow['passkeys']>[number];
type Imported = NewPasskeyRow & { readonly createdAt: Date | undefined };
/** The passkeys of a user. An authenticator knows the user by the handle, so all have the same. */
type Value = { readonly handle: string; readonly passkeys: readonly Imported[] };

const NO_AAGUID = '00000000-0000-0000-0000-000000000000';
const EXISTS: ImportProblem = {
  reason: 'passkey_exists',
  message: 'passkeys: one, or the userHandle, belongs to another user',
};
const invalid = (message: string): ImportProblem => ({ reason: 'invalid', message: `passkeys: ${message}` });

/** base64url in its one form, of 1 to `max` bytes; null: it is not. */
const encoded = (value: string, max: number): string | null => {
  const bytes = bytesOfBase64url(value.replace(/=+$/, ''));
  return bytes && bytes.length > 0 && bytes.length <= max ? base64url(bytes) : null;
};

const passkeyIn = (source: Source): Imported | ImportProblem => {
  const id = encoded(source.credentialId, MAX_CREDENTIAL_ID_BYTES);
  if (id === null) return invalid('credentialId must be base64url of at most 1,023 bytes');
  const publicKey = bytesOfBase64url(source.publicKey.replace(/=+$/, ''));
  const algorithm = publicKey && algorithmOf(publicKey);
  if (!publicKey || algorithm === null)
    return invalid('publicKey must be base64url of a COSE key of ES256, Ed25519 or RS256');
  if (source.alg !== undefined && source.alg !== algorithm) return invalid('alg must be that of publicKey');
  const { counter = 0, transports = [], deviceType, backedUp = false, aaguid, name, createdAt } = source;
  return {
    passkey: {
      ...{ id, publicKey, algorithm, counter },
      transports: TRANSPORTS.filter((transport) => transports.includes(transport)),
      // Unknown until the next sign-in.
      isBackupEligible: deviceType === undefined ? null : deviceType === 'multiDevice',
      isBackedUp: backedUp,
      aaguid: aaguid?.toLowerCase() ?? NO_AAGUID,
    },
    name: name?.trim() || 'Passkey',
    createdAt: createdAt === undefined ? undefined : new Date(createdAt),
  };
};

/** Imports passkeys. They work for the domain for which they were registered. */
export const passkeyImport = ({ passkeys }: Deps): ImportContributor<Value> => ({
  field: 'passkeys',
  parse: (row) => {
    const [first] = row.passkeys ?? [];
    if (row.passkeys === undefined || first === undefined) return null;
    const handle = encoded(first.userHandle, MAX_USER_HANDLE_BYTES);
    if (handle === null) return { problem: invalid('userHandle must be base64url of at most 64 bytes') };
    const byId = new Map<string, Imported>();
    for (const source of row.passkeys) {
      if (encoded(source.userHandle, MAX_USER_HANDLE_BYTES) !== handle)
        return { problem: invalid('userHandle must be the same for all passkeys of a user') };
      const read = passkeyIn(source);
      if ('reason' in read) return { problem: read };
      byId.set(read.passkey.id, read);
    }
    const oldestFirst = [...byId.values()].toSorted(
      (a, b) => (a.createdAt?.getTime() ?? Infinity) - (b.createdAt?.getTime() ?? Infinity),
    );
    return { value: { handle, passkeys: oldestFirst } };
  },
  writes: async (scope, entries, _, now) => {
    const existing = entries.flatMap(({ account, isNew }) => (isNew ? [] : [account.id]));
    const [stored, handles, own, ownHandles] = await Promise.all([
      passkeys.byCredentials(
        scope,
        entries.flatMap(({ value }) => value.passkeys.map(({ passkey }) => passkey.id)),
      ),
      passkeys.byHandles(
        scope,
        entries.map(({ value }) => value.handle),
      ),
      passkeys.ofAccounts(scope, existing),
      passkeys.handlesOf(scope, existing),
    ]);
    // Rows of one commit may name one passkey or one handle too: the first row gets it.
    const owners = new Map(stored.map(({ credentialId, accountId }) => [credentialId, accountId]));
    const usersByHandle = new Map(handles.map(({ handle, accountId }) => [handle, accountId]));
    const count = Map.groupBy(own, ({ accountId }) => accountId);
    const present = new Map(ownHandles.map(({ accountId, handle }) => [accountId, handle]));
    const writesOf = ({ account, value, isNew }: ImportEntry<Value>): readonly Write[] | ImportProblem => {
      const { id } = account;
      const isForeign = [
        usersByHandle.get(value.handle),
        ...value.passkeys.map(({ passkey }) => owners.get(passkey.id)),
      ].some((owner) => owner !== undefined && owner !== id);
      if (isForeign) return EXISTS;
      const before = isNew ? [] : (count.get(id) ?? []);
      const handle = present.get(id);
      // Without passkeys no authenticator knows the old handle.
      if (before.length > 0 && handle !== value.handle) return invalid('the user has another userHandle');
      // This commit removes the passkeys of an account that counts as new, so they are written again.
      const missing = value.passkeys.filter(({ passkey }) => isNew || !owners.has(passkey.id));
      if (before.length + missing.length > MAX_PASSKEYS) return invalid(`a user has at most ${MAX_PASSKEYS}`);
      usersByHandle.set(value.handle, id);
      for (const { passkey } of value.passkeys) owners.set(passkey.id, id);
      return [
        ...(isNew || handle !== value.handle ? passkeys.replaceHandle(scope, id, value.handle) : []),
        ...missing.map(
          ({ createdAt, ...one }) => passkeys.add(scope, { ...one, accountId: id }, createdAt ?? now).write,
        ),
      ];
    };
    return entries.map(writesOf);
  },
});

/** All passkeys of the users. They go on working for the same domain. */
export const passkeyExport = ({ passkeys }: Deps): ExportContributor => ({
  field: 'passkeys',
  load: async (scope, accountIds) => {
    const [rows, handles] = await Promise.all([
      passkeys.ofAccounts(scope, accountIds),
      passkeys.handlesOf(scope, accountIds),
    ]);
    const handleOf = new Map(handles.map(({ accountId, handle }) => [accountId, handle]));
    return new Map(
      [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, own]) => [
        accountId,
        own.map(({ credentialId, publicKey, alg, counter, transports, isBackupEligible, ...row }) => ({
          ...{ credentialId, publicKey, userHandle: handleOf.get(accountId) ?? '', alg, counter, transports },
          ...(isBackupEligible !== null && { deviceType: isBackupEligible ? 'multiDevice' : 'singleDevice' }),
          ...{ backedUp: row.isBackedUp, aaguid: row.aaguid, name: row.name, createdAt: row.createdAt.toISOString() },
        })),
      ]),
    );
  },
});
