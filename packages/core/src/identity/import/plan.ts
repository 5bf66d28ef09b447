// Plans one commit of an import: up to 100 rows with one look-up of their accounts and one per contributor.

import type { Write } from '../../database/commit/write-set.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountProfile } from '../../people/profiles/account-profile.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthEvent } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import { proveMailbox } from '../flow/prove.ts';
import type { UsersImported } from './answers.generated.ts';
import type { ImportCall, ImportContributor, ImportEntry, ImportProblem } from './contributor.ts';
import type { ReadRow } from './row.ts';

export type RowResult = UsersImported['results'][number];

/** The planned result of one row. */
type Planned = {
  readonly row: ReadRow;
  readonly status: 'imported' | 'updated';
  readonly account: AccountRow;
  readonly isNew: boolean;
  readonly writes: readonly Write[];
  readonly profile: AccountProfile | null;
  readonly events: readonly AuthEvent[];
};
type Refused = { readonly row: ReadRow; readonly problem: ImportProblem };
type Skipped = { readonly row: ReadRow; readonly account: AccountRow };
type Outcome = Planned | Refused | Skipped;

const exists = (message: string): ImportProblem => ({ reason: 'account_exists', message });

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** True: the account has a second factor after the import, unless the row is refused. */
const hasTotp = ({ contributions }: ReadRow): boolean =>
  contributions.some(({ contributor }) => contributor.field === 'totpSecret');

/** Fields of the account that the row sets. */
const fieldsOf = ({ row, email, phone, metadata }: ReadRow): Partial<AccountRow> => ({
  ...(email !== undefined && { email: email?.email ?? null, emailNorm: email?.emailNorm ?? null }),
  ...(phone !== undefined && { phone }),
  ...(row.name !== undefined && { name: row.name }),
  ...(row.locale !== undefined && { locale: row.locale }),
  ...(row.timezone !== undefined && { timezone: row.timezone }),
  ...(metadata !== undefined && { metadata }),
});

const newAccount = (accounts: AuthContext['accounts'], scope: Scope, read: ReadRow, now: Date): AccountRow => {
  const { row, email, phone, metadata } = read;
  const { externalId, name, locale, timezone, emailVerified } = row;
  const fields = { email: email ?? null, isEmailVerified: emailVerified, externalId, phone, name, locale, timezone };
  const draft = accounts.draft(scope, { ...fields, metadata }, 'import', now);
  const id = row.id ?? draft.id;
  return {
    ...{ ...draft, id, userId: externalId ?? id, usableAt: now },
    createdAt: row.createdAt === undefined ? now : new Date(row.createdAt),
    disabledAt: row.disabled === true ? now : null,
    mfaEnabledAt: hasTotp(read) ? now : null,
  };
};

/** What an update of an account writes. */
const updated = async (
  context: AuthContext,
  scope: Scope,
  { row, account }: Skipped,
  { settings, emitEvents, now }: { readonly settings: AuthSettings; readonly emitEvents: boolean; readonly now: Date },
): Promise<Planned> => {
  const { accounts, sessions, oneTime } = context;
  const fields = fieldsOf(row);
  const isNewAddress = fields.emailNorm !== undefined && fields.emailNorm !== account.emailNorm;
  const wasVerified = account.emailVerifiedAt !== null && !isNewAddress;
  const isVerified = row.row.emailVerified ?? wasVerified;
  // An unverified account may have credentials of a stranger: the import removes them, as a verification does.
  const isProof = isVerified && account.emailVerifiedAt === null;
  const proven = isProof
    ? await proveMailbox(context, scope, account, { keepsCredentials: false, settings, now })
    : null;
  const isDisabled = row.row.disabled ?? account.disabledAt !== null;
  const isDisabledNow = isDisabled && account.disabledAt === null;
  const revoked = isDisabledNow && !proven ? await sessions.revokeAll(scope, account, 'disabled', now) : null;
  // A proof removes second factors, so the account has none afterwards but that of the row.
  const { mfaEnabledAt } = { ...account, ...proven?.changes };
  const changes: Partial<AccountRow> = {
    ...fields,
    emailVerifiedAt: isVerified ? (wasVerified ? account.emailVerifiedAt : now) : null,
    disabledAt: isDisabled ? (account.disabledAt ?? now) : null,
    ...(row.row.disabled !== undefined && { deactivatedBy: null }),
    usableAt: account.usableAt ?? (proven ? now : null),
    mfaEnabledAt: mfaEnabledAt ?? (hasTotp(row) ? now : null),
  };
  const hasChanged = Object.entries(changes).some(
    // Safe: the keys of changes are those of an account.
    ([name, value]) => !isSame(value, account[name as keyof AccountRow]),
  );
  const next = hasChanged ? accounts.change(account, changes, now) : { row: account, write: null };
  const events = [...(proven?.events ?? []), ...(revoked?.events ?? [])];
  const isReported = ({ name }: AuthEvent): boolean =>
    emitEvents || (name !== 'user.signed_up' && name !== 'user.identified');
  return {
    ...{ row, status: 'updated', account: next.row, isNew: proven !== null },
    writes: [
      ...(next.write === null ? [] : [next.write]),
      ...(proven?.removals ?? []),
      ...(revoked?.writes ?? []),
      ...(isNewAddress || isDisabledNow ? [oneTime.removeOf(scope, account.id)] : []),
    ],
    profile: next.row.usableAt === null || !hasChanged ? null : accounts.profileOf(next.row, settings),
    events: events.filter(isReported),
  };
};

