import { BeckonError, validationError } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage, type Page, timeRange } from '../../foundation/page.ts';
import { phoneNumber } from '../../foundation/phone-number.ts';
import { type Scope, scopeKey } from '../../foundation/scope.ts';
import type { JoinOptions } from '../../platform/idempotency/api.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import { accountMetadataOf } from '../accounts/metadata.ts';
import type { AuthPlan } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import { emailIn, parseBody } from '../flow/input.ts';
import { proveMailbox } from '../flow/prove.ts';
import { requireAccount } from '../flow/require.ts';
import { fieldsOf, sessionOf } from '../me/me.ts';
import { isLive } from '../sessions/sessions.ts';
import type { AuthMailSent, AuthUserDeleted, Session, SessionsRevoked, User } from '../shapes/answers.generated.ts';
import { userBody, userPatch } from '../shapes/bodies.ts';
import { accountExists } from '../shapes/errors.ts';
import type { UserQuery } from '../shapes/queries.ts';
import { userOf } from '../shapes/user.ts';
import { emailReset } from '../sign-in/reset.ts';
import { requirePassword } from '../sign-in/sign-up.ts';

/** Who acts: `key:` and the id of a secret key, or `system` for the host program. */
export type Actor = { readonly actor?: string | undefined };

const phoneIn = (text: string | null | undefined): string | null | undefined => {
  if (typeof text !== 'string') return text;
  const phone = phoneNumber(text);
  if (phone === null) throw validationError({ phone: ['must be a phone number in E.164, such as +14155550123'] });
  return phone;
};

