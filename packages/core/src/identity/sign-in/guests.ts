// Guests: users without credentials, who may become users of the same id later.

import { isPlaceholderUserId } from '../../foundation/placeholder-user-id.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountMetadataOf } from '../accounts/metadata.ts';
import type { ClientInfo } from '../audit/client.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthChange } from '../commit/commit.ts';
import type { AuthContext } from '../flow/context.ts';
import type { Finish, PlannedSignIn } from '../flow/finish.ts';
import { identified } from '../flow/identified.ts';
import { emailIn, linkOf, parseBody, redirectOf } from '../flow/input.ts';
import { guestBody, guestSignUpBody } from '../guests/bodies.ts';
import { lifeMsOf } from '../one-time/secrets.ts';
import type { AuthResult, SignedUp } from '../shapes/answers.generated.ts';
import type { Bearer } from '../shapes/bearer.ts';
import { accountExists, forbiddenFor } from '../shapes/errors.ts';
import { requirePassword } from './sign-up.ts';

/**
 * Creates a guest and a session. Throws FORBIDDEN `anonymous_disabled`, `captcha_failed` or `denied`,
 * PROVIDER_NOT_CONFIGURED.
 */
export const signInAsGuest =
  (context: AuthContext, finish: Finish) =>
  async (scope: Scope, body: unknown, client: ClientInfo): Promise<AuthResult> => {
    const input = parseBody(guestBody, body === undefined ? {} : body);
    const settings = await context.settings.load(scope);
    if (!settings.anonymous.enabled) throw forbiddenFor('anonymous_disabled');
    context.tokens.requireIssuer();
    await context.captcha.require(scope, input.captchaToken, client);
    await context.before(scope, { action: 'guest', email: null, client });
    const { accounts } = context;
    const { metadata } = accountMetadataOf(input.metadata, true);
    // As an alias, a placeholder would merge all visitors whose client sends the same one.
    const anonymousId =
      input.anonymousId === undefined || isPlaceholderUserId(input.anonymousId) ? null : input.anonymousId;
    const done = await context.commit<{ account: AccountRow; planned: PlannedSignIn }>(scope, async (now) => {
      const draft = accounts.draft(scope, { metadata }, 'anonymous', now);
      const account = { ...draft, isAnonymous: true, usableAt: now, lastSignInAt: now };
      const usable = accounts.usable(account, settings, { anonymous: true });
      const planned = await finish.plan(
        scope,
        { account, method: 'anonymous', amr: [], aal: 'aal1', client, isNewUser: true },
        settings,
        now,
      );
      return {
        change: {
          writes: [accounts.insert(account), ...planned.writes],
          ...{ profile: usable.profile, anonymousId },
          events: [...usable.events, ...planned.events],
        },
        result: { account, planned },
      };
    });
    return finish.answer(scope, done.account, done.planned, settings);
  };

/**
 * Emails a guest the proof with which the guest becomes a user: see `planUpgrade`. Until then the address and the password
 * are in the token alone. An address that has an account is answered alike.
 */
export const upgradeGuest =
  (context: AuthContext) =>
  async (scope: Scope, { account }: Bearer, body: unknown, client: ClientInfo): Promise<SignedUp> => {
    const input = parseBody(guestSignUpBody, body);
    if (!account.isAnonymous) throw forbiddenFor('not_anonymous');
    const settings = await context.settings.load(scope);
    if (settings.signup.mode === 'disabled') throw forbiddenFor('signup_disabled');
    const { email, emailNorm } = emailIn(input.email);
    const target = redirectOf(input.redirectTo, settings);
    await context.requireEmail(scope);
    await context.captcha.require(scope, input.captchaToken, client);
    await context.before(scope, { action: 'sign_up', email: emailNorm, client });
    const { minLength } = settings.password;
    await requirePassword(context, { password: input.password, emailNorm, minLength });
    const codeChallenge = input.codeChallenge ?? null;
    const { budget, hasher, makeEmail, oneTime } = context;
    const hash = await hasher.hash(input.password, { owner: scope.projectKey });
    return context.commit(scope, async (now) => {
      const result: SignedUp = { status: 'verification_required' };
      const debit = await budget.debit(scope, emailNorm, now);
      if (debit === null) return { change: {}, result };
      const issued = await oneTime.issue(
        scope,
        {
          ...{ kind: 'verify', secret: 'verify', hasCode: true, emailNorm, accountId: account.id, codeChallenge },
          ...{ payload: { hash, email }, lifeMs: lifeMsOf('verify') },
        },
        now,
      );
      const { code, expiresAt } = issued;
      const link = linkOf(target, { token: issued.secret, codeChallenge });
      const mail = await makeEmail(scope, {
        ...{ kind: 'verify', to: email, link, code, expiresAt, locale: account.locale },
      });
      return { change: { writes: [...debit, ...issued.writes], emails: [mail] }, result };
    });
  };

/**
 * Plans that a guest becomes a user who has proven the mailbox. The guest keeps the id, the data and the sessions.
 *
 * @param hash of the new password. The caller has checked that the proof comes from who requested the upgrade: otherwise
 * somebody else's guest would get the address of a user who follows the link.
 * @throws CONFLICT `account_exists`
 */
export const planUpgrade = async (
  { accounts, audit }: Pick<AuthContext, 'accounts' | 'audit'>,
  scope: Scope,
  guest: AccountRow,
  input: {
    readonly hash: string;
    readonly email: string;
    readonly settings: AuthSettings;
    readonly client: ClientInfo;
    readonly now: Date;
  },
): Promise<AuthChange> => {
  const { hash, settings, client, now } = input;
  const { email, emailNorm } = emailIn(input.email);
  if (await accounts.byEmail(scope, emailNorm)) throw accountExists();
  const { row, write } = accounts.change(
    guest,
    { email, emailNorm, emailVerifiedAt: now, isAnonymous: false, usableAt: guest.usableAt ?? now },
    now,
  );
  const { profile, events } = accounts.usable(row, settings, { upgraded: true });
  const { id } = row;
  const entry = { actor: `user:${id}`, action: 'guest.upgrade', target: id, result: 'ok', client };
  return {
    writes: [write, accounts.setPassword(row, hash, null, now), audit.record(scope, entry, now)],
    profile,
    events: [
      // The account already has an event of this name.
      ...events.map((event) => ({ ...event, subject: `${id}/${row.version}` })),
      identified(row, ['email']),
    ],
  };
};
