// Users as a SCIM directory provisions them. A user is an account: creation makes one or links the account of an address
// in a verified domain, deactivation disables it and ends its sessions in the same commit.

import type { Write } from '../../database/commit/write-set.ts';
import { domainOf } from '../../foundation/email-address.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AccountEmail } from '../accounts/email-norm.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import { identified } from '../flow/identified.ts';
import { proveMailbox } from '../flow/prove.ts';
import { accountFieldsOf, emailOf, userValuesOf } from './account-fields.ts';
import { actorOf, type Directory, type ScimContext } from './context.ts';
import { checkDocument, cloneObject, readDocument, type ScimObject } from './documents.ts';
import type { ScimCondition } from './filter/condition.ts';
import { patchDocument, readOperations } from './patch.ts';
import { checkIfMatch, type ScimPage } from './responses.ts';
import type { ScimUserRow } from './rows.ts';
import { USER_RESOURCE } from './schemas.ts';
import { refused, ScimError } from './scim-error.ts';

/** Bytes of the attributes of a user as JSON. Chosen: some certificates and photos' addresses; a page has 200 users. */
const MAX_DOCUMENT_BYTES = 65_536;

/** The 404 of a resource that the directory does not have. */
export const noResource = (): ScimError => new ScimError(404, null, 'The directory has no resource with this id');
const duplicate = (detail: string): ScimError => new ScimError(409, 'uniqueness', detail);
const NAME_IN_USE = 'The directory has a user with this userName';
const EMAIL_IN_USE = 'The email address belongs to another user';

const checked = (document: ScimObject): ScimObject => {
  checkDocument(USER_RESOURCE, document);
  if (Buffer.byteLength(JSON.stringify(document)) > MAX_DOCUMENT_BYTES) {
    throw refused('invalidValue', `The attributes of a user have at most ${MAX_DOCUMENT_BYTES} bytes`);
  }
  return document;
};

/** What a directory changes of whether its user may sign in. An operator's decision stands. */
const activation = (
  { disabledAt, deactivatedBy }: Pick<AccountRow, 'disabledAt' | 'deactivatedBy'>,
  active: boolean,
  { directoryId }: Directory,
  now: Date,
): Partial<AccountRow> => {
  if (!active) return disabledAt === null ? { disabledAt: now, deactivatedBy: directoryId } : {};
  return deactivatedBy === directoryId ? { disabledAt: null, deactivatedBy: null } : {};
};

const isSame = (left: unknown, right: unknown): boolean =>
  left instanceof Date && right instanceof Date ? left.getTime() === right.getTime() : left === right;