/** Accounts as an operator's program manages them. */
export const userAdmin = (
  context: AuthContext,
  eraseUser: (scope: Scope, userId: string) => Promise<{ readonly erasureId: string }>,
) => {
  const { accounts, sessions, hasher, audit } = context;
  const find = (scope: Scope, id: string): Promise<AccountRow> => requireAccount(context, scope, id);
  const isDuplicate = (error: unknown): boolean => context.storage.dialect.isUniqueViolation(error);

  return {
    /** Newest first. */
    list: async (scope: Scope, query: UserQuery = {}): Promise<Page<User>> => {
      const { email, userId = null, disabled = null, source = null } = query;
      // A text that is no address matches no account.
      const emailNorm = email === undefined ? null : (accountEmailOf(email)?.emailNorm ?? '');
      const filter = { emailNorm, userId, disabled, source, ...timeRange(query) };
      const { data, pagination } = await listPage(query, {
        binding: `auth/users/${scopeKey(scope)}/${stableJson(filter)}`,
        read: (page) => accounts.list(scope, filter, page),
        count: () => accounts.count(scope, filter),
        positionOf: idOf,
      });
      return { data: data.map(userOf), pagination };
    },
    get: async (scope: Scope, id: string): Promise<User> => userOf(await find(scope, id)),
    /** Creates a user who can sign in at once. Raises `user.signed_up`. */
    create: async (
      scope: Scope,
      body: unknown,
      { actor = 'system', client }: Actor & JoinOptions = {},
    ): Promise<User> => {
      const input = parseBody(userBody, body);
      const settings = await context.settings.load(scope);
      const email = input.email == null ? null : emailIn(input.email);
      if (email === null && input.externalId === undefined)
        throw validationError({ email: ['is required without externalId'] });
      let hash: string | null = null;
      if (input.password !== undefined) {
        const rule = { password: input.password, emailNorm: email?.emailNorm ?? null };
        await requirePassword(context, { ...rule, minLength: settings.password.minLength });
        hash = await hasher.hash(input.password, { owner: scope.projectKey });
      }
      const fields = {
        ...{ email, isEmailVerified: input.emailVerified, externalId: input.externalId, phone: phoneIn(input.phone) },
        ...{ name: input.name, locale: input.locale, timezone: input.timezone },
        metadata: accountMetadataOf(input.metadata ?? {}, false).metadata,
      };
      const plan = async (now: Date): Promise<AuthPlan<User>> => {
        if (email && (await accounts.byEmail(scope, email.emailNorm))) throw accountExists();
        const row = { ...accounts.draft(scope, fields, 'admin', now), usableAt: now };
        const usable = accounts.usable(row, settings);
        const entry = { actor, action: 'user.create', target: row.id, result: 'ok' };
        return {
          change: {
            writes: [
              accounts.insert(row),
              ...(hash === null ? [] : [accounts.setPassword(row, hash, null, now)]),
              audit.record(scope, entry, now),
            ],
            ...usable,
          },
          result: userOf(row),
        };
      };
      const commit = client
        ? context.storage.join(client, () => context.commit(scope, plan, { isJoined: true }))
        : context.commit(scope, plan);
      return commit.catch((error: unknown) => {
        // The external id, or the userId that follows from it, belongs to another account.
        throw !(error instanceof BeckonError) && isDuplicate(error) ? accountExists() : error;
      });
    },
    update: async (scope: Scope, id: string, body: unknown, { actor = 'system' }: Actor = {}): Promise<User> => {
      const input = parseBody(userPatch, body);
      const settings = await context.settings.load(scope);
      const email = input.email == null ? input.email : emailIn(input.email);
      return context.commit(scope, async (now) => {
        const current = await find(scope, id);
        if (email) {
          const other = await accounts.byEmail(scope, email.emailNorm);
          if (other && other.id !== id) throw accountExists();
        }
        const isNewAddress = email !== undefined && email?.emailNorm !== current.emailNorm;
        const isVerified = input.emailVerified ?? (isNewAddress ? false : current.emailVerifiedAt !== null);
        // A stranger may have signed up with an address that nobody has proven: its credentials go, as with a proof. An
        // account without an address claims no mailbox.
        const isProof = isVerified && current.email !== null && current.emailVerifiedAt === null;
        const proven = isProof
          ? await proveMailbox(context, scope, current, { keepsCredentials: false, settings, now })
          : null;
        const changes: Partial<AccountRow> = {
          ...proven?.changes,
          ...fieldsOf(input, false),
          ...(email !== undefined && { email: email?.email ?? null, emailNorm: email?.emailNorm ?? null }),
          ...(input.phone !== undefined && { phone: phoneIn(input.phone) ?? null }),
          emailVerifiedAt: isVerified ? (isNewAddress ? now : (current.emailVerifiedAt ?? now)) : null,
          ...(input.disabled !== undefined && {
            disabledAt: input.disabled ? (current.disabledAt ?? now) : null,
            // From now on a SCIM directory cannot enable the account again.
            deactivatedBy: null,
          }),
        };
        const { row, write } = accounts.change(current, changes, now);
        const isDisabledNow = row.disabledAt !== null && current.disabledAt === null;
        const revoked = isDisabledNow && !proven ? await sessions.revokeAll(scope, current, 'disabled', now) : null;
        const entry = {
          actor,
          action: 'user.update',
          target: id,
          result: 'ok',
          detail: { fields: Object.keys(input) },
        };
        return {
          change: {
            writes: [
              write,
              ...(proven?.removals ?? []),
              ...(revoked?.writes ?? []),
              ...(isNewAddress || isDisabledNow ? [context.oneTime.removeOf(scope, id)] : []),
              ...(isDisabledNow ? [context.mfa.endChallenges(scope, id)] : []),
              audit.record(scope, entry, now),
            ],
            profile: row.usableAt === null ? null : accounts.profileOf(row, settings),
            events: [...(proven?.events ?? []), ...(revoked?.events ?? [])],
          },
          result: userOf(row),
        };
      });
    },
    /** Ends the user's sessions and erases the user everywhere, as an erasure of the profile does. */
    delete: async (scope: Scope, id: string, { actor = 'system' }: Actor = {}): Promise<AuthUserDeleted> => {
      const { userId } = await find(scope, id);
      const { erasureId } = await eraseUser(scope, userId);
      // The erasure also deletes entries about the user, so this one does not name the user.
      const entry = { actor, action: 'user.delete', target: null, result: 'ok', detail: { erasureId } };
      await context.commit(scope, async (now) => ({
        change: { writes: [audit.record(scope, entry, now)] },
        result: null,
      }));
      return { erasureId };
    },
    sessions: async (scope: Scope, id: string): Promise<readonly Session[]> => {
      await find(scope, id);
      const now = context.clock.now();
      const live = await sessions.liveOf(scope, id);
      return live.filter((row) => isLive(row, now)).map((row) => sessionOf(row, null));
    },
    revokeSessions: (scope: Scope, id: string, { actor = 'system' }: Actor = {}): Promise<SessionsRevoked> =>
      context.commit(scope, async (now) => {
        const account = await find(scope, id);
        const { count, writes, events } = await sessions.revokeAll(scope, account, 'admin', now);
        const entry = { actor, action: 'sessions.revoke', target: id, result: 'ok' };
        return {
          change: { writes: [...writes, audit.record(scope, entry, now)], events },
          result: { revoked: count },
        };
      }),
    /** Emails the user a link to set a new password. */
    sendReset: async (scope: Scope, id: string, { actor = 'system' }: Actor = {}): Promise<AuthMailSent> => {
      const { emailNorm } = await find(scope, id);
      if (emailNorm === null) throw validationError({ id: ['the user has no email address'] });
      const { redirectUris } = await context.settings.load(scope);
      await context.requireEmail(scope);
      const sent = await emailReset(context, scope, emailNorm, redirectUris[0] ?? null);
      const entry = { actor, action: 'user.send_reset', target: id, result: 'ok' };
      await context.commit(scope, async (now) => ({
        change: { writes: [audit.record(scope, entry, now)] },
        result: null,
      }));
      return sent;
    },
  };
};