/** Why a row cannot update an account; null: it can. */
const updateProblem = ({ row }: ReadRow, found: readonly AccountRow[]): ImportProblem | null => {
  const [account] = found;
  if (found.length > 1 || !account) return exists('id, externalId and email belong to different users');
  if (row.id !== undefined && row.id !== account.id) return exists('the user exists with another id');
  if (row.externalId !== undefined && row.externalId !== account.userId)
    return exists('the user exists with another externalId, which cannot be changed');
  return null;
};

/** Adds what contributors write, and refuses rows that one of them cannot import. */
const contributed = async (
  scope: Scope,
  outcomes: readonly Outcome[],
  call: ImportCall,
  now: Date,
): Promise<readonly Outcome[]> => {
  const result = [...outcomes];
  const planned = outcomes.flatMap((outcome, at) => ('writes' in outcome ? [{ at, outcome }] : []));
  const contributors = new Set(
    planned.flatMap(({ outcome }) => outcome.row.contributions.map(({ contributor }) => contributor)),
  );
  for (const contributor of contributors) {
    const entries = planned.flatMap(({ at, outcome }) => {
      const own = outcome.row.contributions.find((one) => one.contributor === contributor);
      return own && 'writes' in (result[at] ?? {}) ? [{ at, outcome, value: own.value }] : [];
    });
    const rows: readonly ImportEntry<unknown>[] = entries.map(({ outcome: { account, isNew }, value }) => ({
      ...{ account, isNew, value },
    }));
    const answers = await contributor.writes(scope, rows, call, now);
    for (const [place, { at }] of entries.entries()) {
      const [answer, before] = [answers[place], result[at]];
      if (answer === undefined || !before || !('writes' in before)) continue;
      result[at] =
        'reason' in answer
          ? { row: before.row, problem: answer }
          : { ...before, writes: [...before.writes, ...answer] };
    }
  }
  return result;
};

const resultOf = (outcome: Outcome): RowResult => {
  const { index, algorithm } = outcome.row;
  if ('problem' in outcome) return { index, status: 'failed', error: outcome.problem };
  const { id, userId } = outcome.account;
  if (!('writes' in outcome)) return { index, status: 'skipped', id, userId };
  return { index, status: outcome.status, id, userId, ...(algorithm !== undefined && { algorithm }) };
};

/** Plans and commits rows that share no key. Throws errors of the database, among them violations of uniqueness. */
export const importSlice = (
  context: AuthContext,
  scope: Scope,
  slice: readonly ReadRow[],
  { call, settings }: { readonly call: ImportCall; readonly settings: AuthSettings },
): Promise<readonly RowResult[]> => {
  const { accounts } = context;
  const { onConflict, emitEvents } = call.options;
  return context.commit(scope, async (now) => {
    const existing = await accounts.allOf(scope, {
      ids: slice.flatMap(({ row }) => row.id ?? []),
      emailNorms: slice.flatMap(({ email }) => email?.emailNorm ?? []),
      userIds: slice.flatMap(({ row }) => row.externalId ?? row.id ?? []),
    });
    const byId = new Map(existing.map((row) => [row.id, row]));
    const byEmail = new Map(existing.flatMap((row) => (row.emailNorm === null ? [] : [[row.emailNorm, row] as const])));
    const byUserId = new Map(existing.map((row) => [row.userId, row]));
    const foundFor = ({ row, email }: ReadRow): readonly AccountRow[] => {
      const found = [
        row.id === undefined ? undefined : byId.get(row.id),
        email ? byEmail.get(email.emailNorm) : undefined,
        byUserId.get(row.externalId ?? row.id ?? ''),
      ];
      return [...new Set(found.filter((account) => account !== undefined))];
    };
    const outcomes: Outcome[] = [];
    for (const row of slice) {
      const found = foundFor(row);
      const [account] = found;
      if (!account) {
        const created = newAccount(accounts, scope, row, now);
        const { profile, events } = accounts.usable(created, settings);
        outcomes.push({
          ...{ row, status: 'imported', account: created, isNew: true, profile },
          writes: [accounts.insertImported(created)],
          events: emitEvents ? events : [],
        });
      } else if (onConflict === 'skip') outcomes.push({ row, account });
      else if (onConflict === 'fail')
        outcomes.push({ row, problem: exists('a user with this id, externalId or email exists') });
      else {
        const problem = updateProblem(row, found);
        outcomes.push(
          problem ? { row, problem } : await updated(context, scope, { row, account }, { settings, emitEvents, now }),
        );
      }
    }
    const final = await contributed(scope, outcomes, call, now);
    const planned = final.flatMap((outcome) => ('writes' in outcome ? [outcome] : []));
    return {
      change: {
        writes: planned.flatMap(({ writes }) => writes),
        profiles: planned.flatMap(({ profile }) => profile ?? []),
        events: planned.flatMap(({ events }) => events),
      },
      result: final.map(resultOf),
    };
  });
};

/** Runs `prepare` of each contributor for rows that are about to be committed. Throws its errors. */
export const prepareSlice = async (scope: Scope, slice: readonly ReadRow[]): Promise<void> => {
  const values = Map.groupBy(
    slice.flatMap(({ contributions }) => contributions),
    ({ contributor }): ImportContributor => contributor,
  );
  for (const [contributor, all] of values)
    await contributor.prepare?.(
      scope,
      all.map(({ value }) => value),
    );
};