export const scimUsers = ({ context, scim, connections }: ScimContext) => {
  const { accounts, sessions, audit } = context;

  /**
   * True for an address in a verified domain of the directory's connection. Several organizations may have directories in one
   * environment, and each owns its domains alone.
   */
  const isOwned = async ({ scope, directoryId }: Directory, email: AccountEmail | null): Promise<boolean> => {
    if (email === null) return false;
    const connectionId = (await scim.directory(scope, directoryId))?.connectionId ?? null;
    const domain = connectionId === null ? null : await connections.byDomain(scope, domainOf(email.emailNorm));
    return domain !== null && domain.connectionId === connectionId && domain.verifiedAt !== null;
  };

  /** Ends what a user who may no longer sign in has: sessions, links, codes and challenges. */
  const endAll = async (
    { scope }: Directory,
    account: AccountRow,
    now: Date,
  ): Promise<{ readonly writes: readonly Write[]; readonly events: readonly AuthEvent[] }> => {
    const revoked = await sessions.revokeAll(scope, account, 'scim_deactivated', now);
    const rest = [context.oneTime.removeOf(scope, account.id), context.mfa.endChallenges(scope, account.id)];
    return { writes: [...revoked.writes, ...rest], events: revoked.events };
  };

  const recorded = (directory: Directory, action: string, target: string, now: Date): Write =>
    audit.record(directory.scope, { actor: actorOf(directory), action, target, result: 'ok' }, now);

  /** Changes an account as its directory states it, and plans what follows. */
  const changeAccount = async (
    directory: Directory,
    account: AccountRow,
    {
      document,
      active,
      email,
      isLinked,
      settings,
      now,
    }: {
      readonly document: ScimObject;
      readonly active: boolean;
      /** Undefined: it stays. */
      readonly email?: AccountEmail | null | undefined;
      /** True if the directory gets the account now. */
      readonly isLinked: boolean;
      readonly settings: AuthSettings;
      readonly now: Date;
    },
  ) => {
    const { scope } = directory;
    const address = email === undefined ? null : email;
    const isNewAddress = email !== undefined && email?.emailNorm !== account.emailNorm;
    if (address !== null && isNewAddress && (await accounts.byEmail(scope, address.emailNorm)))
      throw duplicate(EMAIL_IN_USE);
    const isProof = account.emailVerifiedAt === null && address !== null && (await isOwned(directory, address));
    // A stranger may have signed up with the address before it was proven: the credentials go, as with any proof.
    const proven = isProof
      ? await proveMailbox(context, scope, account, { keepsCredentials: false, settings, now })
      : null;
    const changes: Partial<AccountRow> = {
      ...proven?.changes,
      ...accountFieldsOf(document),
      ...(email !== undefined && { email: email?.email ?? null, emailNorm: email?.emailNorm ?? null }),
      ...(isNewAddress && !isProof && { emailVerifiedAt: (await isOwned(directory, address)) ? now : null }),
      ...activation(account, active, directory, now),
    };
    const changed = Object.entries(changes).filter(
      // Safe: the keys of changes are those of an account.
      ([name, value]) => !isSame(value, account[name as keyof AccountRow]),
    );
    if (changed.length === 0 && !isLinked) return { account, writes: [], events: [], profile: null };
    const { row, write } = accounts.change(account, changes, now);
    const isDisabledNow = row.disabledAt !== null && account.disabledAt === null;
    const isEnabledNow = row.disabledAt === null && account.disabledAt !== null;
    // A sign-in may have come between a deactivation and its sessions: none of them is restored.
    const ended = (isDisabledNow || isEnabledNow) && !proven ? await endAll(directory, account, now) : null;
    const fields = [
      ...(isNewAddress ? ['email'] : []),
      ...changed.flatMap(([name]) => (name in accountFieldsOf(document) ? [name] : [])),
      ...(isLinked ? ['identities'] : []),
    ];
    const isUsable = row.usableAt !== null;
    return {
      account: row,
      writes: [
        write,
        ...(proven?.removals ?? []),
        ...(ended?.writes ?? []),
        ...(isNewAddress && !ended ? [context.oneTime.removeOf(scope, account.id)] : []),
      ],
      profile: isUsable ? accounts.profileOf(row, settings) : null,
      events: [
        ...(proven?.events ?? []),
        ...(ended?.events ?? []),
        ...(isUsable && account.usableAt !== null && fields.length > 0 && !proven ? [identified(row, fields)] : []),
      ],
    };
  };

  /** The account of a new user: one that may be linked, or a new one. */
  const accountFor = async (
    directory: Directory,
    document: ScimObject,
    {
      email,
      active,
      settings,
      now,
    }: { email: AccountEmail | null; active: boolean; settings: AuthSettings; now: Date },
  ) => {
    const { scope, directoryId } = directory;
    const existing = email === null ? null : await accounts.byEmail(scope, email.emailNorm);
    if (existing === null) {
      const isEmailVerified = await isOwned(directory, email);
      const draft = accounts.draft(scope, { ...accountFieldsOf(document), email, isEmailVerified }, 'scim', now);
      const disabled = active ? {} : { disabledAt: now, deactivatedBy: directoryId };
      const account = { ...draft, usableAt: now, ...disabled };
      const write = email === null ? accounts.insertImported(account) : accounts.insert(account);
      return { account, writes: [write], ...accounts.usable(account, settings) };
    }
    // The directory that deleted the user may create it again.
    const isOwn = existing.deactivatedBy === directoryId || (await isOwned(directory, email));
    if (!isOwn || (await scim.userByAccount(scope, existing.id))) throw duplicate(EMAIL_IN_USE);
    return changeAccount(directory, existing, { document, active, email, isLinked: true, settings, now });
  };

  const create = async (directory: Directory, body: unknown): Promise<ScimUserRow> => {
    const document = checked(readDocument(USER_RESOURCE, body));
    const values = userValuesOf(document, true);
    const email = emailOf(document);
    const { scope, directoryId } = directory;
    const settings = await context.settings.load(scope);
    return context.commit(scope, async (now) => {
      if (await scim.userByName(directory, values.userNameNorm)) throw duplicate(NAME_IN_USE);
      const { active } = values;
      const { account, writes, ...follows } = await accountFor(directory, document, { email, active, settings, now });
      const row = scim.draftUser(scope, directoryId, account.id, values, now);
      const record = recorded(directory, 'scim.user.create', account.id, now);
      return { change: { writes: [...writes, scim.insertUser(row), record], ...follows }, result: row };
    });
  };

  const get = async (directory: Directory, id: string): Promise<ScimUserRow> => {
    const row = await scim.userById(directory, id);
    if (row === null) throw noResource();
    return row;
  };

  const update = async (
    directory: Directory,
    id: string,
    ifMatch: string | null,
    change: (before: ScimObject) => ScimObject,
  ): Promise<ScimUserRow> => {
    const { scope } = directory;
    const settings = await context.settings.load(scope);
    return context.commit(scope, async (now) => {
      const row = await get(directory, id);
      const account = await accounts.byId(scope, row.accountId);
      if (account === null) throw noResource();
      checkIfMatch(ifMatch, row.version);
      const before = cloneObject(row.document);
      const document = checked(change(before));
      const values = userValuesOf(document, row.active);
      if (JSON.stringify(values.document) === JSON.stringify(row.document)) return { change: {}, result: row };
      if (values.userNameNorm !== row.userNameNorm && (await scim.userByName(directory, values.userNameNorm))) {
        throw duplicate(NAME_IN_USE);
      }
      // Only a change of the directory's own address moves the account's: the user may have changed that since.
      const email = emailOf(document);
      const isMoved = email?.emailNorm !== emailOf(before)?.emailNorm;
      const next = scim.changeUser(row, values, now);
      const {
        account: _,
        writes,
        ...follows
      } = await changeAccount(directory, account, {
        ...{ document, active: values.active, isLinked: false, settings, now },
        ...(isMoved && { email }),
      });
      const record = recorded(directory, 'scim.user.update', account.id, now);
      return { change: { writes: [next.write, ...writes, record], ...follows }, result: next.row };
    });
  };

  return {
    create,
    get,
    replace: (directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<ScimUserRow> => {
      const document = readDocument(USER_RESOURCE, body);
      return update(directory, id, ifMatch, () => document);
    },
    patch: (directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<ScimUserRow> => {
      const operations = readOperations(body);
      return update(directory, id, ifMatch, (before) => patchDocument(USER_RESOURCE, before, operations, id));
    },
    /** The account stays, disabled: erasure is another act. */
    remove: async (directory: Directory, id: string, ifMatch: string | null): Promise<void> => {
      const { scope } = directory;
      await context.commit(scope, async (now) => {
        const row = await get(directory, id);
        checkIfMatch(ifMatch, row.version);
        const account = await accounts.byId(scope, row.accountId);
        const record = recorded(directory, 'scim.user.delete', row.accountId, now);
        if (account === null || account.disabledAt !== null) {
          return { change: { writes: [...scim.removeUser(row), record] }, result: null };
        }
        const disabled = accounts.change(account, activation(account, false, directory, now), now);
        const ended = await endAll(directory, account, now);
        const writes = [...scim.removeUser(row), disabled.write, ...ended.writes, record];
        return { change: { writes, events: ended.events }, result: null };
      });
    },
    list: async (directory: Directory, condition: ScimCondition | null, page: ScimPage) => ({
      total: await scim.countUsers(directory, condition),
      rows: page.count === 0 ? [] : await scim.listUsers(directory, condition, page),
    }),
  };
};

export type ScimUsers = ReturnType<typeof scimUsers>;
